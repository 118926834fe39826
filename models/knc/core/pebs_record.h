// The bytes of a PEBS record.
//
// Models: the basic group and those of MSR_PEBS_DATA_CFG: memory, general registers, XMM, LBR, the
// last two filled with zeros, as the profile has neither. Source: Intel SDM vol. 3, adaptive PEBS;
// docs/perfmon.md.
#ifndef KNC_CORE_PEBS_RECORD_H
#define KNC_CORE_PEBS_RECORD_H

#include <cstdint>
#include <vector>

#include <knc/core/sampled_instruction.h>
#include <knc/isa/state.h>

namespace knc::core {

// Bytes of a record with the groups of `config` (0: the basic one only).
std::uint64_t pebs_record_size(std::uint64_t config);

// The record of `i` in state `s`, in which the instruction has retired.
std::vector<std::uint64_t> pebs_record(const sampled_instruction& i, const isa::state& s);

}  // namespace knc::core

#endif
