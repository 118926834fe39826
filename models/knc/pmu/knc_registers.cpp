#include <knc/pmu/knc_registers.h>

#include <knc/pmu/event_table.h>
#include <knc/pmu/knc_front_end.h>

namespace knc::pmu {

selection event_select::conditions(std::uint64_t value) {
    selection s;
    s.supervisor = base::test(value, os);
    s.user = base::test(value, usr);
    s.all_threads = base::test(value, any_thread);
    s.threshold = static_cast<std::uint8_t>(base::bits(value, 31, 24));
    s.invert = base::test(value, invert);
    s.edge = base::test(value, edge);
    return s;
}

selection event_select::decode(std::uint64_t value) {
    selection s = conditions(value);
    s.event = find_event(static_cast<std::uint8_t>(base::bits(value, 7, 0)),
                         static_cast<std::uint8_t>(base::bits(value, 15, 8)));
    return s;
}

// Those behaviours that are not usual.
struct knc_register_behaviour : knc_front_end::common_behaviour {
    using bank = knc_front_end::bank;

    static constexpr behaviour spflt = kept<&bank::spflt>;
    static constexpr behaviour status = shown_only<&bank::status>;
    static constexpr behaviour clears{nullptr, clear_status};
    static constexpr behaviour control = kept<&bank::global_ctrl>;
};

namespace {

using does = knc_register_behaviour;
constexpr auto rw = base::register_access::read_write, ro = base::register_access::read_only,
               wo = base::register_access::write_only;
constexpr bool threaded = true, shared = false;
constexpr std::uint64_t all = base::mask(64), count_bits = base::mask(counter_width);
constexpr std::uint64_t select_bits = base::mask(32) & ~base::bit(event_select::reserved);
constexpr std::uint64_t spflt_bits = base::bit(spflt_control::user_pref) | counter_bits;

// clang-format off
constexpr knc_register rows[] = {
    // address  name                    access writable  reset does             meaning                                                                                                     width
    {{0x10, "IA32_TIME_STAMP_COUNTER",      rw, all,          0, does::time_stamp, "core clocks since reset; not affected by GLOBAL_CTRL"}, 64, shared},
    {{0x20, "IA32_PerfCntr0",               rw, count_bits,   0, does::count<0>,   "event count"}, counter_width, threaded},
    {{0x21, "IA32_PerfCntr1",               rw, count_bits,   0, does::count<1>,   "event count"}, counter_width, threaded},
    {{0x28, "IA32_PerfEvtSel0",             rw, select_bits,  0, does::select<0>,  "what counter 0 counts"}, 32, threaded},
    {{0x29, "IA32_PerfEvtSel1",             rw, select_bits,  0, does::select<1>,  "what counter 1 counts"}, 32, threaded},
    {{0x2C, "PERF_SPFLT_CONTROL",           rw, spflt_bits,   0, does::spflt,      "63: USER_PREF, set and cleared by SPFLT; N: counter N counts only while USER_PREF is 1"}, 64, threaded},
    {{0x2D, "IA32_PERF_GLOBAL_STATUS",      ro, counter_bits, 0, does::status,     "N: counter N overflowed; sticky"}, 32, threaded},
    {{0x2E, "IA32_PERF_GLOBAL_OVF_CONTROL", wo, counter_bits, 0, does::clears,     "writing 1 to N clears status bit N"}, 32, threaded},
    {{0x2F, "IA32_PERF_GLOBAL_CTRL",        rw, counter_bits, 0, does::control,    "N: counter N may count"}, 32, threaded},
};
// clang-format on
static_assert(base::in_order(rows));
constexpr base::register_table<knc_register> table{rows};

}  // namespace

const base::register_table<knc_register>& knc_registers() {
    return table;
}

}  // namespace knc::pmu
