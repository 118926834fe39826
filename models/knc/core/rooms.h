// The parts ("rooms") of a core, and their references to each other.
//
// Models nothing itself: each room has a header that says what it models. A room receives the rooms
// that it uses by reference, in the order of declaration here.
#ifndef KNC_CORE_ROOMS_H
#define KNC_CORE_ROOMS_H

#include <cstdint>
#include <optional>

#include <tlm>

#include <knc/core/agenda.h>
#include <knc/core/completion_unit.h>
#include <knc/core/cycle_accounting.h>
#include <knc/core/due_times.h>
#include <knc/core/event_unit.h>
#include <knc/core/fetch_unit.h>
#include <knc/core/functional_unit.h>
#include <knc/core/issue_unit.h>
#include <knc/core/load_store_unit.h>
#include <knc/core/parameters.h>
#include <knc/core/pebs_unit.h>
#include <knc/core/pentium_unit.h>
#include <knc/core/picker.h>
#include <knc/core/pmi_path.h>
#include <knc/core/retirement.h>
#include <knc/core/scoreboard.h>
#include <knc/core/system_registers.h>
#include <knc/core/thread.h>
#include <knc/core/timeline.h>
#include <knc/core/translation_unit.h>
#include <knc/core/warm_up.h>

namespace knc::core {

struct rooms {
    rooms(std::uint16_t index, const parameters& p, base::ledger& l, isa::code_map& map,
          device_port& devices, diagnostics_port& log, tlm::tlm_initiator_socket<>& ram,
          tlm::tlm_initiator_socket<>& msr)
        : code(map),
          accounting(l, time, picking),
          translations(p.tlb, accounting, threads),
          memory(index, p, time, accounting, code, devices, threads, ram),
          fetch(p, time, memory, code, threads),
          pmi(p.pmi_cycles, time, threads),
          registers(index, time, accounting, pmi, msr),
          plan(time, due, accounting, memory, pmi),
          events(index, p,
                 {time, due, picking, accounting, results, translations, memory, pmi, plan, log,
                  threads}),
          pebs(p, l, {time, picking, accounting, results, memory, events, plan, threads}),
          retire(p, time, picking, accounting, memory, pmi, events, pebs, log),
          completion(p, time, due, picking, accounting, results, pmi, retire, threads),
          issue(p, l, *this),
          functional(*this),
          warming(*this) {
        if (p.pentium) attach(pentium.emplace(p, time, accounting, results));
    }

    void attach(pentium_unit& u) {
        events.attach(u);
        retire.attach(u);
        completion.attach(u);
        issue.attach(u);
    }

    isa::code_view code;
    timeline time;
    due_times due;
    picker picking;
    thread_table threads;
    scoreboard results;
    cycle_accounting accounting;
    translation_unit translations;
    load_store_unit memory;
    fetch_unit fetch;
    pmi_path pmi;
    system_registers registers;
    agenda plan;
    event_unit events;
    pebs_unit pebs;
    retirement retire;
    completion_unit completion;
    issue_unit issue;
    functional_unit functional;
    warm_up warming;
    std::optional<pentium_unit> pentium;
};

}  // namespace knc::core

#endif
