// Precise event-based sampling: the microcode assist that records an instruction.
//
// Models: which instructions of a thread the PMU is asked about; the assist at the boundary behind
// a recorded instruction, before any other event of the thread: it reads the DS area, writes the
// record and the index through the caches, at supervisor privilege, and sets the counters again. A
// fault of an access is delivered there, and the record waits for the handler's return. The
// accesses count no event. Leaves out: which instruction is recorded (knc/pmu/pebs.h). Source:
// Intel SDM vol. 3, processor event based sampling, format 4; docs/perfmon.md.
#ifndef KNC_CORE_PEBS_UNIT_H
#define KNC_CORE_PEBS_UNIT_H

#include <array>
#include <cstddef>
#include <cstdint>

#include <knc/base/clock.h>
#include <knc/base/event.h>
#include <knc/core/event_unit.h>
#include <knc/core/parameters.h>
#include <knc/core/thread.h>
#include <knc/pmu/core_if.h>
#include <knc/pmu/pebs.h>

namespace knc::core {

class pebs_unit {
  public:
    // The rooms that this one uses.
    struct rooms {
        timeline& time;
        picker& picking;
        cycle_accounting& accounting;
        scoreboard& results;
        load_store_unit& memory;
        event_unit& events;
        agenda& plan;
        thread_table& threads;
    };

    pebs_unit(const parameters& p, base::ledger& l, const rooms& r)
        : parameters_(p), ledger_(l), rooms_(r) {}
    void connect(pmu::core_if& p) {
        pmu_ = &p;
        asks_ = p.pebs();
    }
    // A PMU without PEBS asks for nothing.
    bool present() const { return asks_ != nullptr; }

    // Observes the threads whose next instructions may be recorded. Returns the next cycle, after
    // this one, in which to look again; base::never: in none before something else happens.
    base::cycle_t watch();
    // Without time, no event counts, so nothing is recorded but what is due already.
    void freeze(bool on);

    // ---- around an instruction of an observed thread
    // `i` is about to be executed, perhaps not for the first time.
    void begins(thread&, const isa::insn& i);
    // It has executed; its lines are not released yet. `loaded`: it has read memory, all of it
    // cacheable.
    void executed(thread&, bool loaded);
    // It has retired, with all its events. Returns whether it is to be recorded: the assist is then
    // the thread's next issue. May be called again for the same instruction.
    bool retired(thread&);
    // The assist, or the rest of it.
    void perform(thread&);

    // ---- IA32_DEBUGCTL.BTF
    // Whether the trap of TF is due after an instruction; `branch`: it has taken one.
    bool steps(const thread& t, bool branch) const {
        return asks_ == nullptr || branch || !asks_->steps_branches(t.index());
    }
    void stepped(const thread& t) {
        if (asks_ != nullptr) asks_->stepped(t.index());
    }

    // An IRET has retired: the handler that kept a record from being written may have returned.
    void returned(thread&);

  private:
    isa::status attempt(thread&);
    isa::status read_management(thread&);
    isa::status find_room(thread&);
    isa::status writable(thread&, std::uint64_t first, std::uint64_t bytes);
    isa::status write_record(thread&);
    isa::status write_index(thread&);
    void finish(thread&);
    void fail(thread&);
    void end(thread&);
    isa::status access(thread&, bool write, std::uint64_t la, unsigned size, void* data);

    const parameters& parameters_;
    base::ledger& ledger_;
    const rooms rooms_;
    pmu::core_if* pmu_ = nullptr;
    pmu::pebs_if* asks_ = nullptr;  // nullptr: there is no PEBS
    bool frozen_ = false;
};

}  // namespace knc::core

#endif
