// Threads of the host that share work.
//
// Models no hardware; it is the interface only.
#ifndef KNC_BASE_HOST_THREADS_IF_H
#define KNC_BASE_HOST_THREADS_IF_H

#include <cstddef>
#include <cstdint>
#include <functional>

namespace knc::base {

struct host_threads_if {
    // Their number, with the caller's.
    virtual std::size_t count() const = 0;
    // Whether it pays to share work that takes as long as `cycles` cycles of a busy tile.
    virtual bool pays(std::uint64_t cycles) const = 0;
    // Calls work(n) once for each n below count(), on several threads at a time, and returns when
    // all calls have returned. What a call has written, later calls and the caller see. `work`
    // throws nothing. Only one thread calls run().
    virtual void run(const std::function<void(unsigned)>& work) = 0;

  protected:
    ~host_threads_if() = default;
};

}  // namespace knc::base

#endif
