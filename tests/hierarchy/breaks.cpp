// Machines with a fault are found out: some messages of a kind are lost, changed, or answered
// unseen.
#include <functional>
#include <iostream>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "machine.h"

namespace knc::test {
namespace {

using coherence::message;
using kind = coherence::message_kind;

struct fault {
    const char* what;
    kind meets;
    std::function<bool(message&)> does;  // false: the message is lost
};

bool lost(message&) {
    return false;
}
// One bit of one byte.
bool wrong(message& m) {
    m.data[m.line % coherence::line_bytes] ^= 1;
    return true;
}
std::function<bool(message&)> becomes(kind k) {
    return [k](message& m) {
        m.kind = k;
        return true;
    };
}
// The L2 does not see it; an answer goes back all the same.
std::function<bool(message&)> answered_with(kind k) {
    return [k](message& m) {
        m.kind = k;
        std::swap(m.source, m.destination);
        return true;
    };
}

const std::vector<fault>& faults() {
    static const std::vector<fault> all = {
        {"a shared copy comes with a wrong bit", kind::data_s, wrong},
        {"an exclusive copy comes with a wrong bit", kind::data_e, wrong},
        {"a copy to be written comes with a wrong bit", kind::data_m, wrong},
        {"an evicted line has a wrong bit", kind::put_dirty, wrong},
        {"recalled data have a wrong bit", kind::recall_data, wrong},
        {"an uncached read gets a wrong bit", kind::data_once, wrong},
        {"an uncached write has a wrong bit", kind::write_once,
         [](message& m) {
             for (auto& byte : m.data) byte ^= 1;
             return true;
         }},
        {"an uncached write leaves out a byte", kind::write_once,
         [](message& m) {
             m.mask &= m.mask - 1;
             return true;
         }},
        {"an uncached write writes the whole line", kind::write_once,
         [](message& m) {
             m.mask = coherence::all_bytes;
             return true;
         }},
        {"a shared copy is taken for the only one", kind::data_s, becomes(kind::data_e)},
        {"a dirty copy is reported clean", kind::ack_dirty, becomes(kind::ack_clean)},
        {"recalled data are not sent", kind::recall_data, becomes(kind::inv_ack)},
        {"a dirty line is evicted as a clean one", kind::put_dirty, becomes(kind::put_clean)},
        {"an owner keeps what he should give up", kind::fwd_get_m, becomes(kind::fwd_get_s)},
        {"an upgrade is not granted, but comes with data", kind::grant, becomes(kind::data_m)},
        {"a request of ownership without data is taken for one with data", kind::i_to_m,
         becomes(kind::get_m)},
        {"a copy is not dropped", kind::invalidate, answered_with(kind::inv_ack)},
        {"an owner does not hear of a recall", kind::recall, answered_with(kind::inv_ack)},
        {"a request is lost", kind::get_s, lost},
        {"a request of ownership without data is lost", kind::i_to_m, lost},
        {"a grant is lost", kind::grant, lost},
        {"an invalidation is lost", kind::invalidate, lost},
        {"data are lost", kind::data_e, lost},
        {"the end of a transaction is lost", kind::done, lost},
        {"the end of an eviction is lost", kind::put_ack, lost},
    };
    return all;
}

// What random accesses find wrong with a machine in which one in `interval` messages of its kind
// meets the fault, or "".
std::string found(const fault& f, unsigned interval, unsigned& met) {
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        machine_parameters p;
        p.tiles = 6;
        p.lines = 6;
        p.cache.l1d = p.cache.l1i = {8 * 64, 4, cache::replacement::lru};
        p.cache.l2 = {16 * 64, 4, cache::replacement::lru};
        p.accesses = 500;
        unsigned seen = 0;
        p.tamper = [&](message& m) {
            if (m.kind != f.meets || ++seen % interval != 0) return true;
            ++met;
            return f.does(m);
        };
        const std::string error = machine(p, seed).run();
        if (!error.empty()) return error;
    }
    return "";
}

TEST(breaks, are_found_by_random_accesses) {
    unsigned met = 0;
    // As it is, the same machine is right.
    ASSERT_EQ(found({"nothing", kind::get_s, [](message&) { return true; }}, 1, met), "");
    ASSERT_GT(met, 1000u);
    for (const fault& f : faults()) {
        met = 0;
        const std::string error = found(f, 20, met);
        EXPECT_NE(error, "") << f.what << " (" << met << " times)";
        std::cout << f.what << ": " << error << '\n';
    }
}

}  // namespace
}  // namespace knc::test
