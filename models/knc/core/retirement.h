// The effects of an instruction after its execution, beyond its event counts.
//
// Models: the cycles for which it occupies the execution stage or its thread, microcode and its
// pipeline refill, traps that are due after it, faults, an element of a REP string instruction, an
// attempt that must be repeated; the exact profile of code; what PEBS may record. Leaves out: which
// instructions issue together (knc/core/issue_unit.h). Source: docs/pipeline.md, "In the core".
#ifndef KNC_CORE_RETIREMENT_H
#define KNC_CORE_RETIREMENT_H

#include <cstdint>

#include <knc/core/debugger.h>
#include <knc/core/event_unit.h>
#include <knc/core/parameters.h>
#include <knc/core/pebs_unit.h>
#include <knc/core/pentium_unit.h>
#include <knc/core/profile.h>
#include <knc/core/thread.h>

namespace knc::core {

class retirement {
  public:
    // Flags of the instructions for which retirement does more than count.
    static constexpr std::uint32_t unusual_flags = isa::insn_microcode | isa::insn_segment_load |
                                                   isa::insn_halt | isa::insn_delay |
                                                   isa::insn_mode | isa::insn_serializing;

    retirement(const parameters&, timeline&, picker&, cycle_accounting&, load_store_unit&,
               pmi_path&, event_unit&, pebs_unit&, diagnostics_port&);

    // The instruction at `ip` has retired, alone.
    void count(thread& t, std::uint64_t ip) {
        ++t.retired;
        if (__builtin_expect(t.observed != 0, 0)) observe(t, ip);
    }
    // The same in V.
    void count_in_v(thread& t, std::uint64_t ip) {
        ++t.retired;
        if (__builtin_expect(t.observed != 0, 0)) observe_in_v(t, ip);
    }
    // The same in U; `v`: the one that is to execute in V with it; nullptr: none.
    void count_in_u(thread& t, std::uint64_t ip, const isa::insn* v) {
        ++t.retired;
        if (__builtin_expect(t.observed != 0, 0)) observe_in_u(t, ip, v);
    }
    // The effects of an issue; `i` is the instruction in U.
    void after(thread&, const isa::insn& i, bool single_step);
    // `i` at `ip` did not end with status::ok; nullptr: it could not be fetched.
    void not_retired(thread&, std::uint64_t ip, isa::status, const isa::insn* i);

    // Receives what the threads issue whose signals are observed.
    issue_probe& issued() { return events_.issued(); }

    // From now on, every instruction counts in `p`.
    void keep(profile& p) { profile_ = &p; }
    // Attempts that end without effect are dropped by `p`.
    void attach(pentium_unit& p) { pentium_ = &p; }
    // From now on, `d` is asked about the threads of core `n` that it watches.
    void attach(std::uint16_t n, debugger_if& d) {
        core_ = n;
        debugger_ = &d;
    }
    // From now on, `r` learns of IRET, and of each instruction of the threads that are observed for
    // it.
    void record(std::uint16_t n, base::recorder_if& r) {
        core_ = n;
        recorder_ = &r;
    }

  private:
    static base::cycle_t set_up_cycles(const thread&, const isa::insn&);
    static std::uint32_t due_conditions(thread&, bool single_step);
    void debug_trap(thread&, std::uint32_t conditions);
    void repeat(thread&, const isa::insn&);
    void observe(thread&, std::uint64_t ip);
    void observe_in_v(thread&, std::uint64_t ip);
    void observe_in_u(thread&, std::uint64_t ip, const isa::insn* v);
    void sample(thread&, std::uint64_t ip, bool v_follows);
    void observe_attempt(const thread&, std::uint64_t ip, isa::status, const isa::insn* i);
    void observe_for(thread&, std::uint64_t ip, bool in_v, bool pairs);
    void record_return(const thread&);
    void ask_debugger(thread&);

    const parameters& parameters_;
    timeline& time_;
    picker& picker_;
    cycle_accounting& accounting_;
    load_store_unit& memory_;
    pmi_path& pmi_;
    event_unit& events_;
    pebs_unit& pebs_;
    diagnostics_port& log_;
    profile* profile_ = nullptr;
    pentium_unit* pentium_ = nullptr;
    std::uint16_t core_ = 0;
    debugger_if* debugger_ = nullptr;
    base::recorder_if* recorder_ = nullptr;
};

}  // namespace knc::core

#endif
