// The instruction of a thread that PEBS may record, and the progress of its record.
#ifndef KNC_CORE_SAMPLED_INSTRUCTION_H
#define KNC_CORE_SAMPLED_INSTRUCTION_H

#include <array>
#include <cstdint>

#include <knc/base/archive_forward.h>
#include <knc/pmu/pebs.h>

namespace knc::core {

struct sampled_instruction {
    std::uint64_t ip = 0;
    // Its memory access: address of the operand, source of a load (base::data_source; 0: it has
    // loaded nothing that may be cached), clocks from the load's first attempt to the data.
    std::uint64_t address = 0, source = 0, latency = 0;
    std::uint64_t accesses_before = 0;  // of its thread, when its present attempt began
    bool begun = false;                 // accesses_before is valid
    bool accesses = false;              // it has accessed memory

    // The steps of the assist. An access that has to wait is tried again; those before it are done.
    enum class step : std::uint8_t {
        ask,
        read_area,
        read_general,
        read_fixed,
        room,
        record,
        index,
        halt
    };
    step next = step::ask;
    pmu::pebs_request request;
    std::uint64_t tsc = 0;
    std::uint64_t base = 0, index = 0, maximum = 0, threshold = 0;  // of the DS area
    std::array<std::uint64_t, pmu::perfmon::counters> reset{};
    std::uint64_t written = 0;  // bytes of the record
    bool halts = false;         // it is HLT: the thread halts behind the assist

    // A fault has kept the record from being written: its handler returns to this stack pointer and
    // privilege level.
    bool held = false;
    std::uint64_t held_sp = 0;
    std::uint8_t held_cpl = 0;

    void serialize(base::archive&);
};

}  // namespace knc::core

#endif
