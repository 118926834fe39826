#include <knc/sbox/register_table.h>

#include <fmt/format.h>

#include <knc/sbox/registers.h>

namespace knc::sbox {

namespace {

constexpr unsigned first_remote_dma_pin = 17;
constexpr std::uint32_t high_half = 4;  // offset of the upper register of a pair from the lower one
constexpr std::uint32_t command_send = 1u << 13, command_writable = 0x0fff;
constexpr std::uint32_t etc_freeze = 1u << 31;
constexpr std::uint32_t reset_request = 1u << 0;
constexpr unsigned sendable_commands = 1u << mode::fixed | 1u << mode::lowest_priority |
                                       1u << mode::smi | 1u << mode::nmi | 1u << mode::init |
                                       1u << mode::startup;

}  // namespace

// The effects of accesses.
struct register_behaviour {
    using place = register_row::place;
    using behaviour = register_row::behaviour;
    using word = std::uint32_t;

    static void clear(registers& r, const place& p, word) { r.stored(p) = 0; }
    static void clear_ones(registers& r, const place& p, word v) {
        r.stored(p) &= ~(v & p.row->writable);
    }

    // Returns the present value of the counter, not a latched one.
    static word read_etc_low(const registers& r, const place& p) {
        return static_cast<word>(r.etc_.value(p.now));
    }
    static word read_etc_high(const registers& r, const place& p) {
        return static_cast<word>(r.etc_.value(p.now) >> 32);
    }
    static void control_etc(registers& r, const place& p, word v) {
        r.keep(p, v);
        r.etc_.freeze((v & etc_freeze) != 0, p.now);
    }

    static word read_smpt(const registers& r, const place& p) { return r.smpt_.read(p.index); }
    static void write_smpt(registers& r, const place& p, word v) { r.smpt_.write(p.index, v); }

    static void ask_for_reset(registers& r, const place& p, word v) {
        r.keep(p, v);
        if ((v & reset_request) != 0) r.outputs_.request_reset();
    }

    static word read_causes(const registers& r, const place&) { return r.host_.causes(); }
    static void clear_causes(registers& r, const place& p, word v) {
        r.host_.clear_causes(v & p.row->writable);
    }
    static word read_enables(const registers& r, const place&) { return r.host_.enables(); }
    static void set_enables(registers& r, const place& p, word v) {
        r.host_.set_enables(v & p.row->writable);
    }
    static void clear_enables(registers& r, const place& p, word v) {
        r.host_.clear_enables(v & p.row->writable);
    }
    static void ring(registers& r, const place& p, word v) {
        r.keep(p, v);
        if ((v & host_interrupts::request) != 0) r.host_.ring(p.index);
    }

    static word read_low(const registers& r, const place& p) { return r.io_apic_.low(p.index); }
    static void write_low(registers& r, const place& p, word v) {
        r.io_apic_.write_low(p.index, v);
    }
    static word read_high(const registers& r, const place& p) { return r.io_apic_.high(p.index); }
    static void write_high(registers& r, const place& p, word v) {
        r.io_apic_.write_high(p.index, v);
    }
    static void command(registers& r, const place& p, word v) {
        r.keep(p, v);
        if ((v & command_send) == 0) return;
        const interrupt i = interrupt_of(v, r.stored_[(p.address() + high_half) / 4]);
        if ((sendable_commands >> i.mode & 1) != 0) r.outputs_.send(i, p.now);
    }
    static void pulse(registers& r, const place& p, word v) {
        r.keep(p, v);
        r.io_apic_.pulse(first_remote_dma_pin + p.index);
    }

