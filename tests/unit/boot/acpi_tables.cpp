// ACPI tables, read as a kernel reads them: from the RSDP on, with offsets of the specification.
#include <knc/boot/acpi_tables.h>

#include <cstdint>
#include <cstring>
#include <map>
#include <string>

#include <gtest/gtest.h>

#include <knc/boot/processor_tables.h>

namespace knc::boot {
namespace {

template <typename T>
T at(const std::string& bytes, std::size_t offset) {
    T v{};
    if (offset + sizeof v <= bytes.size()) std::memcpy(&v, bytes.data() + offset, sizeof v);
    return v;
}
unsigned sum(const std::string& bytes) {
    unsigned s = 0;
    for (const char c : bytes) s += static_cast<unsigned char>(c);
    return s & 0xff;
}

machine pc(std::uint32_t threads, std::uint32_t boot = 0) {
    machine m;
    m.memory_size = 256 << 20;
    m.threads = threads;
    m.boot_apic_id = boot;
    m.acpi = true;
    m.uart_port = 0x3f8;
    m.sleep_port = 0x600;
    m.reset_port = 0xf4;
    m.clock = true;
    return m;
}

// The tables by their signatures. Checks sums and places on the way.
std::map<std::string, std::string> tables_of(const machine& m) {
    const std::string all = acpi_tables(m);
    std::map<std::string, std::string> found;
    const auto table = [&](std::uint64_t physical) {
        EXPECT_EQ(physical % 16, 0u);
        const std::string rest = all.substr(physical - acpi_base);
        const std::string t = rest.substr(0, at<std::uint32_t>(rest, 4));
        EXPECT_GE(t.size(), 36u);
        EXPECT_EQ(sum(t), 0u) << t.substr(0, 4);
        found[t.substr(0, 4)] = t;
        return t;
    };
    EXPECT_EQ(all.substr(0, 8), "RSD PTR ");
    EXPECT_EQ(sum(all.substr(0, 20)), 0u);
    EXPECT_EQ(at<std::uint8_t>(all, 15), 2);
    EXPECT_EQ(at<std::uint32_t>(all, 20), 36u);
    EXPECT_EQ(sum(all.substr(0, 36)), 0u);
    const std::string xsdt = table(at<std::uint64_t>(all, 24));
    EXPECT_EQ(xsdt.substr(0, 4), "XSDT");
    for (std::size_t n = 36; n < xsdt.size(); n += 8) table(at<std::uint64_t>(xsdt, n));
    table(at<std::uint64_t>(found["FACP"], 140));
    // Below 1 MB, where a kernel looks for the RSDP, at a multiple of 16.
    EXPECT_EQ(acpi_base % 16, 0u);
    EXPECT_LE(acpi_base + all.size(), 0x100000u);
    return found;
}

TEST(acpi_tables, are_four_besides_the_rsdp) {
    const auto t = tables_of(pc(4));
    std::string names;
    for (const auto& [name, bytes] : t) names += name + ' ';
    EXPECT_EQ(names, "APIC DSDT FACP XSDT ");
}

TEST(acpi_tables, fadt_is_hardware_reduced_with_ports_for_sleep_and_reset) {
    const std::string f = tables_of(pc(4))["FACP"];
    ASSERT_EQ(f.size(), 268u);  // revision 5
    EXPECT_EQ(at<std::uint8_t>(f, 8), 5);
    // No VGA, no MSI; neither legacy devices nor an 8042.
    EXPECT_EQ(at<std::uint16_t>(f, 109), 0x0c);
    // 0 WBINVD, 2 C1, 4 and 5 no fixed buttons, 10 reset register, 12 headless, 20 reduced.
    EXPECT_EQ(at<std::uint32_t>(f, 112), 0x0010'1435u);
    struct {
        std::size_t offset;
        std::uint64_t port;
    } const ports[] = {{116, 0xf4}, {244, 0x600}, {256, 0x601}};
    for (const auto& p : ports) {
        EXPECT_EQ(at<std::uint8_t>(f, p.offset), 1);      // I/O space
        EXPECT_EQ(at<std::uint8_t>(f, p.offset + 1), 8);  // bits
        EXPECT_EQ(at<std::uint8_t>(f, p.offset + 2), 0);  // from bit 0
        EXPECT_EQ(at<std::uint8_t>(f, p.offset + 3), 1);  // access by bytes
        EXPECT_EQ(at<std::uint64_t>(f, p.offset + 4), p.port);
    }
    EXPECT_EQ(at<std::uint8_t>(f, 128), 0);  // what is written to reset
    // None of the blocks that hardware-reduced ACPI has not: PM1a to GPE1, and SCI.
    EXPECT_EQ(f.substr(148, 96), std::string(96, '\0'));
    EXPECT_EQ(f.substr(46, 50), std::string(50, '\0'));
}

TEST(acpi_tables, madt_names_every_thread_and_the_boot_processor_first) {
    for (const std::uint32_t boot : {0u, 224u}) {
        const std::string m = tables_of(pc(228, boot))["APIC"];
        EXPECT_EQ(at<std::uint32_t>(m, 36), 0xfee0'0000u);
        EXPECT_EQ(at<std::uint32_t>(m, 40), 0u);  // no 8259
        ASSERT_EQ(m.size(), 44u + 228 * 8);
        std::map<unsigned, unsigned> seen;
        for (std::size_t n = 0; n < 228; ++n) {
            const std::size_t e = 44 + 8 * n;
            EXPECT_EQ(at<std::uint16_t>(m, e), 0x0800);  // a local APIC, 8 bytes
            EXPECT_EQ(at<std::uint8_t>(m, e + 2), at<std::uint8_t>(m, e + 3));
            EXPECT_EQ(at<std::uint32_t>(m, e + 4), 1u);
            ++seen[at<std::uint8_t>(m, e + 3)];
        }
        EXPECT_EQ(at<std::uint8_t>(m, 47), boot);
        EXPECT_EQ(seen.size(), 228u);
        EXPECT_EQ(seen.rbegin()->first, 227u);
    }
}

// The bytes as an assembler of ACPI's language makes them of
//   Name (_S5, Package () { 5, 5, 0, 0 })
//   Scope (\_SB) { Device (COM1) {
//     Name (_HID, EisaId ("PNP0501"))
//     Name (_CRS, ResourceTemplate () { IO (Decode16, 0x3F8, 0x3F8, 1, 8) }) } }
TEST(acpi_tables, dsdt_has_the_state_s5_and_the_uart) {
    const unsigned char expected[] = {0x08, '_',  'S',  '5',  '_',  0x12, 0x0a, 0x04, 0x0a, 5,
                                      0x0a, 5,    0x0a, 0,    0x0a, 0,  //
                                      0x10, 0x2a, '\\', '_',  'S',  'B',  '_',  0x5b, 0x82, 0x22,
                                      'C',  'O',  'M',  '1',  0x08, '_',  'H',  'I',  'D',  0x0c,
                                      0x41, 0xd0, 0x05, 0x01,  //
                                      0x08, '_',  'C',  'R',  'S',  0x11, 0x0d, 0x0a, 0x0a, 0x47,
                                      0x01, 0xf8, 0x03, 0xf8, 0x03, 0x01, 0x08, 0x79, 0x00};
    const std::string d = tables_of(pc(4))["DSDT"];
    EXPECT_EQ(d.substr(36), std::string(reinterpret_cast<const char*>(expected), sizeof expected));
    EXPECT_EQ(at<std::uint8_t>(d, 8), 2);  // numbers have 64 bits
}

TEST(acpi_tables, of_a_machine_without_ports_name_none) {
    machine m = pc(4);
    m.uart_port = m.sleep_port = m.reset_port = 0;
    m.clock = false;
    auto t = tables_of(m);
    EXPECT_EQ(t["DSDT"].size(), 36u);
    EXPECT_EQ(t["FACP"].substr(116, 12), std::string(12, '\0'));
    EXPECT_EQ(t["FACP"].substr(244), std::string(24, '\0'));
    EXPECT_EQ(at<std::uint16_t>(t["FACP"], 109), 0x2c);          // no RTC either
    EXPECT_EQ(at<std::uint32_t>(t["FACP"], 112), 0x0010'1035u);  // no reset register
}

}  // namespace
}  // namespace knc::boot
