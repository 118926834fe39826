#include <knc/boot/linux.h>

#include <algorithm>
#include <cstring>

#include <knc/boot/acpi_tables.h>
#include <knc/boot/processor_tables.h>
#include <knc/boot/table_bytes.h>

namespace knc::boot {

namespace {

// Places in the loader's block.
constexpr std::uint64_t params_at = block_base, gdt_at = block_base + 0x1000,
                        command_line_at = block_base + 0x2000, page_tables_at = block_base + 0xa000;
static_assert(command_line_at + longest_command_line + 1 <= page_tables_at);
constexpr std::size_t params_size = 4096;
constexpr std::uint64_t page = 4096;

// Offsets in boot_params.
constexpr std::size_t at_acpi_rsdp = 0x70, at_e820_entries = 0x1e8, at_setup_header = 0x1f1,
                      at_boot_flag = 0x1fe, at_header = 0x202, at_version = 0x206,
                      at_loader_type = 0x210, at_loadflags = 0x211, at_initrd = 0x218,
                      at_initrd_size = 0x21c, at_command_line = 0x228, at_alignment = 0x230,
                      at_e820 = 0x2d0;
constexpr std::uint8_t loader_without_number = 0xff, loaded_high = 1;

constexpr std::uint16_t boot_cs = 0x10, boot_ds = 0x18;

struct e820_entry {
    std::uint64_t from, to;
    bool available;
};
std::vector<e820_entry> e820_map(std::uint64_t memory_size) {
    std::vector<e820_entry> map;
    for (const region& r : memory_map(memory_size))
        if (r.available) map.push_back({r.base, r.base + r.length, true});
    map.push_back({block_base, first_megabyte, false});
    map.push_back({device_hole, four_gigabytes, false});
    std::sort(map.begin(), map.end(),
              [](const e820_entry& a, const e820_entry& b) { return a.from < b.from; });
    return map;
}

std::string boot_params(const kernel& k, const initrd_place& initrd, const machine& m) {
    std::string p(params_size, '\0');
    if (k.setup_header.empty()) {
        store(p, at_boot_flag, std::uint16_t{0xaa55});
        std::memcpy(p.data() + at_header, "HdrS", 4);
        store(p, at_version, std::uint16_t{0x020f});
        store(p, at_alignment, std::uint32_t{0x1000000});
    } else {
        std::copy(k.setup_header.begin(), k.setup_header.end(), p.begin() + at_setup_header);
    }
    store(p, at_loader_type, loader_without_number);
    p[at_loadflags] = static_cast<char>(p[at_loadflags] | loaded_high);
    store(p, at_command_line, static_cast<std::uint32_t>(command_line_at));
    store(p, at_initrd, static_cast<std::uint32_t>(initrd.address));
    store(p, at_initrd_size, static_cast<std::uint32_t>(initrd.size));
    if (m.acpi) store(p, at_acpi_rsdp, acpi_base);
    const std::vector<e820_entry> map = e820_map(m.memory_size);
    store(p, at_e820_entries, static_cast<std::uint8_t>(map.size()));
    std::size_t at = at_e820;
    for (const e820_entry& e : map) {
        store(p, at, e.from);
        store(p, at + 8, e.to - e.from);
        store(p, at + 16, std::uint32_t{e.available ? 1u : 2u});
        at += 20;
    }
    return p;
}

// Flat descriptors at the selectors that the entry has in CS and the others.
std::string gdt(bool long_mode) {
    constexpr std::uint64_t code32 = 0x00cf'9b00'0000'ffff, code64 = 0x00af'9b00'0000'ffff,
                            data = 0x00cf'9300'0000'ffff;
    std::string table(boot_ds + 8, '\0');
    store(table, boot_cs, long_mode ? code64 : code32);
    store(table, boot_ds, data);
    return table;
}

// The first 4 GB at their addresses, in pages of 2 MB.
std::string page_tables() {
    constexpr std::uint64_t present_writable = 3, large = 0x80;
    constexpr std::size_t directories = 4, entries = 512;
    std::string t((2 + directories) * page, '\0');
    const auto entry = [&](std::size_t n, std::uint64_t v) { store(t, n * 8, v); };
    entry(0, (page_tables_at + page) | present_writable);
    for (std::size_t d = 0; d < directories; ++d)
        entry(entries + d, (page_tables_at + (2 + d) * page) | present_writable);
    for (std::size_t n = 0; n < directories * entries; ++n)
        entry(2 * entries + n, (std::uint64_t{n} << 21) | large | present_writable);
    return t;
}

}  // namespace

std::vector<memory_part> linux_tables(const kernel& k, const std::string& command_line,
                                      const initrd_place& initrd, const machine& m) {
    std::vector<memory_part> parts{{params_at, boot_params(k, initrd, m)},
                                   {gdt_at, gdt(k.long_mode)},
                                   {command_line_at, command_line + '\0'},
                                   {sfi_base, sfi_tables(m)},
                                   {mp_base, mp_tables(m)}};
    if (m.acpi) parts.push_back({acpi_base, acpi_tables(m)});
    if (k.long_mode) parts.push_back({page_tables_at, page_tables()});
    return parts;
}

isa::entry_point linux_entry(const kernel& k) {
    isa::entry_point e;
    e.rip = k.entry;
    e.rsi = params_at;
    e.code_selector = boot_cs;
    e.data_selector = boot_ds;
    e.gdt = {gdt_at, boot_ds + 7};
    if (k.long_mode) e.page_tables = page_tables_at;
    return e;
}

}  // namespace knc::boot
