// Model-specific registers of a thread.
//
// Models: the map from an MSR's number to its owner; the MSRs of the thread itself with their
// checks, reset values and effects: those of the architecture (EFER, STAR, ...), memory types
// (MTRRs, PAT), machine check, test registers, core C6. A number without an owner is #GP(0), a set
// reserved bit too. The card has no CSTAR. Profile p55c has numbers 0 to 0x0E of them only. PMU and
// time-stamp counter: knc/pmu/knc_registers.h. Leaves out: registers known by number only (SPU_BASE
// 0x1C, CBOX_SPU_PA 0x17E and 0x17F). Source: Intel SDM vol. 3, 2.2.1, 5.8.8, 11.11, 11.12
// and 15.3; register lists of Intel's card kernel and host driver.
#ifndef KNC_ISA_MSR_H
#define KNC_ISA_MSR_H

#include <cstdint>

#include <knc/base/register_table.h>
#include <knc/isa/context.h>

namespace knc::isa {

inline constexpr std::uint32_t msr_apic_base = 0x1b;
inline constexpr std::uint64_t apic_base_enable = 1u << 11;

// Whose a register is. A number without a row belongs to whatever answers at the core's MSR socket:
// the PMU.
enum class msr_owner : std::uint8_t { thread, local_apic };

struct msr_row : base::register_row<std::uint64_t, context> {
    bool kept_by_init;
    // Where the thread's state keeps it; nullptr: a constant, or not the thread's.
    std::uint64_t& (*of)(state&);
    const char* source;
    msr_owner owner = msr_owner::thread;
    bool only_compat = false;  // exists in profile compat only
    bool of_perfmon = false;   // is the PMU's where that has architectural performance monitoring
};
const base::register_table<msr_row>& msrs();

// Whether a thread of that instruction set has the register.
bool exists(const msr_row&, profile);

// False: #GP(0) is due; nothing has changed. The caller checks the privilege level. An MSR that is
// not the thread's is asked of the environment.
bool read_msr(context&, std::uint32_t number, std::uint64_t& value);
bool write_msr(context&, std::uint32_t number, std::uint64_t value);

}  // namespace knc::isa

#endif
