#include <knc/pmu/perfmon_registers.h>

#include <knc/pmu/knc_registers.h>
#include <knc/pmu/perfmon_front_end.h>

namespace knc::pmu {

namespace {

// IA32_PERF_CAPABILITIES: no record format of LBR and PEBS.
constexpr unsigned full_width_write = 13;
// IA32_MISC_ENABLE: fast strings, performance monitoring available, BTS and PEBS unavailable.
constexpr std::uint64_t misc_enable = base::bit(0) | base::bit(7) | base::bit(11) | base::bit(12);

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
        return d.parameters_.perfmon.full_width ? base::bit(full_width_write) : 0;
    }
    static std::uint64_t read_misc_enable(const device&, const place&) { return misc_enable; }
    static void write_nothing(device&, const place&, std::uint64_t) {}

    static constexpr behaviour general{read_counter<0>, write_low_half};
    static constexpr behaviour misc{read_misc_enable, write_nothing};
    static constexpr behaviour debug = kept<&bank::debug_control>;
    static constexpr behaviour capabilities{read_capabilities};
    static constexpr behaviour fixed_control = kept<&bank::fixed_control>;
    static constexpr behaviour status = shown_only<&bank::status>;
    static constexpr behaviour control = kept<&bank::global_control>;
    static constexpr behaviour clears{read_zero, clear_status};
};

namespace {

using does = perfmon_register_behaviour;
constexpr auto rw = base::register_access::read_write, ro = base::register_access::read_only;
constexpr bool threaded = true, shared = false;
constexpr unsigned general = perfmon::general_counters, fixed = perfmon::fixed_counters;
constexpr std::uint64_t all = base::mask(64), count_bits = base::mask(perfmon::width);
constexpr std::uint64_t any = base::bit(event_select::any_thread);
constexpr std::uint64_t fixed_any = 0x444, fixed_all = 0xfff;
constexpr std::uint64_t freeze = base::bit(perfmon::freeze_on_pmi);
constexpr std::uint64_t clear_bits = perfmon::counter_bits | base::bit(62) | base::bit(63);

// clang-format off
constexpr perfmon_register rows[] = {
    // address  name                    access writable                reset does                meaning                                                                          count    width           threaded  from version 3
    {{0x010, "IA32_TIME_STAMP_COUNTER",  rw, all,                      0,    does::time_stamp,   "core clocks since reset; not affected by GLOBAL_CTRL"},                                      64, shared},
    {{0x0C1, "IA32_PMC",                 rw, all,                      0,    does::general,      "general counter; a write sets 31:0 and copies bit 31 to 47:32", general},                    perfmon::width, threaded},
    {{0x186, "IA32_PERFEVTSEL",          rw, base::mask(32),           0,    does::select<0>,    "what a general counter counts", general},                                                    32, threaded, any},
    {{0x1A0, "IA32_MISC_ENABLE",         rw, misc_enable,  misc_enable,      does::misc,         "0: fast strings, 7: performance monitoring, 11: no BTS, 12: no PEBS; writes have no effect"}, 64, threaded},
    {{0x1D9, "IA32_DEBUGCTL",            rw, freeze,                   0,    does::debug,        "12: a PMI clears GLOBAL_CTRL"},                                                              64, threaded},
    {{0x309, "IA32_FIXED_CTR",           rw, count_bits,               0,    does::count<general>,  "fixed counter: 0 instructions, 1 core cycles, 2 reference cycles", fixed},                   perfmon::width, threaded},
    {{0x345, "IA32_PERF_CAPABILITIES",   ro, 0,       base::bit(full_width_write), does::capabilities, "13: the registers from 0x4C1 on exist; no LBR, no PEBS"},                               64, threaded},
    {{0x38D, "IA32_FIXED_CTR_CTRL",      rw, fixed_all,                0,    does::fixed_control, "4j: OS, 4j+1: USR, 4j+2: any thread, 4j+3: PMI of fixed counter j"},                        64, threaded, fixed_any},
    {{0x38E, "IA32_PERF_GLOBAL_STATUS",  ro, 0,                        0,    does::status,       "i: general counter i overflowed, 32+j: fixed counter j; sticky"},                            64, threaded},
    {{0x38F, "IA32_PERF_GLOBAL_CTRL",    rw, perfmon::counter_bits, perfmon::general_bits, does::control, "i: general counter i may count, 32+j: fixed counter j"},                            64, threaded},
    {{0x390, "IA32_PERF_GLOBAL_OVF_CTRL", rw, clear_bits,              0,    does::clears,       "writing 1 clears the status bit; reads 0"},                                                  64, threaded},
    {{0x4C1, "IA32_A_PMC",               rw, count_bits,               0,    does::count<0>, "the same counter as IA32_PMC; a write sets all bits", general},                              perfmon::width, threaded, 0, true},
};
// clang-format on
static_assert(base::in_order(rows));
constexpr base::register_table<perfmon_register> table{rows};

}  // namespace

const base::register_table<perfmon_register>& perfmon_registers() {
    return table;
}

}  // namespace knc::pmu
