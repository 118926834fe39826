// Runs the tiles of a card over the same cycles, each by itself: one after the other, or on several
// host threads, with the parts of the network that may run at the same time.
//
// Models no hardware. A tile always runs on the same host thread, if that is at hand, after the
// home slice at its stop. What they touch is their own, or does not change while tiles run; what
// they send is kept (outbox.h). So nothing depends on the number of threads. Tiles run one after
// the other where that is faster, and where somebody looks on who knows of one thread only. Source:
// docs/host_threads.md.
#ifndef KNC_CARD_TILE_RUNNER_H
#define KNC_CARD_TILE_RUNNER_H

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <vector>

#include <knc/base/clock.h>
#include <knc/base/host_threads_if.h>
#include <knc/card/host_threads.h>
#include <knc/card/ports.h>
#include <knc/card/run_control.h>
#include <knc/card/scheduled_tiles.h>
#include <knc/coherence/network_if.h>

namespace knc::card {

// The cycle up to which each tile runs in a step. Bit n of a set: tile n.
struct step_end {
    base::cycle_t all;  // every tile
    base::cycle_t far;  // those of `beyond`, which nothing reaches before; not less than `all`
    std::uint64_t beyond = 0;
    std::uint64_t active;  // no other tile acts before its end

    step_end(base::cycle_t end, std::uint64_t may_act) : all(end), far(end), active(may_act) {}
    base::cycle_t of(std::size_t tile) const { return (beyond >> tile & 1) != 0 ? far : all; }
};

class tile_runner final : public base::host_threads_if {
  public:
    // The references stay valid. No thread is made before it is needed.
    tile_runner(const scheduled_tiles&, card_if&, const host_thread_limits&);

    // The number of threads, with the caller's, for a card of so many tiles.
    static std::size_t threads(std::size_t tiles, const host_thread_limits&);

    // Whether it pays that threads share a step of so many cycles.
    bool shares(base::cycle_t cycles) const {
        return shares_.size() > 1 && !observed_ && busy_ > 1 && pays(busy_ * cycles);
    }
    // Runs every tile that may act before its end up to there. No message arrives at a tile before.
    // The tiles take turns, or threads share them, and the parts of the network unless it is
    // nullptr. An exception reaches the caller: of several, that of the tile with the least number.
    void run_in_turn(const step_end&);
    void run_shared(const step_end&, coherence::network_if*);
    // Somebody may have begun or ceased to look on.
    void look_for_observers();
    bool observed() const { return observed_; }

    // base::host_threads_if
    std::size_t count() const override { return shares_.size(); }
    bool pays(std::uint64_t cycles) const override { return cycles >= break_even_; }
    void run(const std::function<void(unsigned)>& work) override;

  private:
    // What a host thread does, and what came of it.
    struct alignas(64) share {
        unsigned busy = 0;  // tiles that had something to do
        std::size_t failed = 0;
        std::exception_ptr failure;  // of the tile `failed`
    };

    void run_share(unsigned n);

    const scheduled_tiles& tiles_;
    card_if& card_;
    const base::cycle_t break_even_;
    std::vector<share> shares_;  // one for each thread; a single one: no pool
    std::unique_ptr<host_threads> pool_;
    bool observed_ = true;
    unsigned busy_ = 0;  // tiles that had something to do the last time
    // The step that is shared.
    const step_end* end_ = nullptr;
    coherence::network_if* network_ = nullptr;
    const std::function<void(unsigned)> run_share_;
};

}  // namespace knc::card

#endif
