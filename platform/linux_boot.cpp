#include <platform/linux_boot.h>

#include <algorithm>

#include <fmt/format.h>

#include <platform/input_error.h>
#include <platform/linux_image.h>

namespace platform {

namespace {

using knc::boot::device_hole, knc::boot::kernel_needs;
constexpr std::uint64_t page = 4096;

}  // namespace

std::uint64_t initrd_address(const image& kernel, std::uint64_t size, std::uint64_t memory_size) {
    const kernel_needs needs = needs_of(kernel);
    const std::uint64_t top = std::min({needs.initrd_limit, memory_size, device_hole});
    const std::uint64_t first = (needs.end + page - 1) & ~(page - 1);
    if (top < first || size > top - first)
        throw input_error(fmt::format(
            "{}: the initrd of {} bytes has no room between the kernel, which ends at {:#x}, and "
            "{:#x}",
            kernel.name, size, needs.end, top));
    return (top - size) & ~(page - 1);
}

void check_linux(const image& kernel, const std::string& command_line, std::uint64_t initrd_size,
                 std::uint64_t memory_size) {
    const kernel_needs needs = needs_of(kernel);
    if (needs.end > std::min(memory_size, device_hole))
        throw input_error(fmt::format("{}: the kernel needs memory up to {:#x}, the card has {:#x}",
                                      kernel.name, needs.end, memory_size));
    const std::uint64_t longest =
        std::min<std::uint64_t>(needs.command_line_size, knc::boot::longest_command_line);
    if (command_line.size() > longest)
        throw input_error(
            fmt::format("{}: the command line is longer than {} bytes", kernel.name, longest));
    if (initrd_size != 0) initrd_address(kernel, initrd_size, memory_size);
}

std::vector<memory_part> linux_tables(const image& kernel, const std::string& command_line,
                                      std::uint64_t initrd_size, const linux_machine& m) {
    knc::boot::initrd_place initrd;
    if (initrd_size != 0)
        initrd = {initrd_address(kernel, initrd_size, m.memory_size), initrd_size};
    return knc::boot::linux_tables(kernel_of(kernel), command_line, initrd, m);
}

knc::isa::entry_point linux_entry(const image& kernel) {
    return knc::boot::linux_entry(kernel_of(kernel));
}

}  // namespace platform
