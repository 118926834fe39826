#include <knc/pmu/perfmon_registers.h>

#include <knc/pmu/knc_registers.h>
#include <knc/pmu/perfmon_front_end.h>

namespace knc::pmu {

namespace {

// IA32_PERF_CAPABILITIES: PEBS is trap-like, saves the registers, has format 4 and a baseline; no
// record format of LBR.
constexpr unsigned full_width_write = 13;
constexpr std::uint64_t with_pebs = base::bit(6) | base::bit(7) | 4u << 8 | base::bit(14);
// IA32_MISC_ENABLE: fast strings, performance monitoring available, BTS and PEBS unavailable.
constexpr unsigned no_pebs = 12;
constexpr std::uint64_t misc_enable =
    base::bit(0) | base::bit(7) | base::bit(11) | base::bit(no_pebs);

std::uint64_t capabilities_of(const perfmon_parameters& p, unsigned) {
    return (p.full_width ? base::bit(full_width_write) : 0) | (p.pebs ? with_pebs : 0);
}

std::uint64_t misc_of(const perfmon_parameters& p, unsigned) {
    return p.pebs ? misc_enable & ~base::bit(no_pebs) : misc_enable;
}

bool is_canonical(std::uint64_t address) {
    constexpr unsigned unused = 16;
    return static_cast<std::int64_t>(address << unused) >> unused ==
           static_cast<std::int64_t>(address);
}

// Bits 31:0, bit 31 also in 47:32.
constexpr std::uint64_t sign_extended(std::uint64_t value) {
    const std::uint64_t low = value & base::mask(32);
    return base::test(value, 31) ? low | (base::mask(perfmon::width) & ~base::mask(32)) : low;
}

}  // namespace

// Those behaviours that are not usual.
struct perfmon_register_behaviour : perfmon_front_end::common_behaviour {
    using bank = perfmon_front_end::bank;

    static void write_low_half(device& d, const place& p, std::uint64_t v) {
        write_counter<0>(d, p, sign_extended(v));
    }
    static std::uint64_t read_zero(const device&, const place&) { return 0; }
    static std::uint64_t read_capabilities(const device& d, const place&) {
        return capabilities_of(d.parameters_.perfmon, 0);
    }
    static std::uint64_t read_misc_enable(const device& d, const place&) {
        return misc_of(d.parameters_.perfmon, 0);
    }
    static bool accepts_address(const device&, std::uint64_t v) { return is_canonical(v); }
    static void write_nothing(device&, const place&, std::uint64_t) {}

