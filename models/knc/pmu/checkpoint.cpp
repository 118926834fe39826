// The state of the PMU, field by field; docs/checkpoints.md.
#include <knc/base/archive.h>
#include <knc/pmu/knc_front_end.h>
#include <knc/pmu/p55c_front_end.h>
#include <knc/pmu/perfmon_front_end.h>
#include <knc/pmu/quality_registers.h>
#include <knc/pmu/rmids.h>

namespace knc::pmu {

void selection::serialize(base::archive& a) {
    a(event, supervisor, user, all_threads, threshold, invert, edge, holds_before);
}

void counted::serialize(base::archive& a) {
    a(what, events);
}

// The cells that it counts follow from its selection.
void counter::serialize(base::archive& a) {
    selection s = selection_;
    a(s);
    if (a.loading()) {
        if (s.event >= base::cell_count) throw base::archive_error("no such event");
        configure(s);
    }
    a(value_, accounted_, met_before_, counted_, history_);
}

void counter_bank::serialize(base::archive& a) {
    for (counter& c : counters_) c.serialize(a);
    a(overflows_, settled_);
    if (!a.loading()) return;
    if (overflows_.size() != counters_.size()) throw base::archive_error("number of counters");
    if (audit_) audit_.emplace(ledger_, bounds_);
    rearm();
}

void knc_bank::serialize(base::archive& a) {
    a(evtsel, spflt, global_ctrl, status, level);
}

void knc_front_end::serialize(base::archive& a) {
    a(banks_, lines_, epoch_);
}

void armed_counter::serialize(base::archive& a) {
    a(what, since);
}

void pebs_counts::serialize(base::archive& a) {
    a(records, no_room, faults);
}

void perfmon_bank::serialize(base::archive& a) {
    a(evtsel, fixed_control, global_control, status, debug_control, pmis, level, debug_store,
      pebs_enable, pebs_config, armed, noticed, due, held, pebs);
}

void perfmon_front_end::serialize(base::archive& a) {
    a(banks_, epoch_);
}

void p55c_bank::serialize(base::archive& a) {
    a(control);
}

void p55c_pins::interval::serialize(base::archive& a) {
    a(from, to);
}

void p55c_pins::serialize(base::archive& a) {
    a(of_);
}

void p55c_front_end::serialize(base::archive& a) {
    a(banks_, epoch_, pins_, added_, control_, asleep_, asleep_since_);
    if (a.loading()) watch_counters();
}

void rmids::serialize(base::archive& a) {
    a(ids_);
}

void quality_registers::selection::serialize(base::archive& a) {
    a(value, available);
}

void quality_registers::serialize(base::archive& a) {
    for (selection& s : selections_) s.serialize(a);
}

}  // namespace knc::pmu
