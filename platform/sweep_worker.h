// A worker of a sweep: does the runs that nobody has done or does, one after the other.
//
// Every engine starts workers: `knc-vp sweep-worker DIR [COUNT]`. They share the runs by their
// locks, so any number of them may come and go, on one host or on several with a common directory.
#ifndef KNC_PLATFORM_SWEEP_WORKER_H
#define KNC_PLATFORM_SWEEP_WORKER_H

#include <cstdint>
#include <string>

namespace platform {

// Does up to `count` runs of the sweep in `directory`, in their order. Throws input_error where
// there is no sweep, std::runtime_error where a result cannot be written.
void sweep_worker(const std::string& directory, std::uint64_t count);

}  // namespace platform

#endif