    static constexpr behaviour general{read_counter<0>, write_low_half};
    static constexpr behaviour misc{read_misc_enable, write_nothing};
    static constexpr behaviour debug = kept<&bank::debug_control>;
    static constexpr behaviour capabilities{read_capabilities};
    static constexpr behaviour fixed_control = kept<&bank::fixed_control>;
    static constexpr behaviour status = shown_only<&bank::status>;
    static constexpr behaviour control = kept<&bank::global_control>;
    static constexpr behaviour clears{read_zero, clear_status};
    static constexpr behaviour area{read_bank<&bank::debug_store>, write_bank<&bank::debug_store>,
                                    accepts_address};
    static constexpr behaviour pebs_enable = kept<&bank::pebs_enable>;
    static constexpr behaviour pebs_config = kept<&bank::pebs_config>;
};

namespace {

using does = perfmon_register_behaviour;
constexpr auto rw = base::register_access::read_write, ro = base::register_access::read_only;
constexpr bool threaded = true, shared = false;
constexpr unsigned general = perfmon::general_counters, fixed = perfmon::fixed_counters;
constexpr std::uint64_t all = base::mask(64), count_bits = base::mask(perfmon::width);
constexpr std::uint64_t any = base::bit(event_select::any_thread);
constexpr std::uint64_t fixed_any = 0x444, fixed_all = 0xfff;
constexpr std::uint64_t adaptive = base::bit(perfmon::adaptive);
constexpr std::uint64_t fixed_adaptive = std::uint64_t{0x111} << perfmon::fixed_adaptive;
constexpr std::uint64_t debug_bits =
    base::bit(perfmon::step_branches) | base::bit(perfmon::freeze_on_pmi);
constexpr std::uint64_t clear_bits =
    perfmon::counter_bits | base::bit(perfmon::buffer_full) | base::bit(perfmon::condition_changed);
constexpr auto if_full_width = &perfmon_parameters::full_width;
constexpr auto if_pebs = &perfmon_parameters::pebs;

// clang-format off
constexpr perfmon_register rows[] = {
    // address  name                    access writable                reset does                meaning                                                                          count    width           threaded  from version 3, with PEBS, exists if
    {{0x010, "IA32_TIME_STAMP_COUNTER",  rw, all,                      0,    does::time_stamp,   "core clocks since reset; not affected by GLOBAL_CTRL"},                                      64, shared},
    {{0x0C1, "IA32_PMC",                 rw, all,                      0,    does::general,      "general counter; a write sets 31:0 and copies bit 31 to 47:32", general},                    perfmon::width, threaded},
    {{0x186, "IA32_PERFEVTSEL",          rw, base::mask(32) | adaptive, 0,   does::select<0>,    "what a general counter counts; 34: its record has the groups of MSR_PEBS_DATA_CFG", general}, 64, threaded, any, adaptive},
    {{0x1A0, "IA32_MISC_ENABLE",         rw, misc_enable,        misc_of,    does::misc,         "0: fast strings, 7: performance monitoring, 11: no BTS, 12: no PEBS; writes have no effect"}, 64, threaded},
    {{0x1D9, "IA32_DEBUGCTL",            rw, debug_bits,               0,    does::debug,        "1: TF traps after taken branches only, 12: a PMI clears GLOBAL_CTRL"},                        64, threaded},
    {{0x309, "IA32_FIXED_CTR",           rw, count_bits,               0,    does::count<general>, "fixed counter: 0 instructions, 1 core cycles, 2 reference cycles", fixed},                 perfmon::width, threaded},
    {{0x345, "IA32_PERF_CAPABILITIES",   ro, 0,          capabilities_of,    does::capabilities, "7:6 and 11:8 PEBS, 13: the registers from 0x4C1 on exist, 14: baseline; no LBR"},             64, threaded},
    {{0x38D, "IA32_FIXED_CTR_CTRL",      rw, fixed_all | fixed_adaptive, 0,  does::fixed_control, "4j: OS, 4j+1: USR, 4j+2: any thread, 4j+3: PMI of fixed counter j; 32+4j: as bit 34 of an event select"}, 64, threaded, fixed_any, fixed_adaptive},
    {{0x38E, "IA32_PERF_GLOBAL_STATUS",  ro, 0,                        0,    does::status,       "i: general counter i overflowed, 32+j: fixed counter j, 62: records at the threshold; sticky"}, 64, threaded},
    {{0x38F, "IA32_PERF_GLOBAL_CTRL",    rw, perfmon::counter_bits, perfmon::general_bits, does::control, "i: general counter i may count, 32+j: fixed counter j"},                            64, threaded},
    {{0x390, "IA32_PERF_GLOBAL_OVF_CTRL", rw, clear_bits,              0,    does::clears,       "writing 1 clears the status bit; reads 0"},                                                  64, threaded},
    {{0x3F1, "IA32_PEBS_ENABLE",         rw, perfmon::counter_bits,    0,    does::pebs_enable,  "i: an overflow of general counter i makes a record, 32+j: of fixed counter j"},               64, threaded, 0, 0, if_pebs},
    {{0x3F2, "MSR_PEBS_DATA_CFG",        rw, perfmon::pebs_config::bits, 0,  does::pebs_config,  "groups of a record: 0 memory, 1 general registers, 2 XMM, 3 LBR, 31:24 LBR entries - 1"},     64, threaded, 0, 0, if_pebs},
    {{0x4C1, "IA32_A_PMC",               rw, count_bits,               0,    does::count<0>,     "the same counter as IA32_PMC; a write sets all bits", general},                              perfmon::width, threaded, 0, 0, if_full_width},
    {{0x600, "IA32_DS_AREA",             rw, all,                      0,    does::area,         "linear address of the DS area: buffer of records, reset values of the counters"},             64, threaded, 0, 0, if_pebs},
};
// clang-format on
static_assert(base::in_order(rows));
constexpr base::register_table<perfmon_register> table{rows};

}  // namespace

const base::register_table<perfmon_register>& perfmon_registers() {
    return table;
}

}  // namespace knc::pmu
