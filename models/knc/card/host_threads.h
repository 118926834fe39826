// A pool of host threads that do one piece of work together, again and again, many thousand times a
// second.
//
// Models no hardware. Work has as many shares as there are threads, and a share always belongs to
// the same thread, so that what it works on stays in the caches of one host core. Threads that wait
// spin for some microseconds, then sleep. The thread that calls run() does shares whose threads
// have not begun yet, so on a busy host it waits for no thread that sleeps or has lost its core.
// Leaves out: queues, results. Source: docs/host_threads.md.
#ifndef KNC_CARD_HOST_THREADS_H
#define KNC_CARD_HOST_THREADS_H

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace knc::card {

class host_threads {
  public:
    // `count` threads, at least 1, with the one that calls run(). Throws std::system_error if the
    // host has no more threads.
    explicit host_threads(unsigned count);
    ~host_threads();
    host_threads(const host_threads&) = delete;
    host_threads& operator=(const host_threads&) = delete;

    unsigned count() const { return static_cast<unsigned>(workers_.size()) + 1; }

    // Calls work(n) once for each share n below count(), on several threads at a time, and returns
    // when all calls have returned. What a call has written, later calls and the caller see. `work`
    // throws nothing. Only one thread calls run().
    void run(const std::function<void(unsigned)>& work);

  private:
    // Where threads wait for a condition that others make true.
    class waiting_room {
      public:
        template <class Condition>
        void wait(Condition holds);
        // After the condition has been made true.
        void wake();

      private:
        std::atomic<unsigned> sleepers_{0};
        std::mutex mutex_;
        std::condition_variable woken_;
    };
    struct alignas(64) worker {
        std::atomic<std::uint32_t> begun{0};  // the last round whose share somebody has taken
        std::thread thread;
    };

    void serve(unsigned share);
    // Takes the share for the caller; false: somebody else has.
    bool take(unsigned share, std::uint32_t round);
    void do_share(unsigned share);
    void end_threads();

    const std::function<void(unsigned)>* work_ = nullptr;
    std::atomic<bool> ending_{false};
    alignas(64) std::atomic<std::uint32_t> round_{0};
    alignas(64) std::atomic<std::uint32_t> open_{0};  // shares of the round that are not done
    waiting_room workers_wait_, caller_waits_;
    std::vector<std::unique_ptr<worker>> workers_;  // share n belongs to workers_[n - 1]
};

}  // namespace knc::card

#endif
