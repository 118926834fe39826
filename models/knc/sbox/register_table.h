// The registers of DBOX and SBOX: one line per register.
//
// Models: what software of card and host is known to use. Offsets are those in the host's BAR4, 128
// KB: DBOX at 0, SBOX at 0x10000; in the card's address space the same from 0x8'007C'0000 on. Other
// offsets, those of the DMA channels, sensors and power management among them, have no register.
// Source: mic_x100.h and mic_x100.c of Linux 5.9; micsboxdefine.h and micsboxstruct.h of the card's
// kernel.
#ifndef KNC_SBOX_REGISTER_TABLE_H
#define KNC_SBOX_REGISTER_TABLE_H

#include <array>
#include <cstdint>
#include <string>

#include <knc/sbox/host_interrupts.h>
#include <knc/sbox/identity.h>
#include <knc/sbox/io_apic.h>
#include <knc/sbox/page_table.h>

namespace knc::sbox {

inline constexpr std::uint64_t block_address = 0x8'007c'0000;  // in the card's address space
inline constexpr std::uint32_t block_size = 0x2'0000;
inline constexpr std::uint32_t sbox_base = 0x1'0000;  // in the block; the DBOX is at 0
inline constexpr unsigned first_remote_dma_pin = 17;

// What an access does.
enum class behaviour : std::uint8_t {
    fixed,          // reads its reset value, drops writes
    stored,         // keeps the writable bits
    cleared,        // any write clears it
    clear_by_ones,  // ones written to writable bits clear them
    etc_low,        // the counter as it is, not latched
    etc_high,
    etc_control,  // writable bits kept; 31 freezes the counter
    smpt,         // see page_table
    reset,        // stored; 1 to bit 0 asks for the card's reset
    cause,        // see host_interrupts
    cause_enable,
    cause_clear,
    doorbell,         // stored; bit 31 rings
    redirection_low,  // see io_apic
    redirection_high,
    command_low,  // stored; bit 13 sends
    remote_dma    // stored; a write pulses the I/O APIC's pin
};

struct register_info {
    std::uint32_t offset;
    const char* name;
    std::uint32_t count;   // registers of this name
    std::uint32_t stride;  // bytes from one to the next
    behaviour does;
    std::uint32_t writable;
    // Of register `n` after the bootstrap of the card.
    std::uint32_t (*reset)(const identity&, unsigned n);
    const char* meaning;
};

namespace reset_to {
inline std::uint32_t zero(const identity&, unsigned) {
    return 0;
}
inline std::uint32_t masked(const identity&, unsigned) {
    return entry::masked;
}
inline std::uint32_t window(const identity&, unsigned n) {
    return page_table::reset_value(n);
}
// Digits 1 and 2: the bootstrap waits for an image.
inline std::uint32_t ready(const identity&, unsigned) {
    return '1' | '2' << 8;
}
inline std::uint32_t core_voltage(const identity& i, unsigned) {
    return i.parameters.core_voltage & 0xff;
}
inline std::uint32_t memory_ratio(const identity& i, unsigned) {
    return memory_ratio_code(i.data_rate_mtps);
}
inline std::uint32_t memory_voltage(const identity& i, unsigned) {
    return i.parameters.memory_voltage & 0xff;
}
inline std::uint32_t io_apic_version(const identity& i, unsigned) {
    return (io_apic::pins - 1) << 16 | (i.parameters.io_apic_version & 0xff);
}
inline std::uint32_t core_frequency(const identity& i, unsigned) {
    return sbox::core_frequency(i);
}
inline std::uint32_t current_ratio(const identity& i, unsigned) {
    return sbox::current_ratio(i);
}
}  // namespace reset_to

inline constexpr std::uint32_t all_bits = 0xffff'ffff;
inline constexpr std::uint32_t command_send = 1u << 13, command_writable = 0x0fff;
inline constexpr std::uint32_t etc_freeze = 1u << 31;

inline constexpr std::array register_table = {
    // clang-format off
    // offset              name            n   stride  behaviour                    writable                   reset                      meaning
    register_info{0x0'242c, "POSTCODE",       1, 4, behaviour::stored,           all_bits,                  reset_to::ready,           "POST code, two ASCII characters from the right; \"12\": the bootstrap waits for an image"},
    register_info{0x1'1070, "PMU_PERIOD_SEL", 1, 4, behaviour::stored,           all_bits,                  reset_to::zero,            "kept, without effect"},
    register_info{0x1'1074, "ELAPSED_TIME_LOW",  1, 4, behaviour::etc_low,       0,                         reset_to::zero,            "elapsed time counter, lower half: adds 32 every 64 ns"},
    register_info{0x1'1078, "ELAPSED_TIME_HIGH", 1, 4, behaviour::etc_high,      0,                         reset_to::zero,            "upper half; a read of one half does not hold the other"},
    register_info{0x1'107c, "THERMAL_STATUS_INTERRUPT", 1, 4, behaviour::etc_control, etc_freeze,           reset_to::zero,            "31 stops the elapsed time counter; thermal bits not modelled"},
    register_info{0x1'3090, "MCX_CTL",        1, 4, behaviour::stored,           all_bits,                  reset_to::zero,            "machine check enables, without effect"},
    register_info{0x1'3098, "MCX_STATUS",     2, 4, behaviour::cleared,          0,                         reset_to::zero,            "no machine check occurs"},
    register_info{0x1'30a0, "MCX_ADDR",       2, 4, behaviour::cleared,          0,                         reset_to::zero,            "as MCX_STATUS"},
    register_info{0x1'30a8, "MCX_MISC",       2, 4, behaviour::cleared,          0,                         reset_to::zero,            "as MCX_STATUS"},
    register_info{0x1'3100, "SMPT",          32, 4, behaviour::smpt,             page_table::writable,      reset_to::window,          "window n of 16 GB at 0x80'0000'0000: 31:2 host address / 16 GB, 0 no snoop (without effect)"},
    register_info{0x1'4010, "RGCR",           1, 4, behaviour::reset,            all_bits,                  reset_to::zero,            "1 to bit 0 resets the card"},
    register_info{0x1'402c, "CURRENTRATIO",   1, 4, behaviour::fixed,            0,                         reset_to::current_ratio,   "ratio of the core clock: 11:0 now, 27:16 goal"},
    register_info{0x1'4100, "COREFREQ",       1, 4, behaviour::fixed,            0,                         reset_to::core_frequency,  "11:0 programmed ratio, 16 asynchronous, 31 in force"},
    register_info{0x1'4104, "COREVOLT",       1, 4, behaviour::fixed,            0,                         reset_to::core_voltage,    "7:0 voltage code"},
    register_info{0x1'4108, "MEMORYFREQ",     1, 4, behaviour::fixed,            0,                         reset_to::memory_ratio,    "11:0 ratio of the memory clock; place unverified"},
    register_info{0x1'410c, "MEMVOLT",        1, 4, behaviour::fixed,            0,                         reset_to::memory_voltage,  "7:0 voltage code"},
    register_info{0x1'9004, "SICR0",          1, 4, behaviour::cause,            host_interrupts::sources,  reset_to::zero,            "causes of the host's interrupt: 3:0 doorbells; ones clear"},
    register_info{0x1'900c, "SICE0",          1, 4, behaviour::cause_enable,     host_interrupts::sources,  reset_to::zero,            "enabled causes; ones set"},
    register_info{0x1'9010, "SICC0",          1, 4, behaviour::cause_clear,      host_interrupts::sources,  reset_to::zero,            "reads as SICE0; ones clear bits of SICE0"},
    register_info{0x1'9014, "SIAC0",          1, 4, behaviour::stored,           host_interrupts::sources,  reset_to::zero,            "automatic clearing with MSI-X, without effect"},
    register_info{0x1'9044, "MXAR",          16, 4, behaviour::stored,           all_bits,                  reset_to::zero,            "causes to MSI-X vectors, without effect"},
    register_info{0x1'9084, "MSIXPBACR",      1, 4, behaviour::stored,           all_bits,                  reset_to::zero,            "MSI-X pending bits, without effect"},
    register_info{0x1'a800, "APICIDR",        1, 4, behaviour::stored,           0x0f00'0000,               reset_to::zero,            "I/O APIC: 27:24 ID"},
    register_info{0x1'a804, "APICVER",        1, 4, behaviour::fixed,            0,                         reset_to::io_apic_version, "23:16 last entry, 7:0 version"},
    register_info{0x1'a840, "APICRT",        26, 8, behaviour::redirection_low,  io_apic::low_writable,     reset_to::masked,          "entry n: 7:0 vector, 10:8 mode, 11 logical, 13 active low, 14 remote IRR, 15 level, 16 mask, 17 requests"},
    register_info{0x1'a844, "APICRT_HIGH",   26, 8, behaviour::redirection_high, io_apic::high_writable,    reset_to::zero,            "15:0 destination"},
    register_info{0x1'a9d0, "APICICR",        8, 8, behaviour::command_low,      command_writable,          reset_to::zero,            "interrupt command: 7:0 vector, 10:8 mode, 11 logical; 13 sends and reads 0"},
    register_info{0x1'a9d4, "APICICR_HIGH",   8, 8, behaviour::stored,           io_apic::high_writable,    reset_to::zero,            "15:0 destination"},
    register_info{0x1'ab00, "MCA_INT_STAT",   1, 4, behaviour::clear_by_ones,    all_bits,                  reset_to::zero,            "machine check sources; none is modelled"},
    register_info{0x1'ab04, "MCA_INT_EN",     1, 4, behaviour::stored,           all_bits,                  reset_to::zero,            "enables of MCA_INT_STAT"},
    register_info{0x1'ab20, "SPAD",          16, 4, behaviour::stored,           all_bits,                  scratchpad,                "scratchpads; what they tell below"},
    register_info{0x1'b180, "RDMASR",         8, 4, behaviour::remote_dma,       all_bits,                  reset_to::zero,            "a write of any value pulses pin 17 + n of the I/O APIC"},
    register_info{0x1'cc90, "SDBIC",          4, 4, behaviour::doorbell,         all_bits,                  reset_to::zero,            "doorbell n to the host: each write with bit 31 sets cause n; all bits are kept"},
    // clang-format on
};

// The register at `offset`, a multiple of 4, and which of its name it is; info nullptr: none.
struct place {
    const register_info* info = nullptr;
    unsigned index = 0;
};
place find_register(std::uint32_t offset);

// The table as Markdown, for docs/sbox.md, with the reset values of a 3120A.
std::string register_page();

}  // namespace knc::sbox

#endif
