#include <knc/card/tile_runner.h>

#include <algorithm>
#include <thread>

#include <sched.h>

namespace knc::card {

namespace {

// A thread with fewer tiles than that waits for longer than it works.
constexpr std::size_t least_tiles = 4;

// The cores of the host that this process may use.
std::size_t host_cores() {
    cpu_set_t mine;
    if (sched_getaffinity(0, sizeof mine, &mine) == 0)
        return static_cast<std::size_t>(CPU_COUNT(&mine));
    return std::thread::hardware_concurrency();
}

}  // namespace

std::size_t tile_runner::threads(std::size_t tiles, const host_thread_limits& l) {
    const std::size_t wanted = l.most == host_thread_limits::any
                                   ? std::min(host_cores(), tiles / least_tiles)
                                   : std::min<std::uint64_t>(l.most, tiles);
    return std::max<std::size_t>(wanted, 1);
}

tile_runner::tile_runner(const scheduled_tiles& tiles, card_if& card, const host_thread_limits& l)
    : tiles_(tiles),
      card_(card),
      break_even_(l.break_even),
      shares_(threads(tiles.size(), l)),
      run_share_([this](unsigned n) { run_share(n); }) {}

void tile_runner::look_for_observers() {
    observed_ =
        std::any_of(tiles_.begin(), tiles_.end(), [](const tile_if* t) { return t->observed(); });
}

void tile_runner::run_in_turn(const step_end& end) {
    busy_ = 0;
    for (std::uint64_t rest = end.active; rest != 0; rest &= rest - 1) {
        const auto t = static_cast<std::size_t>(__builtin_ctzll(rest));
        if (tiles_.next_activity(t) >= end.of(t)) continue;
        if (busy_++ == 0) card_.begin_apart(false, false);
        tiles_[t].run_to(end.of(t));
    }
    if (busy_ != 0) card_.end_apart();
}

void tile_runner::run_shared(const step_end& end, coherence::network_if* network) {
    card_.begin_apart(true, network == nullptr);
    end_ = &end;
    network_ = network;
    run(run_share_);
    if (network != nullptr) network->end_parts();
    card_.end_apart();
    busy_ = 0;
    const share* failed = nullptr;
    for (const share& s : shares_) {
        busy_ += s.busy;
        if (s.failure && (failed == nullptr || s.failed < failed->failed)) failed = &s;
    }
    if (failed != nullptr) std::rethrow_exception(failed->failure);
}

void tile_runner::run(const std::function<void(unsigned)>& work) {
    if (!pool_) pool_ = std::make_unique<host_threads>(static_cast<unsigned>(shares_.size()));
    pool_->run(work);
}

void tile_runner::run_share(unsigned n) {
    share& s = shares_[n];
    const step_end& end = *end_;
    s.busy = 0;
    s.failure = nullptr;
    std::size_t t = n;
    try {
        if (network_ != nullptr) network_->run_parts(n);
        for (; t < tiles_.size(); t += shares_.size()) {
            if (tiles_.next_activity(t) >= end.of(t)) continue;
            tiles_[t].run_to(end.of(t));
            ++s.busy;
        }
    } catch (...) {
        s.failed = t;
        s.failure = std::current_exception();
    }
}

}  // namespace knc::card
