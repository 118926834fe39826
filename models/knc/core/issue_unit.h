// The issue of one thread in one cycle: an instruction in the U pipe and, where the rules allow,
// the next one in V.
//
// Models: the interlocks of an issue (address generation, results of x87 and vector instructions,
// stores that an instruction must wait for), the execution of both instructions, bank conflicts of
// the pair, the outcome of the branch prediction, and the events of each. Leaves out: which thread
// issues (knc/core/picker.h), which instructions pair (knc/core/issue_rules.h). Source: P54C;
// docs/pipeline.md.
#ifndef KNC_CORE_ISSUE_UNIT_H
#define KNC_CORE_ISSUE_UNIT_H

#include <array>
#include <cstdint>

#include <knc/base/aligned_vector.h>
#include <knc/core/banks.h>
#include <knc/core/completion_unit.h>
#include <knc/core/debugger.h>
#include <knc/core/event_unit.h>
#include <knc/core/fetch_unit.h>
#include <knc/core/issue_rules.h>
#include <knc/core/issue_steps.h>
#include <knc/core/parameters.h>
#include <knc/core/pentium_unit.h>
#include <knc/core/retirement.h>
#include <knc/core/scoreboard.h>
#include <knc/core/thread.h>

namespace knc::core {

struct rooms;

// One instruction, or a pair, that a thread issues in one cycle. Only inline functions take it by
// reference, so the compiler can keep it in registers.
struct issue_group {
    const isa::insn* u = nullptr;
    const isa::insn* v = nullptr;  // nullptr: none
    std::uint64_t ip = 0, la = 0;  // of `u`
    std::uint32_t stepping = 0;    // TF: a trap follows. RF: cleared by the instruction
    unsigned x87_top = 0;          // TOP before `u`, if that is an x87 instruction
    bool shadow = false;           // after STI or MOV SS
    bool v_done = false;
};

class issue_unit {
  public:
    // It uses most rooms, and reaches them through one reference: its code is the hottest.
    issue_unit(const parameters&, base::ledger&, rooms&);

    // Threads issue, from this cycle on, in which one can. Ends after an issue behind which comes
    // something else: an event, cycle `until`, a message that has left the core.
    void run(base::cycle_t until);
    // What comes before the threads' next instructions, or watches them, may have changed.
    void look_again() { plain_ = 0; }
    // The threads are other objects now, with other code.
    void reset() {
        plain_ = 0;
        upcoming_ = {};
    }

    // From now on, `d` is asked about the threads of core `n` that it watches.
    void attach(std::uint16_t n, debugger_if& d) {
        core_ = n;
        debugger_ = &d;
    }
    // Issues count, and branches are predicted, as `p` says.
    void attach(pentium_unit& p) { pentium_ = &p; }

  private:
    // The thread uses, or loses, the issue slot of this cycle. `loads`: retired loads count, and
    // PEBS may record an instruction; only a core whose PMU asks for it spends time on that.
    template <bool loads>
    void issue(thread&);
    // `ahead`: several threads take turns, and upcoming_ is used.
    template <bool loads, bool ahead>
    void run_threads(base::cycle_t until);
    template <bool loads>
    void issue_after_all(thread&);
    template <bool loads>
    bool form(thread&, issue_group&);
    bool begins(thread&, issue_group&);
    template <bool loads>
    bool execute_v(thread&, issue_group&, const data_access& of_u, unsigned& cycles);
    bool end_without_v(thread&, const issue_group&, std::uint64_t ip, isa::status, unsigned cycles);
    void finish(thread&, const issue_group&);

    // An issue that a summary describes (ready_groups.cpp).
    enum class ready_issue : std::uint8_t {
        none,    // there is none, and nothing has happened
        plain,   // the slot is used or lost
        unusual  // the same, but the thread may be unusual now
    };
    template <bool loads, bool ahead>
    ready_issue issue_ready(thread&, unsigned n);
    // What a thread issues next, found when it has issued. Others issue before its turn comes; the
    // host then knows at once where to go on, and need not follow one pointer after another. A
    // thread that issues alone would only wait for that.
    struct alignas(base::host_line_bytes) upcoming {
        std::uint64_t ip = 0, page_changes = ~std::uint64_t{0};  // where it is right
        isa::handler execute = nullptr;                          // of `u`
        const isa::insn* u = nullptr;
        const isa::static_group* group = nullptr;
        const isa::insn* instructions = nullptr;  // of which one is V

        void set(const isa::group_page::contents& c, unsigned index, std::uint64_t at,
                 std::uint64_t changes) {
            u = &c.instructions[index];
            execute = u->execute;
            group = &c.groups[index];
            instructions = c.instructions;
            ip = at;
            page_changes = changes;
        }
    };
    void look_ahead(const thread&, upcoming&) const;
    // An instruction has executed that may have loaded; its lines are not released yet.
    void count_load(thread&, base::event_row&, const reads_before&);

    void lose_fetch(thread&, std::uint64_t ip);
    void interlock(thread&, const isa::insn& u, const isa::insn* v);
    bool waits_for_stores(thread&, const isa::insn&);
    bool waits_for_x87_unit(thread&, const issue_group&);
    bool begins_otherwise(thread&, issue_group&);
    bool waits_for_vectors(thread&, const isa::insn& u, const isa::insn* v);
    base::cycle_t vector_start(thread&, const isa::insn&);
    base::cycle_t sparse_start(thread&, const isa::insn&);
    void keep_results(thread&, const isa::insn& u, const isa::insn* v, unsigned x87_top);
    void keep_x87_unit_results(thread&, const isa::insn& u, unsigned top, const isa::insn* v);
    void keep_mmx_results(thread&, const isa::insn&);
    void keep_vector_results(thread&, const isa::insn&);
    unsigned count_both_pipes(base::event_row&, const data_access& u, const data_access& v) const;
    unsigned count_vector_in_u(isa::context&, const data_access& v) const;
    void resolve_branch(thread&, const isa::insn&, std::uint64_t ip, bool in_v);
    void resolve_other_branch(thread&, const isa::insn&, std::uint64_t ip, bool in_v);
    void resolve_near_branch(thread&, const isa::insn&, std::uint64_t ip, bool in_v);
    void flush_pipeline(thread&, branch_outcome, bool conditional, bool in_v);

    const parameters& parameters_;
    base::ledger& ledger_;
    rooms& rooms_;
    std::uint16_t core_ = 0;
    // Bit n: thread n is not unusual (ready_groups.cpp). The answer remains the same while only
    // summaries issue: what changes it comes from other instructions, from events and from outside.
    unsigned plain_ = 0;
    std::array<upcoming, base::threads_per_core> upcoming_;
    debugger_if* debugger_ = nullptr;
    pentium_unit* pentium_ = nullptr;
};

// A branch that enters or leaves no handler and loads no segment is resolved: instructions fetched
// after it may be wrong.
inline void issue_unit::resolve_near_branch(thread& t, const isa::insn& i, std::uint64_t ip,
                                            bool in_v) {
    ++t.context.events()[base::branches];
    const bool conditional = (i.flags & isa::insn_conditional) != 0;
    const bool taken = !conditional || t.context.branch_taken;
    const branch_outcome o = t.branches.execute(ip, taken, t.context.s.r[isa::rip], conditional);
    if (__builtin_expect(o != branch_outcome::correct, 0)) flush_pipeline(t, o, conditional, in_v);
}

}  // namespace knc::core

#endif
