// An L2 of the user in the library's card. It has every line, and responds after a fixed time. The
// time is longer for the lines that the third pass of the program reads.
#include <map>
#include <memory>
#include <vector>

#include <systemc>

#include <knc/cache/l2_base.h>
#include <knc/card/card.h>

#include "three_passes.h"

namespace {

using knc::base::cycle_t;
using knc::cache::line_t;
using knc::coherence::byte_mask;
using knc::coherence::line_data;

constexpr cycle_t near = 20, far = 120;

class perfect_l2 final : public knc::cache::l2_base, private knc::cache::l2_if {
  public:
    explicit perfect_l2(const knc::card::l2_place& at)
        : l2_base(at.name, at.clock), memory_(at.memory) {
        serve(*this);
    }

    void reset() override {
        lines_.clear();
        answers_.clear();
    }
    void view(const knc::cache::l1_data& above, knc::coherence::debug_view& v) const override {
        const auto found = lines_.find(v.line());
        if (const std::uint8_t* newest = above.copy_of(v.line()))
            v.copy(newest);
        else if (found != lines_.end())
            v.copy(found->second.data());
    }
    void debug_write(line_t line, const std::uint8_t* data, byte_mask mask) override {
        const auto found = lines_.find(line);
        if (found != lines_.end()) knc::coherence::copy_bytes(found->second.data(), data, mask);
    }

    unsigned accesses = 0;

  private:
    struct answer {
        cycle_t at;
        line_t line;
        bool write;
    };

    line_data& bytes(line_t line) {
        const auto [found, added] = lines_.try_emplace(line);
        if (added) memory_.read(line, found->second);
        return found->second;
    }
    cycle_t fill(knc::cache::l1_fill_if& l1, line_t line, std::uint8_t waiting, cycle_t now) {
        const cycle_t ready = now + (three_passes::is_last_pass(line) ? far : near);
        l1.fill({line, bytes(line).data(), true, true, waiting, ready}, now);
        return ready;
    }

    // knc::cache::l2_if
    knc::cache::l2_answer access(const knc::cache::l2_access& a, cycle_t now) override {
        ++accesses;
        knc::cache::l1_fill_if& l1 = a.type == knc::cache::access_type::code
                                         ? static_cast<knc::cache::l1_fill_if&>(to_code())
                                         : to_data();
        const auto waiting = static_cast<std::uint8_t>(a.waits ? 1u << a.thread : 0u);
        return {knc::cache::l2_answer::kind::hit, fill(l1, a.line, waiting, now)};
    }
    knc::cache::l2_answer prefetch(const knc::cache::l2_prefetch& p, cycle_t now) override {
        const cycle_t ready = p.to_l1 ? fill(to_data(), p.line, 0, now) : now;
        return {knc::cache::l2_answer::kind::hit, ready};
    }
    knc::cache::i_to_m_answer request_i_to_m(unsigned, line_t, cycle_t) override {
        return knc::cache::i_to_m_answer::present;
    }
    knc::cache::requester under_way(line_t) const override { return knc::cache::requester::none; }
    void write_back(line_t line, const line_data& d, bool, cycle_t) override { bytes(line) = d; }
    bool read_once(unsigned, line_t line, cycle_t now) override {
        answers_.push_back({now + near, line, false});
        return true;
    }
    bool write_once(unsigned, line_t line, const line_data& d, byte_mask mask,
                    cycle_t now) override {
        knc::coherence::copy_bytes(bytes(line).data(), d.data(), mask);
        answers_.push_back({now + near, line, true});
        return true;
    }
    void evict(line_t line, cycle_t now) override {
        const auto found = lines_.find(line);
        if (found == lines_.end()) return;
        to_data().take_back(line, found->second.data(), knc::coherence::l1_keeps::nothing, now);
        to_code().drop(line);
        memory_.write(line, found->second, knc::coherence::all_bytes);
        lines_.erase(found);
    }
    bool flush(unsigned, cycle_t now) override {
        while (!lines_.empty()) evict(lines_.begin()->first, now);
        return true;
    }
    void completed(unsigned, cycle_t) override {}
    // knc::cache::l2_events_if. Responses are sent in the order of the accesses.
    cycle_t next_event() const override {
        return answers_.empty() ? knc::base::never : answers_.front().at;
    }
    void process_due_events(cycle_t now) override {
        while (!answers_.empty() && answers_.front().at <= now) {
            const answer a = answers_.front();
            answers_.erase(answers_.begin());
            if (a.write)
                to_data().write_complete(a.line, now);
            else
                to_data().read_complete(a.line, bytes(a.line), now);
        }
    }
    bool sent() override { return false; }

    knc::coherence::line_store& memory_;
    std::map<line_t, line_data> lines_;
    std::vector<answer> answers_;
};

}  // namespace

int sc_main(int, char**) {
    perfect_l2* l2 = nullptr;
    knc::card::parts own;
    own.make_l2 = [&l2](const knc::card::l2_place& at) {
        auto made = std::make_unique<perfect_l2>(at);
        l2 = made.get();
        return made;
    };
    knc::card::card card{"card", three_passes::parameters(), knc::card::run_control{}, own};
    three_passes::host host{"host"};
    host.socket.bind(card.host);
    card.boot(three_passes::program_at, 0, 0);
    sc_core::sc_start();

    const knc::base::ledger& counts = card[0].cpu().counts();
    host.expect_result(card, far - near);
    expect(counts.total(0, knc::base::data_read_miss) == three_passes::passes * three_passes::lines,
           "each load missed the L1");
    expect(counts.total(0, knc::base::l2_read_miss) == 0, "no load missed our L2");
    expect(l2->accesses > three_passes::passes * three_passes::lines, "code was fetched, too");
    return failures == 0 ? 0 : 1;
}