    static constexpr behaviour fixed{}, stored{};
    static constexpr behaviour cleared{nullptr, clear}, clear_by_ones{nullptr, clear_ones};
    static constexpr behaviour etc_low{read_etc_low}, etc_high{read_etc_high};
    static constexpr behaviour etc_control{nullptr, control_etc};
    static constexpr behaviour smpt{read_smpt, write_smpt};
    static constexpr behaviour reset{nullptr, ask_for_reset};
    static constexpr behaviour cause{read_causes, clear_causes};
    static constexpr behaviour cause_enable{read_enables, set_enables};
    static constexpr behaviour cause_clear{read_enables, clear_enables};
    static constexpr behaviour doorbell{nullptr, ring};
    static constexpr behaviour redirection_low{read_low, write_low};
    static constexpr behaviour redirection_high{read_high, write_high};
    static constexpr behaviour command_low{nullptr, command};
    static constexpr behaviour remote_dma{nullptr, pulse};
};

namespace {

namespace reset_to {
std::uint32_t window(const identity&, unsigned n) {
    return page_table::reset_value(n);
}
// Two digits, '1' and '2': the bootstrap waits for an image.
std::uint32_t ready(const identity&, unsigned) {
    return '1' | '2' << 8;
}
std::uint32_t core_voltage(const identity& i, unsigned) {
    return i.parameters.core_voltage & 0xff;
}
std::uint32_t memory_ratio(const identity& i, unsigned) {
    return memory_ratio_code(i.data_rate_mtps);
}
std::uint32_t memory_voltage(const identity& i, unsigned) {
    return i.parameters.memory_voltage & 0xff;
}
std::uint32_t io_apic_version(const identity& i, unsigned) {
    return (io_apic::pins - 1) << 16 | (i.parameters.io_apic_version & 0xff);
}
std::uint32_t core_frequency(const identity& i, unsigned) {
    return sbox::core_frequency(i);
}
std::uint32_t current_ratio(const identity& i, unsigned) {
    return sbox::current_ratio(i);
}
}  // namespace reset_to

using does = register_behaviour;
constexpr auto rw = base::register_access::read_write, ro = base::register_access::read_only;

// clang-format off
constexpr register_row rows[] = {
    // offset    name                     access writable               reset                      does                     meaning, and for several registers: number, stride
    {0x0'242c, "POSTCODE",                 rw, all_bits,                  reset_to::ready,           does::stored,            "POST code, two ASCII characters from the right; \"12\": the bootstrap waits for an image"},
    {0x1'1070, "PMU_PERIOD_SEL",           rw, all_bits,                  0,                         does::stored,            "kept, without effect"},
    {0x1'1074, "ELAPSED_TIME_LOW",         ro, 0,                         0,                         does::etc_low,           "elapsed time counter, lower half: adds 32 every 64 ns"},
    {0x1'1078, "ELAPSED_TIME_HIGH",        ro, 0,                         0,                         does::etc_high,          "upper half; a read of one half does not hold the other"},
    {0x1'107c, "THERMAL_STATUS_INTERRUPT", rw, etc_freeze,                0,                         does::etc_control,       "31 stops the elapsed time counter; thermal bits not modelled"},
    {0x1'3090, "MCX_CTL",                  rw, all_bits,                  0,                         does::stored,            "machine check enables, without effect"},
    {0x1'3098, "MCX_STATUS",               rw, 0,                         0,                         does::cleared,           "no machine check occurs", 2, 4},
    {0x1'30a0, "MCX_ADDR",                 rw, 0,                         0,                         does::cleared,           "as MCX_STATUS", 2, 4},
    {0x1'30a8, "MCX_MISC",                 rw, 0,                         0,                         does::cleared,           "as MCX_STATUS", 2, 4},
    {0x1'3100, "SMPT",                     rw, page_table::writable,      reset_to::window,          does::smpt,              "window n of 16 GB at 0x80'0000'0000: 31:2 host address / 16 GB, 0 no snoop (without effect)", 32, 4},
    {0x1'4010, "RGCR",                     rw, all_bits,                  0,                         does::reset,             "1 to bit 0 resets the card"},
    {0x1'402c, "CURRENTRATIO",             ro, 0,                         reset_to::current_ratio,   does::fixed,             "ratio of the core clock: 11:0 now, 27:16 goal"},
    {0x1'4100, "COREFREQ",                 ro, 0,                         reset_to::core_frequency,  does::fixed,             "11:0 programmed ratio, 16 asynchronous, 31 in force"},
    {0x1'4104, "COREVOLT",                 ro, 0,                         reset_to::core_voltage,    does::fixed,             "7:0 voltage code"},
    {0x1'4108, "MEMORYFREQ",               ro, 0,                         reset_to::memory_ratio,    does::fixed,             "11:0 ratio of the memory clock; place unverified"},
    {0x1'410c, "MEMVOLT",                  ro, 0,                         reset_to::memory_voltage,  does::fixed,             "7:0 voltage code"},
    {0x1'9004, "SICR0",                    rw, host_interrupts::sources,  0,                         does::cause,             "causes of the host's interrupt: 3:0 doorbells; ones clear"},
    {0x1'900c, "SICE0",                    rw, host_interrupts::sources,  0,                         does::cause_enable,      "enabled causes; ones set"},
    {0x1'9010, "SICC0",                    rw, host_interrupts::sources,  0,                         does::cause_clear,       "reads as SICE0; ones clear bits of SICE0"},
    {0x1'9014, "SIAC0",                    rw, host_interrupts::sources,  0,                         does::stored,            "automatic clearing with MSI-X, without effect"},
    {0x1'9044, "MXAR",                     rw, all_bits,                  0,                         does::stored,            "causes to MSI-X vectors, without effect", 16, 4},
    {0x1'9084, "MSIXPBACR",                rw, all_bits,                  0,                         does::stored,            "MSI-X pending bits, without effect"},
    {0x1'a800, "APICIDR",                  rw, 0x0f00'0000,               0,                         does::stored,            "I/O APIC: 27:24 ID"},
    {0x1'a804, "APICVER",                  ro, 0,                         reset_to::io_apic_version, does::fixed,             "23:16 last entry, 7:0 version"},
    {0x1'a840, "APICRT",                   rw, io_apic::low_writable,     entry::masked,             does::redirection_low,   "entry n: 7:0 vector, 10:8 mode, 11 logical, 13 active low, 14 remote IRR, 15 level, 16 mask, 17 requests", 26, 8},
    {0x1'a844, "APICRT_HIGH",              rw, io_apic::high_writable,    0,                         does::redirection_high,  "15:0 destination", 26, 8},
    {0x1'a9d0, "APICICR",                  rw, command_writable,          0,                         does::command_low,       "interrupt command: 7:0 vector, 10:8 mode, 11 logical; 13 sends and reads 0", 8, 8},
    {0x1'a9d4, "APICICR_HIGH",             rw, io_apic::high_writable,    0,                         does::stored,            "15:0 destination", 8, 8},
    {0x1'ab00, "MCA_INT_STAT",             rw, all_bits,                  0,                         does::clear_by_ones,     "machine check sources; none is modelled"},
    {0x1'ab04, "MCA_INT_EN",               rw, all_bits,                  0,                         does::stored,            "enables of MCA_INT_STAT"},
    {0x1'ab20, "SPAD",                     rw, all_bits,                  scratchpad,                does::stored,            "scratchpads; what they tell below", 16, 4},
    {0x1'b180, "RDMASR",                   rw, all_bits,                  0,                         does::remote_dma,        "a write of any value pulses pin 17 + n of the I/O APIC", 8, 4},
    {0x1'cc90, "SDBIC",                    rw, all_bits,                  0,                         does::doorbell,          "doorbell n to the host: each write with bit 31 sets cause n; all bits are kept", 4, 4},
};
// clang-format on
static_assert(base::in_order(rows));
constexpr base::register_table<register_row> table{rows};

}  // namespace

const base::register_table<register_row>& register_table() {
    return table;
}

namespace {

std::string offset_text(const register_row& r) {
    const bool dbox = r.address < sbox_base;
    std::string text =
        fmt::format("{} 0x{:04X}", dbox ? "DBOX" : "SBOX", r.address - (dbox ? 0 : sbox_base));
    if (r.count > 1) text += fmt::format(" + {}n", r.stride);
    return text;
}

std::string reset_text(const register_row& r, const identity& card) {
    if (r.reset == reset_to::window) return "4n";
    if (r.reset == scratchpad) return "below";
    return fmt::format("0x{:08X}", r.reset(card, 0));
}

}  // namespace

std::string register_page() {
    const identity card;
    std::string text =
        "| offset | register | n | reset on a 3120A | writable | meaning |\n"
        "|---|---|---|---|---|---|\n";
    for (const register_row& r : register_table())
        text += fmt::format("| {} | {} | {} | {} | 0x{:08X} | {} |\n", offset_text(r), r.name,
                            r.count, reset_text(r, card), r.writable, r.meaning);
    text += "\n| scratchpad | on a 3120A |\n|---|---|\n";
    for (unsigned n = 0; n < 16; ++n)
        if (const std::uint32_t value = scratchpad(card, n))
            text += fmt::format("| {} | 0x{:08X} |\n", n, value);
    return text;
}

}  // namespace knc::sbox
