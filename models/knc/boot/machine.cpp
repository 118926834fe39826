#include <knc/boot/machine.h>

#include <algorithm>

namespace knc::boot {

namespace {

constexpr std::uint64_t low_memory = 0xa0000;

}  // namespace

std::vector<region> memory_map(std::uint64_t memory_size) {
    std::vector<region> map;
    const auto add = [&](std::uint64_t from, std::uint64_t to, bool available) {
        to = std::min(to, memory_size);
        if (from < to) map.push_back({from, to - from, available});
    };
    add(0, block_base, true);
    add(block_base, low_memory, false);
    add(first_megabyte, device_hole, true);
    add(four_gigabytes, memory_size, true);
    return map;
}

}  // namespace knc::boot
