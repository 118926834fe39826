// The state of a card when a fast-forward has ended, field by field; docs/checkpoints.md.
//
// Caches, directories and open pages of the memory are empty then, nothing is in flight, and
// SystemC time is the clock of all tiles.
#include <knc/base/archive.h>
#include <knc/card/bootstrap.h>
#include <knc/card/cmt.h>
#include <knc/card/interrupt_fabric.h>
#include <knc/card/scheduler.h>
#include <knc/card/tile.h>
#include <knc/card/uncore.h>

namespace knc::card {

// ---- between the tiles

void slice_counts::serialize(base::archive& a) {
    a(messages, waited);
}

void directory_slice::serialize(base::archive& a) {
    a(counts_);
}

void l3_slice::serialize(base::archive& a) {
    a(counts_);
    logic_.serialize(a);
}

void memory_stop::serialize(base::archive& a) {
    a(reads_, writes_, now_);
}

void uncore::serialize(base::archive& a) {
    ring_.logic().serialize(a);
    for (auto& c : controllers_) c->serialize(a);
}

void interrupt_fabric::sent::serialize(base::archive& a) {
    a(clock, source, what, content);
}

void interrupt_fabric::under_way::serialize(base::archive& a) {
    a(source, target, content, at);
}

void interrupt_fabric::serialize(base::archive& a) {
    a(waiting_, forwarded_);
    for (const sent& s : waiting_)
        if (s.source < from_sbox || s.source >= static_cast<int>(apics_.size()))
            throw base::archive_error("the sender of an interrupt message");
}

void cmt::serialize(base::archive& a) {
    a(logic_);
}

void bootstrap::serialize(base::archive& a) {
    a(waits_, starting_);
}

// ---- tiles and time

void tile::serialize(base::archive& a) {
    a(ledger_.counts, ledger_.at, ledger_.vector_access, ledger_.execution_stage);
    a(*pmu_registers_);
    if (monitored_) a(rmids_);
    core_.counters->counters().serialize(a);
    for (std::size_t t = 0; t < thread_count_; ++t) apics_[t]->logic().serialize(a);
    if (directory) directory->serialize(a);
    if (l3) l3->serialize(a);
    if (bus_) a(*bus_);
    core_.serialize(a);
    bool warm = used_.has_value();
    a(warm);
    if (a.loading() && warm) used_.emplace(l2_geometry_);
    if (warm) a(*used_);
}

void outcome::serialize(base::archive& a) {
    a(reason, code, cycle, detail);
}

void fast_forward_record::serialize(base::archive& a) {
    a(from, to, warm, instructions, end);
}

void scheduler::serialize(base::archive& a) {
    a(now_, stop_at_, requested_, reset_at_, boot_at_, deadline_, switch_at_);
    a(fast_forwards_, checked_);
}

}  // namespace knc::card
