#include <knc/boot/acpi_tables.h>

#include <cstddef>
#include <iterator>

#include <knc/base/address_map.h>
#include <knc/boot/processor_tables.h>
#include <knc/boot/table_bytes.h>

namespace knc::boot {

namespace {

constexpr std::size_t header_size = 36, at_length = 4, at_sum = 9;
constexpr std::size_t rsdp_size = 36, fadt_size = 268;
constexpr std::size_t alignment = 16;

// A table with the header that all but the RSDP have.
std::string acpi_table(const char (&signature)[5], std::uint8_t revision,
                       const std::string& content) {
    std::string t(signature, 4);
    append(t, static_cast<std::uint32_t>(header_size + content.size()));
    append(t, revision);
    t += '\0';  // sum
    t += "KNC   knc-vp  ";
    append(t, std::uint32_t{1});
    t += "KNC ";
    append(t, std::uint32_t{1});
    t += content;
    balance(t, at_sum);
    return t;
}

// ---- DSDT

// An operator whose operands are preceded by their length, below 64 bytes.
std::string aml(const char* op, const std::string& operands) {
    return op + std::string(1, static_cast<char>(operands.size() + 1)) + operands;
}
std::string aml_name(const char* name, const std::string& value) {
    return '\x08' + std::string(name, 4) + value;
}
std::string aml_byte(std::uint8_t v) {
    return std::string{'\x0a', static_cast<char>(v)};
}

// \_S5: the value for each of two registers, and two that are reserved.
std::string sleep_state() {
    const std::string two = aml_byte(soft_off) + aml_byte(soft_off) + aml_byte(0) + aml_byte(0);
    return aml_name("_S5_", aml("\x12", '\x04' + two));
}

// \_SB.COM1: a 16550 (PNP0501) at eight ports, without an interrupt.
std::string uart(std::uint16_t port) {
    std::string resources = "\x47\x01";  // ports, all 16 bits of the address are decoded
    append(resources, port);
    append(resources, port);
    resources += "\x01\x08";                        // alignment, number
    resources += std::string{'\x79', '\0'};         // the end, without a sum
    const std::string id = "\x0c\x41\xd0\x05\x01";  // PNP0501 as a number
    const std::string device =
        "COM1" + aml_name("_HID", id) +
        aml_name("_CRS",
                 aml("\x11", aml_byte(static_cast<std::uint8_t>(resources.size())) + resources));
    return aml("\x10", "\\_SB_" + aml("\x5b\x82", device));
}

std::string dsdt(const machine& m) {
    std::string code;
    if (m.sleep_port != 0) code += sleep_state();
    if (m.uart_port != 0) code += uart(m.uart_port);
    return acpi_table("DSDT", 2, code);
}

// ---- FADT

void store_port(std::string& table, std::size_t at, std::uint16_t port) {
    constexpr std::uint8_t io_space = 1, bits = 8, byte_access = 1;
    table[at] = io_space;
    table[at + 1] = bits;
    table[at + 3] = byte_access;
    store(table, at + 4, std::uint64_t{port});
}

std::string fadt(const machine& m, std::uint64_t dsdt_at) {
    constexpr std::size_t at_profile = 45, at_boot_flags = 109, at_flags = 112, at_reset = 116,
                          at_x_dsdt = 140, at_sleep_control = 244, at_sleep_status = 256;
    constexpr std::uint8_t enterprise_server = 4;
    constexpr std::uint16_t no_vga = 1 << 2, no_msi = 1 << 3, no_rtc = 1 << 5;
    constexpr std::uint32_t wbinvd = 1 << 0, halt = 1 << 2, no_power_button = 1 << 4,
                            no_sleep_button = 1 << 5, reset_register = 1 << 10, headless = 1 << 12,
                            hardware_reduced = 1 << 20;
    std::string t(fadt_size, '\0');
    t[at_profile] = enterprise_server;
    store(t, at_boot_flags, static_cast<std::uint16_t>(no_vga | no_msi | (m.clock ? 0 : no_rtc)));
    std::uint32_t flags =
        wbinvd | halt | no_power_button | no_sleep_button | headless | hardware_reduced;
    if (m.reset_port != 0) {
        flags |= reset_register;
        store_port(t, at_reset, m.reset_port);
    }
    store(t, at_flags, flags);
    store(t, at_x_dsdt, dsdt_at);
    if (m.sleep_port != 0) {
        store_port(t, at_sleep_control, m.sleep_port);
        store_port(t, at_sleep_status, static_cast<std::uint16_t>(m.sleep_port + 1));
    }
    return acpi_table("FACP", 5, t.substr(header_size));
}

// ---- MADT

std::string madt(const machine& m) {
    constexpr std::uint8_t local_apic = 0, entry_size = 8;
    constexpr std::uint32_t enabled = 1;
    std::string t;
    append(t, static_cast<std::uint32_t>(base::apic_page));
    append(t, std::uint32_t{0});  // no 8259
    // The boot processor comes first, as the specification asks.
    for (std::uint32_t n = 0; n < m.threads; ++n) {
        const std::uint32_t id = n == 0 ? m.boot_apic_id : n <= m.boot_apic_id ? n - 1 : n;
        append(t, local_apic);
        append(t, entry_size);
        append(t, static_cast<std::uint8_t>(id));  // of the processor
        append(t, static_cast<std::uint8_t>(id));  // of its local APIC
        append(t, enabled);
    }
    return acpi_table("APIC", 3, t);
}

std::string rsdp(std::uint64_t xsdt_at) {
    constexpr std::size_t at_sum_1 = 8, size_1 = 20, at_sum_2 = 32;
    std::string t = "RSD PTR ";
    t += '\0';  // sum of the first part
    t += "KNC   ";
    t += '\x02';                  // revision
    append(t, std::uint32_t{0});  // no RSDT
    append(t, static_cast<std::uint32_t>(rsdp_size));
    append(t, xsdt_at);
    t.resize(rsdp_size);
    balance(t, at_sum_1, size_1);
    balance(t, at_sum_2);
    return t;
}

}  // namespace

std::string acpi_tables(const machine& m) {
    // The RSDP and the XSDT come first; the latter has the places of two tables.
    const std::size_t xsdt_at = (rsdp_size + alignment - 1) / alignment * alignment;
    std::size_t at = xsdt_at + header_size + 2 * sizeof(std::uint64_t);
    std::string rest;
    const auto put = [&](const std::string& t) {
        const std::size_t start = (at + alignment - 1) / alignment * alignment;
        rest.append(start - at, '\0').append(t);
        at = start + t.size();
        return acpi_base + start;
    };
    std::string places;
    const std::uint64_t dsdt_at = put(dsdt(m));
    append(places, put(fadt(m, dsdt_at)));
    append(places, put(madt(m)));
    std::string tables = rsdp(acpi_base + xsdt_at);
    tables.resize(xsdt_at);
    return tables + acpi_table("XSDT", 1, places) + rest;
}

}  // namespace knc::boot
