// Faults, and events of a thread that no instruction causes: how the thread enters their handlers.
//
// Models: choice and delivery of interrupts, exceptions and traps, INIT and start-up, shutdown,
// HLT, DELAY, and the events that wake a thread. Leaves out: gates, stacks and task switches
// (knc/isa/event_delivery.h), the local APIC (knc/apic). Source: Intel SDM vol. 3, 6 and 9;
// docs/architecture.md, "Reset and INIT".
#ifndef KNC_CORE_EVENT_UNIT_H
#define KNC_CORE_EVENT_UNIT_H

#include <cstdint>

#include <knc/base/recorder.h>
#include <knc/core/agenda.h>
#include <knc/core/cycle_accounting.h>
#include <knc/core/due_times.h>
#include <knc/core/issue_probe.h>
#include <knc/core/load_store_unit.h>
#include <knc/core/parameters.h>
#include <knc/core/pentium_unit.h>
#include <knc/core/picker.h>
#include <knc/core/pmi_path.h>
#include <knc/core/ports.h>
#include <knc/core/profile.h>
#include <knc/core/scoreboard.h>
#include <knc/core/thread.h>
#include <knc/core/timeline.h>
#include <knc/core/translation_unit.h>

namespace knc::core {

class event_unit {
  public:
    // The rooms that this one uses.
    struct rooms {
        timeline& time;
        due_times& due;
        picker& picking;
        cycle_accounting& accounting;
        scoreboard& results;
        translation_unit& translations;
        load_store_unit& memory;
        pmi_path& pmi;
        agenda& plan;
        diagnostics_port& log;
        thread_table& threads;
    };

    event_unit(std::uint16_t core, const parameters& p, const rooms& r)
        : core_(core), parameters_(p), rooms_(r) {}

    // Entries into handlers are counted, and sleep is noted, by `p`.
    void attach(pentium_unit& p) { pentium_ = &p; }

    // Delivers the pending event of highest priority from the local APIC, if an instruction
    // boundary allows it; `shadow`: after STI or MOV SS. Returns whether there was one.
    bool take(thread&, bool shadow);
    // `again`: its delivery has begun before, and had to wait for memory.
    void deliver(thread&, isa::event_kind, const isa::fault&, std::uint64_t next_ip,
                 bool again = false);
    // The event whose delivery is pending or waits for memory.
    void deliver_pending(thread& t) {
        deliver(t, t.delivery.kind, t.delivery.what, t.delivery.next_ip, t.delivery.begun);
    }
    // An exception to be delivered as the thread's next issue.
    static void post(thread& t, const isa::fault& f, std::uint64_t next_ip) {
        t.deliver_next({isa::event_kind::exception, f, next_ip, false});
    }

    void halt(thread&);
    void delay(thread&);
    void shut_down(thread&, const char* why);
    // The thread starts to run in its present state.
    void wake_up(thread&);
    // Threads that do not run, or wait in DELAY, check for events that wake them. Running threads
    // check at each instruction boundary.
    void poll();
    // The thread's events belong to its present privilege level from now on.
    void commit_privilege(thread&);
    // From now on, `p` knows which threads run; nullptr: nobody does.
    void keep(profile* p) { profile_ = p; }
    // The local APIC of a thread has an event for it that it can take now, which ends HLT and
    // DELAY.
    static bool wakes(const thread&);
    // Receives what the threads issue whose signals are observed.
    issue_probe& issued() { return issued_; }
    // From now on, `r` learns of states and of events.
    void record(base::recorder_if& r) { recorder_ = &r; }

  private:
    void count_at(thread&, base::privilege);
    void sleep(thread&, run_state, base::cycle_t from);
    void enter_init(thread&);
    void enter_startup(thread&, std::uint8_t vector);
    void changed(const thread&, base::cycle_t from) const;
    void record_entry(const thread&, isa::event_kind, const isa::fault&,
                      std::uint64_t next_ip) const;

    const std::uint16_t core_;
    const parameters& parameters_;
    const rooms rooms_;
    profile* profile_ = nullptr;
    issue_probe issued_;
    pentium_unit* pentium_ = nullptr;
    base::recorder_if* recorder_ = nullptr;
};

}  // namespace knc::core

#endif
