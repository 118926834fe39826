// The state of a core when a fast-forward has ended, field by field; docs/checkpoints.md.
//
// Pipelines, branch target buffers and prefetch buffers are empty then, so they have no fields
// here.
#include <algorithm>

#include <knc/base/archive.h>
#include <knc/core/core.h>
#include <knc/core/rooms.h>
#include <knc/isa/checkpoint.h>

namespace knc::core {

// ---- skid

void spread::serialize(base::archive& a) {
    a(min, max, sum);
}

void skid_statistics::serialize(base::archive& a) {
    a(count, total, delivery, boundary, entry, instructions, histogram);
}

void skid_record::serialize(base::archive& a) {
    a(overflow, requested, taken, handler);
}

void skid_records::serialize(base::archive& a) {
    a(stride, kept);
    if (stride == 0) throw base::archive_error("stride of the skid's records");
}

void skid_meter::measurement::serialize(base::archive& a) {
    a(asked, overflow, requested, taken, retired);
}

void skid_meter::serialize(base::archive& a) {
    a(waiting_, stage_, present_, ip_, sp_, statistics_, records_);
}

void pmi_path::edge::serialize(base::archive& a) {
    a(overflow, arrives, retired);
}

void pmi_path::pin_edge::serialize(base::archive& a) {
    a(at, lint);
}

void pmi_path::serialize(base::archive& a) {
    a(edges_, skid_, pin_edges_);
    in_flight_ = pin_edges_.size();
    for (const auto& e : edges_) in_flight_ += e.size();
}

// ---- rooms

void picker::serialize(base::archive& a) {
    a(ready_, stage_free_, last_, repeats_);
    if (last_ >= threads) throw base::archive_error("no such thread");
}

void cycle_accounting::long_wait::serialize(base::archive& a) {
    a(delay_from, delay_until, halted_until);
}

void cycle_accounting::wakefulness::serialize(base::archive& a) {
    a(awake, since, before);
}

void cycle_accounting::serialize(base::archive& a) {
    a(waits_, clock_counted_, thread_counted_, awake_, wakefulness_);
}

void functional_unit::serialize(base::archive& a) {
    a(last_);
    if (last_ >= base::threads_per_core) throw base::archive_error("no such thread");
}

void tlb_array::entry::serialize(base::archive& a) {
    isa::held_translation& h = held;
    a(page, thread, valid, h.paddr, h.page_bytes, h.writable, h.user, h.executable, h.global,
      h.dirty, h.pat_entry);
}

void tlb_array::serialize(base::archive& a) {
    const std::size_t entries = entries_.size(), sets = next_.size();
    a(entries_, next_);
    const bool possible =
        entries_.size() == entries && next_.size() == sets &&
        std::all_of(next_.begin(), next_.end(), [this](std::uint32_t n) { return n < ways_; });
    if (!possible) throw base::archive_error("a TLB of another size");
}

void tlb::serialize(base::archive& a) {
    a(data_4k_, data_64k_, data_2m_, code_, second_);
}

void translation_unit::serialize(base::archive& a) {
    tlb_.serialize(a);
}

// ---- threads

void device_request::serialize(base::archive& a) {
    a(space, core, thread, write, size, address, data, issued, ticket);
}

void device_accesses::serialize(base::archive& a) {
    a(ticket_, outstanding_, answered_);
}

void pending_event::serialize(base::archive& a) {
    a(kind, next_ip, begun);
    isa::serialize(a, what);
}

void sampled_instruction::serialize(base::archive& a) {
    bool halting = next == step::halt;
    a(ip, address, source, latency, accesses, halts, halting, held, held_sp, held_cpl);
    next = halting ? step::halt : step::ask;
}

// Of its observers, only a handler that is due belongs to the thread.
void thread::serialize(base::archive& a) {
    constexpr unsigned events = delivery_waits | assist_waits;
    auto pending = static_cast<std::uint8_t>(before & events);
    auto watched = static_cast<std::uint8_t>(observed & observe_handler);
    isa::serialize(a, context);
    a(state, devices, delivery, shutdown_reason, retired, pending, watched, sampled);
    before = static_cast<std::uint8_t>((before & ~events) | (pending & events));
    observed =
        static_cast<std::uint8_t>((observed & ~observe_handler) | (watched & observe_handler));
}

// ---- the core

void core::serialize(base::archive& a) {
    base::cycle_t now = time_.now();
    a(now);
    if (a.loading()) time_.move_to(now);
    a(rooms_->fetch, rooms_->picking, rooms_->accounting, rooms_->pmi, rooms_->functional,
      rooms_->translations, pmi_rises_);
    for (auto& t : threads_) t->serialize(a);
    if (rooms_->pentium) a(*rooms_->pentium);
    if (a.loading()) loaded();
}

// As leave_functional() leaves what has no fields.
void core::loaded() {
    for (auto& t : threads_) t->context.update_mode();
    rooms_->functional.begin_anew();
    for (auto& t : threads_) {
        if (profile_) profile_->pass_over(t->index(), t->state, time_.now());
        if (recorder_ != nullptr && t->state != run_state::wait_for_sipi)
            recorder_->state_changed(t->number(index_), t->state, time_.now());
    }
    rooms_->plan.plan();
    time_.disturb();
    time_.begin_run();
}

}  // namespace knc::core
