// Whom the interrupt fabric gives a message to, also when software has given two APICs one ID.

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <knc/card/interrupt_fabric.h>

namespace knc::card::test {
namespace {

constexpr base::cycle_t latency = 40, sent_at = 100;
constexpr std::uint8_t vector = 0x61;
constexpr std::uint32_t assert_level = 1u << 14;
constexpr std::uint32_t lowest_priority = 1u << 8, logical = 1u << 11, all = 2u << 18,
                        all_but_self = 3u << 18;

// Four APICs. Their IDs are 0, 1, 1 and 3: software has written that of the third.
class bench : sbox::io_apic_if, base::synchronize_if {
    struct listener final : apic::message_listener_if {
        listener(bench& b, std::size_t n) : owner(b), index(n) {}
        void message_arrived() override { owner.reached.push_back(index); }
        bench& owner;
        std::size_t index;
    };

  public:
    explicit bench(base::cycle_t interval) : fabric_("fabric", latency, interval, 0) {
        fabric_.io_apic.bind(*this);
        fabric_.scheduler.bind(*this);
        for (std::uint16_t n = 0; n < 4; ++n) {
            apics_.push_back(std::make_unique<apic::apic>(
                ("apic" + std::to_string(n)).c_str(), apic::parameters{}, n, n == 0,
                base::clock(1'000'000'000), apic::drive::core));
            listeners_.push_back(std::make_unique<listener>(*this, n));
            apics_.back()->listener.bind(*listeners_.back());
            fabric_.attach(*apics_.back());
        }
        sc_core::sc_start(sc_core::SC_ZERO_TIME);
        for (std::size_t n = 0; n < 4; ++n) unit(n).write(apic::reg::svr, 0x1ff, 0);
        unit(2).write(apic::reg::id, 1u << 23, 0);
    }
    apic::local_apic& unit(std::size_t n) { return apics_[n]->logic(); }
    // Sends, and returns who requests the interrupt once everything has arrived. Each message the
    // fabric carries arrives once.
    std::vector<std::size_t> send(std::size_t from, std::uint32_t low, std::uint16_t to) {
        unit(from).write(apic::reg::icr_high, std::uint32_t{to} << 16, sent_at);
        unit(from).write(apic::reg::icr_low, assert_level | vector | low, sent_at);
        return arrived();
    }
    std::vector<std::size_t> post(std::uint16_t to) {
        sbox::interrupt i;
        i.vector = vector;
        i.destination = to;
        fabric_.send(i, sent_at);
        return arrived();
    }

    std::vector<std::size_t> reached;  // by the fabric, in its order

  private:
    void end_of_interrupt(std::uint8_t, base::cycle_t) override {}
    void pulse_pin(unsigned, base::cycle_t) override {}
    void synchronize() override {}
    std::vector<std::size_t> arrived() {
        if (fabric_.next_arbitration() != base::never)
            fabric_.arbitrate(fabric_.next_arbitration());
        std::vector<std::size_t> requested;
        for (std::size_t n = 0; n < 4; ++n) {
            unit(n).advance(sent_at + latency);
            if (unit(n).irr().test(vector)) requested.push_back(n);
        }
        return requested;
    }

    std::vector<std::unique_ptr<apic::apic>> apics_;
    std::vector<std::unique_ptr<listener>> listeners_;
    interrupt_fabric fabric_;
};

using indices = std::vector<std::size_t>;

struct one_id {
    const char* what;
    std::uint32_t low;
    std::uint16_t destination;
    indices requested;  // by whom, when the second APIC sends
    indices reached;    // those of them the fabric has to serve: the sender serves itself
};
const one_id rows[] = {
    {"own ID, which is that of the third too", 0, 1, {1, 2}, {2}},
    {"the same with lowest priority: no group, nothing to arbitrate",
     lowest_priority,
     1,
     {1, 2},
     {2}},
    {"another ID", 0, 3, {3}, {3}},
    {"everybody", 0, 0xffff, {0, 1, 2, 3}, {0, 2, 3}},
    {"shorthand: all", all, 0, {0, 1, 2, 3}, {0, 2, 3}},
    {"shorthand: all but self", all_but_self, 0, {0, 2, 3}, {0, 2, 3}},
};

class shared_id : public testing::TestWithParam<std::size_t> {};

// Looked at at once, and at a later clock.
TEST_P(shared_id, only_the_sender_is_the_sender) {
    const one_id& r = rows[GetParam() / 2];
    bench b(GetParam() % 2 == 0 ? 0 : 16);
    EXPECT_EQ(b.send(1, r.low, r.destination), r.requested) << r.what;
    EXPECT_EQ(b.reached, r.reached) << r.what;
}
INSTANTIATE_TEST_SUITE_P(row, shared_id, testing::Range<std::size_t>(0, 2 * std::size(rows)));

// Arbitrated: the sender is a candidate, and the fabric serves whoever wins.
TEST(interrupt_fabric, arbitration_tells_two_apics_of_one_id_apart) {
    bench b(0);
    for (const std::size_t n : {1u, 2u}) b.unit(n).write(apic::reg::ldr, 0x00040000, 0);
    b.unit(1).write(apic::reg::tpr, 0x20, 0);
    EXPECT_EQ(b.send(1, lowest_priority | logical, 0x0004), indices{2});
    EXPECT_EQ(b.reached, indices{2});
}

// What leaves no local APIC has no sender to be left out.
TEST(interrupt_fabric, a_message_from_outside_reaches_all_of_one_id) {
    bench b(0);
    EXPECT_EQ(b.post(1), (indices{1, 2}));
    EXPECT_EQ(b.reached, (indices{1, 2}));
}

}  // namespace
}  // namespace knc::card::test
