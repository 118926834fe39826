// Tiles with real caches and everything between them, driven as card::scheduler drives a card.
#ifndef KNC_TESTS_HIERARCHY_MACHINE_H
#define KNC_TESTS_HIERARCHY_MACHINE_H

#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <knc/card/memory_fabric.h>

#include "tile.h"

namespace knc::test {

struct machine_parameters {
    unsigned tiles = 61;
    unsigned lines = 24;
    cache::parameters cache;
    card::uncore_parameters uncore;
    std::uint64_t accesses = 100;  // of each thread
    base::cycle_t window = 0;      // 0: as far as tiles may run on their own
    // Between two inspections; of all windows that are to be compared a multiple.
    base::cycle_t inspection = 5000;
    // Sees every message that leaves a tile or arrives there, and may change it. False: it is lost;
    // one that arrives and is for somebody else then is sent there.
    std::function<bool(coherence::message&)> tamper;
};

class machine final : card::memory_fabric::observer {
  public:
    machine(const machine_parameters&, std::uint64_t seed);

    // Until every thread has made its accesses; then every cache is emptied. What went wrong first,
    // or "".
    std::string run();

    std::uint64_t done(access::kind_t) const;
    base::cycle_t clocks() const { return now_; }
    // Equal if all threads did and saw the same in the same clocks, with the same events.
    std::uint64_t fingerprint() const;

  private:
    void run_tiles();
    void step(base::cycle_t horizon);
    void inspect();
    bool owned_without_data(line_t) const;
    void one_writer(line_t);
    void compare_traffic();
    line_data value(line_t);
    void debug_access(line_t);
    void fail(const std::string& text) {
        if (error_.empty()) error_ = text;
    }

    void send(coherence::message, base::cycle_t leaves);
    void deliver(unsigned tile, const coherence::message&, base::cycle_t clock) override;
    void deliver_to_agent(const coherence::message&, base::cycle_t) override {
        fail("a message for an agent nobody has");
    }
    void protocol_error(const std::string& text) override { fail(text); }

    const machine_parameters p_;
    truth truth_;
    card::memory_fabric fabric_;
    std::vector<std::unique_ptr<tile>> tiles_;
    std::mt19937_64 random_;
    base::cycle_t now_ = 0;
    std::string error_;
};

}  // namespace knc::test

#endif
