// The sample buffer a sampling driver leaves in memory under the ELF symbol knc_samples.
//
// The layout is that of sw/drivers/sampling/samples.h, version 1. What is read is the guest's and
// is not trusted: sizes and counts are held to what the symbol spans.
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

struct sample {
    std::uint64_t rip, tsc, value;
    std::uint16_t thread;  // local APIC ID
    std::uint8_t cpl;
    std::uint8_t counter;  // 0 or 1, or timer_sample
};
inline constexpr std::uint8_t timer_sample = 255;

struct sample_buffer {
    std::uint64_t count = 0, dropped = 0;
    std::array<std::uint64_t, 2> period{};
    std::array<std::uint32_t, 2> evtsel{};
    std::vector<sample> samples;  // those that are stored
};

// Reads `size` bytes of physical memory; false where there is none.
using memory_reader = std::function<bool(std::uint64_t physical, void* to, std::size_t size)>;

// The buffer of `i`; nothing where the image has none or sampling never began. A buffer that makes
// no sense gives nothing and says why in `problem`.
std::optional<sample_buffer> read_samples(const image& i, const memory_reader&,
                                          std::string& problem);

}  // namespace platform

#endif
