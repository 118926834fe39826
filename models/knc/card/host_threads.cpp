#include <knc/card/host_threads.h>

#include <chrono>
#include <csignal>

namespace knc::card {

namespace {

// The longest time for which a thread spins: several steps of a card that does much. How long a
// `relax()` takes differs by a factor of 20 between hosts, so a clock decides. A thread that waits
// for longer than a short step lets others run: the host may be busy.
constexpr std::chrono::microseconds longest_spin{200}, alone{20};
constexpr unsigned spins_between_looks = 64;

void relax() {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#else
    std::this_thread::yield();
#endif
}

// Signals of the process go to the threads that it had before.
class signals_blocked {
  public:
    signals_blocked() {
        sigset_t all;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before_);
    }
    ~signals_blocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
    signals_blocked(const signals_blocked&) = delete;
    signals_blocked& operator=(const signals_blocked&) = delete;

  private:
    sigset_t before_{};
};

}  // namespace

// A sleeper counts itself before it looks at the condition for the last time, and wake() looks for
// sleepers after the condition has changed. So one of the two sees the other.
template <class Condition>
void host_threads::waiting_room::wait(Condition holds) {
    using clock = std::chrono::steady_clock;
    const auto begin = clock::now();
    for (auto spun = begin - begin; spun < longest_spin; spun = clock::now() - begin) {
        for (unsigned n = 0; n < spins_between_looks; ++n) {
            if (holds()) return;
            relax();
        }
        if (spun > alone) std::this_thread::yield();
    }
    std::unique_lock lock{mutex_};
    sleepers_.fetch_add(1);
    woken_.wait(lock, holds);
    sleepers_.fetch_sub(1);
}

void host_threads::waiting_room::wake() {
    if (sleepers_.load() == 0) return;
    // A sleeper that has seen the old state holds the mutex until it sleeps.
    { const std::lock_guard lock{mutex_}; }
    woken_.notify_all();
}

host_threads::host_threads(unsigned count) {
    const signals_blocked blocked;
    for (unsigned share = 1; share < count; ++share) workers_.push_back(std::make_unique<worker>());
    try {
        for (unsigned share = 1; share < count; ++share)
            workers_[share - 1]->thread = std::thread([this, share] { serve(share); });
    } catch (...) {
        end_threads();
        throw;
    }
}

host_threads::~host_threads() {
    end_threads();
}

void host_threads::end_threads() {
    ending_.store(true);
    round_.fetch_add(1);
    workers_wait_.wake();
    for (auto& w : workers_)
        if (w->thread.joinable()) w->thread.join();
}

void host_threads::run(const std::function<void(unsigned)>& work) {
    work_ = &work;
    open_.store(static_cast<std::uint32_t>(workers_.size()), std::memory_order_relaxed);
    const std::uint32_t round = round_.load(std::memory_order_relaxed) + 1;
    round_.store(round);
    workers_wait_.wake();
    work(0);
    for (unsigned share = 1; share < count(); ++share)
        if (take(share, round)) do_share(share);
    caller_waits_.wait([this] { return open_.load() == 0; });
}

bool host_threads::take(unsigned share, std::uint32_t round) {
    std::uint32_t before = round - 1;
    return workers_[share - 1]->begun.compare_exchange_strong(before, round);
}

void host_threads::do_share(unsigned share) {
    (*work_)(share);
    if (open_.fetch_sub(1) == 1) caller_waits_.wake();
}

void host_threads::serve(unsigned share) {
    for (std::uint32_t seen = 0;;) {
        workers_wait_.wait([&] { return round_.load() != seen; });
        seen = round_.load();
        // Both are those of a later round if the caller has done this one; then the share is taken.
        if (ending_.load()) return;
        if (take(share, seen)) do_share(share);
    }
}

}  // namespace knc::card
