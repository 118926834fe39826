// The register front end of the Knights Corner core PMU: which MSR holds what.
//
// Models: the nine MSRs of a thread's view (address, name, width, access, writable bits, reset
// value) and the layout of the event-select register. What the registers do is in knc/pmu/unit.h.
// Source: Intel 327357-001, tables 1-2 to 1-10.
#ifndef KNC_PMU_KNC_REGISTERS_H
#define KNC_PMU_KNC_REGISTERS_H

#include <array>
#include <cstddef>
#include <cstdint>

#include <knc/base/bits.h>
#include <knc/pmu/counter.h>

namespace knc::pmu {

inline constexpr std::size_t counters_per_thread = 2;
inline constexpr unsigned counter_width = 40;

enum class register_access : std::uint8_t { read_write, read_only, write_only };

enum class register_kind : std::uint8_t {
    time_stamp_counter,
    counter,
    event_select,
    spflt_control,
    global_status,
    overflow_control,
    global_control
};

struct register_info {
    std::uint32_t address;
    const char* name;
    unsigned width;  // bits
    register_access access;
    bool threaded;           // one per thread; else one per core
    std::uint64_t writable;  // the other bits are reserved
    std::uint64_t reset;
    register_kind kind;
    std::size_t counter;  // the counter it belongs to, where it belongs to one
    const char* meaning;
};

// PERF_SPFLT_CONTROL; bit N below: counter N is under SPFLT control.
namespace spflt_control {
inline constexpr unsigned user_pref = 63;
}

// IA32_PerfEvtSel0/1; event select in 7:0, unit mask in 15:8, counter mask in 31:24.
namespace event_select {
inline constexpr unsigned usr = 16;
inline constexpr unsigned os = 17;
inline constexpr unsigned edge = 18;
inline constexpr unsigned reserved = 19;
inline constexpr unsigned interrupt = 20;
inline constexpr unsigned any_thread = 21;
inline constexpr unsigned enable = 22;
inline constexpr unsigned invert = 23;

// What a counter with this event select counts while it is enabled. Inversion without a counter
// mask is ignored; an event that does not exist counts nothing.
selection decode(std::uint64_t value);
}  // namespace event_select

// One bit per counter, as in GLOBAL_CTRL, GLOBAL_STATUS and OVF_CONTROL.
inline constexpr std::uint64_t counter_bits = base::mask(counters_per_thread);

// clang-format off
inline constexpr std::array<register_info, 9> registers{{
    {0x10, "IA32_TIME_STAMP_COUNTER", 64, register_access::read_write, false, base::mask(64), 0, register_kind::time_stamp_counter, 0, "core clocks since reset; not affected by GLOBAL_CTRL"},
    {0x20, "IA32_PerfCntr0", counter_width, register_access::read_write, true, base::mask(counter_width), 0, register_kind::counter, 0, "event count"},
    {0x21, "IA32_PerfCntr1", counter_width, register_access::read_write, true, base::mask(counter_width), 0, register_kind::counter, 1, "event count"},
    {0x28, "IA32_PerfEvtSel0", 32, register_access::read_write, true, base::mask(32) & ~base::bit(event_select::reserved), 0, register_kind::event_select, 0, "what counter 0 counts"},
    {0x29, "IA32_PerfEvtSel1", 32, register_access::read_write, true, base::mask(32) & ~base::bit(event_select::reserved), 0, register_kind::event_select, 1, "what counter 1 counts"},
    {0x2C, "PERF_SPFLT_CONTROL", 64, register_access::read_write, true, base::bit(spflt_control::user_pref) | counter_bits, 0, register_kind::spflt_control, 0, "63: USER_PREF, set and cleared by SPFLT; N: counter N counts only while USER_PREF is 1"},
    {0x2D, "IA32_PERF_GLOBAL_STATUS", 32, register_access::read_only, true, counter_bits, 0, register_kind::global_status, 0, "N: counter N overflowed; sticky"},
    {0x2E, "IA32_PERF_GLOBAL_OVF_CONTROL", 32, register_access::write_only, true, counter_bits, 0, register_kind::overflow_control, 0, "writing 1 to N clears status bit N"},
    {0x2F, "IA32_PERF_GLOBAL_CTRL", 32, register_access::read_write, true, counter_bits, 0, register_kind::global_control, 0, "N: counter N may count"},
}};
// clang-format on

// nullptr if the PMU has no such MSR.
const register_info* find_register(std::uint32_t address);

}  // namespace knc::pmu

#endif
