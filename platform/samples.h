// What sampling drivers leave in memory: the buffer under the ELF symbol knc_samples, and a log of
// each thread, which the table under knc_sample_logs points to.
//
// The layouts are those of sw/drivers/sampling/samples.h and log.h, version 1. What is read is the
// guest's and is not trusted: sizes and counts are held to what the symbol spans, to the memory
// there is, and to a maximum; records that make no sense are left out.
#ifndef KNC_PLATFORM_SAMPLES_H
#define KNC_PLATFORM_SAMPLES_H

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <platform/image.h>

namespace platform {

inline constexpr const char* sample_symbol = "knc_samples";
inline constexpr const char* log_symbol = "knc_sample_logs";

struct sample {
    std::uint64_t rip = 0, tsc = 0, value = 0;
    std::uint16_t thread = 0;  // local APIC ID
    std::uint8_t cpl = 0;
    std::uint8_t counter = 0;            // 0 or 1, or timer_sample
    std::uint64_t weight = 1;            // periods that it stands for
    std::vector<std::uint64_t> callers;  // return addresses, the innermost first
};
inline constexpr std::uint8_t timer_sample = 255;

// Of one counter of a log. All but `period` and `evtsel` are known of a thread's log only, and only
// when its sampler has stopped.
struct log_counter {
    std::uint64_t period = 0, samples = 0, missed = 0, remainder = 0;
    std::uint32_t evtsel = 0;
};

struct sample_log {
    std::optional<std::uint16_t> thread;  // none: knc_samples, which serves any thread
    bool stopped = false;                 // a thread's sampler had stopped when the run ended
    std::uint64_t written = 0;            // samples
    std::uint64_t taken = 0;              // of them, those that a program of the guest has taken
    std::uint64_t dropped = 0;            // of them, those for which knc_samples had no room
    std::uint64_t lost = 0, stops = 0;    // clocks without counting; times that there was no room
    std::uint64_t interval = 0;           // time based: clocks; 0: by events, or unknown
    std::array<log_counter, 2> counter{};
    std::vector<sample> samples;  // those that are there
};

// Reads `size` bytes of physical memory; false where there is none.
using memory_reader = std::function<bool(std::uint64_t physical, void* to, std::size_t size)>;

// Everything that was sampled, in the order of APIC IDs; nothing where the image has no buffer or
// sampling never began. What makes no sense gives one line in `problems`, and no samples.
std::vector<sample_log> read_samples(const image&, const memory_reader&,
                                     std::vector<std::string>& problems);

}  // namespace platform

#endif
