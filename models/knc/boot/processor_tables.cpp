#include <knc/boot/processor_tables.h>

#include <knc/base/address_map.h>
#include <knc/boot/table_bytes.h>

namespace knc::boot {

namespace {

// ---- SFI

constexpr std::size_t sfi_at_length = 4, sfi_at_sum = 9;

std::string sfi_table(const char (&signature)[5], const std::string& content) {
    std::string t(signature, 4);
    append(t, std::uint32_t{0});  // length
    t += '\x01';                  // revision
    t += '\0';                    // sum
    t += "INTEL ";
    t += "KNC     ";
    t += content;
    const auto length = static_cast<std::uint32_t>(t.size());
    t.replace(sfi_at_length, sizeof length, reinterpret_cast<const char*>(&length), sizeof length);
    balance(t, sfi_at_sum);
    return t;
}

constexpr std::uint64_t io_apic = 0x8'007d'a800;

std::string sfi_processors(const machine& m) {
    std::string ids;
    for (std::uint32_t n = 0; n < m.threads; ++n) append(ids, n);
    return sfi_table("CPUS", ids);
}
std::string sfi_memory(const machine& m) {
    constexpr std::uint32_t conventional = 7, reserved = 0;  // types of EFI
    std::string map;
    for (const region& r : memory_map(m.memory_size)) {
        append(map, r.available ? conventional : reserved);
        append(map, r.base);
        append(map, std::uint64_t{0});  // virtual address
        append(map, r.length >> 12);
        append(map, std::uint64_t{0});  // attributes
    }
    return sfi_table("MMAP", map);
}

// ---- MP

constexpr std::uint8_t mp_processor = 0, mp_bus = 1;

std::string mp_processors(const machine& m) {
    constexpr std::uint8_t enabled = 1, boot = 2, apic_version = 0x14;
    constexpr std::uint32_t features = 1u << 9 | 1u << 0;  // local APIC, x87
    std::string entries;
    for (std::uint32_t n = 0; n < m.threads; ++n) {
        entries += static_cast<char>(mp_processor);
        entries += static_cast<char>(n);
        entries += static_cast<char>(apic_version);
        entries += static_cast<char>(n == m.boot_apic_id ? enabled | boot : enabled);
        append(entries, m.signature);
        append(entries, features);
        append(entries, std::uint64_t{0});
    }
    return entries;
}

}  // namespace

std::string sfi_tables(const machine& m) {
    std::string apic;
    append(apic, io_apic);
    const std::string tables[] = {sfi_processors(m), sfi_table("APIC", apic), sfi_memory(m)};
    // SYST, the table of tables, comes first.
    constexpr std::size_t header = 24, alignment = 16;
    std::size_t at = header + std::size(tables) * sizeof(std::uint64_t);
    std::string places, rest;
    for (const std::string& t : tables) {
        const std::size_t start = (at + alignment - 1) / alignment * alignment;
        rest.append(start - at, '\0').append(t);
        append(places, sfi_base + start);
        at = start + t.size();
    }
    return sfi_table("SYST", places) + rest;
}

std::string mp_tables(const machine& m) {
    constexpr std::size_t pointer_size = 16, at_pointer_sum = 10, at_table_sum = 7;
    const std::string bus = std::string{static_cast<char>(mp_bus), '\0'} + "ISA   ";
    const std::string entries = mp_processors(m) + bus;
    std::string table = "PCMP";
    append(table, static_cast<std::uint16_t>(44 + entries.size()));
    table += '\x04';  // of the specification's version 1.4
    table += '\0';    // sum
    table += "KNC     ";
    table += "knc-vp      ";
    append(table, std::uint32_t{0});  // no table of the manufacturer
    append(table, std::uint16_t{0});
    append(table, static_cast<std::uint16_t>(m.threads + 1));
    append(table, static_cast<std::uint32_t>(base::apic_page));
    append(table, std::uint32_t{0});
    table += entries;
    balance(table, at_table_sum);
    std::string pointer = "_MP_";
    append(pointer, static_cast<std::uint32_t>(mp_base + pointer_size));
    pointer += '\x01';  // length in 16 bytes
    pointer += '\x04';
    pointer += std::string(6, '\0');
    balance(pointer, at_pointer_sum);
    return pointer + table;
}

}  // namespace knc::boot
