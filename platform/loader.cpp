#include <platform/loader.h>

#include <algorithm>

#include <fmt/format.h>

#include <knc/base/debug_transfer.h>

#include <platform/input_error.h>
#include <platform/linux_image.h>
#include <platform/multiboot.h>

namespace platform {

namespace {

// GRUB and QEMU hand on the image's name before the command line; so does this loader.
std::string full_command_line(const image& i, const std::string& command_line) {
    return command_line.empty() ? i.name : i.name + ' ' + command_line;
}

}  // namespace

void check_placement(const image& i, const std::string& command_line, std::uint64_t initrd_size,
                     std::uint64_t memory_size) {
    const auto map = multiboot::memory_map(memory_size);
    for (const segment& s : i.segments) {
        const auto holds = [&](const multiboot::region& r) {
            return r.available && s.physical >= r.base && s.memory_size <= r.length &&
                   s.physical - r.base <= r.length - s.memory_size;
        };
        if (std::none_of(map.begin(), map.end(), holds)) {
            throw input_error(fmt::format(
                "{}: segment at {:#x}, {} bytes, does not lie in available memory of {} bytes "
                "(0x90000-0xFFFFF and 0xFEC00000-0xFFFFFFFF are taken)",
                i.name, s.physical, s.memory_size, memory_size));
        }
    }
    if (i.protocol != boot_protocol::multiboot)
        return check_linux(i, command_line, initrd_size, memory_size);
    if (initrd_size != 0) throw input_error(i.name + ": an initrd is for a Linux kernel");
    if (full_command_line(i, command_line).size() > multiboot::longest_command_line)
        throw input_error(fmt::format("{}: the command line is longer than {} bytes", i.name,
                                      multiboot::longest_command_line));
}

void check_code_size(const image& i, knc::isa::profile p) {
    const bool long_mode = i.protocol != boot_protocol::multiboot && kernel_of(i).long_mode;
    if (long_mode && p == knc::isa::profile::p55c)
        throw input_error(i.name + ": a 64-bit kernel; profile p55c has no 64-bit code");
}

bool host_access::read(std::uint64_t physical, void* to, std::size_t size) {
    return knc::base::debug_read(socket, physical, to, size);
}

bool host_access::write(std::uint64_t physical, const void* from, std::size_t size) {
    return knc::base::debug_write(socket, physical, from, size);
}

bool place(const image& i, const boot_request& r, const linux_machine& m, host_access& host) {
    for (const segment& s : i.segments) {
        // What exceeds the file's part is zero: memory is, before anything ran.
        const std::string_view content = i.content(s);
        if (!host.write(s.physical, content.data(), content.size())) return false;
    }
    if (i.protocol == boot_protocol::multiboot) {
        const std::string block = multiboot::information(full_command_line(i, r.command_line),
                                                         multiboot::memory_map(m.memory_size));
        return host.write(multiboot::block_base, block.data(), block.size());
    }
    for (const memory_part& p : linux_tables(i, r.command_line, r.initrd.size(), m))
        if (!host.write(p.physical, p.bytes.data(), p.bytes.size())) return false;
    return r.initrd.empty() || host.write(initrd_address(i, r.initrd.size(), m.memory_size),
                                          r.initrd.data(), r.initrd.size());
}

knc::isa::entry_point entry_of(const image& i) {
    if (i.protocol != boot_protocol::multiboot) return linux_entry(i);
    return {i.entry, multiboot::loader_magic, multiboot::block_base};
}

}  // namespace platform
