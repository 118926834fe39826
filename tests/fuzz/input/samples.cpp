// What a guest leaves where samples are expected: the input is the memory. The profiles, and the
// files for other programs that come of it.
#include <cstring>
#include <sstream>

#include <knc/base/clock.h>

#include <platform/call_stack.h>
#include <platform/profile.h>
#include <platform/sample_text.h>
#include <platform/samples.h>

#include "target.h"

namespace {

constexpr std::uint64_t base = 0x100000, memory_bytes = 0x4000;
constexpr std::uint64_t logs_at = base + 0x400;

platform::image image_of_samples() {
    platform::image i;
    i.name = "samples.elf";
    i.segments = {{base, base, memory_bytes, 0, 0, true}};
    i.symbols = {{base, 0x400, platform::sample_symbol, false, false, 0},
                 {logs_at, 0x200, platform::log_symbol, false, false, 0},
                 {base + 0x3000, 0x100, "first", true, false, 0},
                 {base + 0x3100, 0x100, "second", true, false, 0}};
    return i;
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const platform::image image = image_of_samples();
    std::string memory = fuzz::text_of(data, size);
    memory.resize(memory_bytes);
    const platform::memory_reader read = [&](std::uint64_t at, void* to, std::size_t n) {
        if (at < base || at - base > memory_bytes || n > memory_bytes - (at - base)) return false;
        std::memcpy(to, memory.data() + (at - base), n);
        return true;
    };
    std::vector<std::string> problems;
    const std::vector<platform::sample_log> logs = platform::read_samples(image, read, problems);
    for (const std::string& p : problems) fuzz::require_clear(p, {"knc_sample", "more than"});

    platform::call_stack stacks{image};
    std::ostringstream perf, folded;
    const knc::base::clock clock{1'100'000'000};
    platform::write_samples(perf, logs, stacks, image.name, clock);
    platform::write_folded(folded, logs, stacks, image.name);
    std::size_t samples = 0;
    for (const platform::sample_log& l : logs) samples += l.samples.size();
    fuzz::require((samples == 0) == perf.str().empty(), "every sample is written");
    for (const platform::profile& p : platform::make_profiles(logs, stacks, nullptr))
        fuzz::require(p.samples <= samples, "a sample belongs to one profile");
    return 0;
}
