// The caches of a tile and its directory slice as waveform signals.
//
// Models: what each of them has under way, the events of each, and the state of one chosen line in
// all of them. Only sample() costs anything. Leaves out: the other lines. Source:
// docs/waveforms.md.
#ifndef KNC_CARD_CACHE_PROBE_H
#define KNC_CARD_CACHE_PROBE_H

#include <array>
#include <cstdint>
#include <string>

#include <knc/base/clock.h>
#include <knc/base/event.h>
#include <knc/base/signal.h>
#include <knc/cache/l1d.h>
#include <knc/cache/l1i.h>
#include <knc/cache/l2_base.h>
#include <knc/card/directory.h>
#include <knc/card/event_probe.h>
#include <knc/card/l3.h>

namespace knc::card {

class cache_probe {
  public:
    struct parts {
        const cache::l1d& l1d;
        const cache::l1i& l1i;
        const cache::l2_base& l2;
        const card::directory* directory;  // nullptr: the network has no such slices
        const card::l3* l3;                // the same
        std::size_t threads = base::threads_per_core;
    };
    cache_probe(const parts&, const base::ledger&);

    // The line whose states are shown.
    void watch(coherence::line_t l) { line_ = l; }
    // PREFIX.l1d.line and so on; PREFIX.tN.stores_waiting.
    void list_signals(const std::string& prefix, base::signal_list&) const;
    // Copies the state in cycle `now`.
    void sample(base::cycle_t now);

  private:
    void list_directory(const std::string& prefix, base::signal_list&) const;
    void sample_directory();
    void list_l3(const std::string& prefix, base::signal_list&) const;
    void sample_l3();

    const parts of_;
    const base::ledger& ledger_;
    static constexpr coherence::line_t no_line = ~coherence::line_t{0};
    coherence::line_t line_ = no_line;
    event_probe l1d_events_, l1i_events_, l2_events_;
    std::array<std::uint64_t, base::threads_per_core> stores_{};
    std::uint64_t l1d_line_ = 0, l1i_line_ = 0, l2_line_ = 0;
    cache::l2_base::occupancy l2_;
    struct {
        std::uint64_t lines = 0, transactions = 0, queued = 0, messages = 0;
        std::uint64_t state = 0, holders = 0, owner = 0;
    } directory_;  // or of the L3 slice
    std::uint64_t parked_ = 0;
};

}  // namespace knc::card

#endif
