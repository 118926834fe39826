#include <knc/pmu/knc_front_end.h>

namespace knc::pmu {

namespace {

unsigned position(std::size_t n) {
    return static_cast<unsigned>(n);
}

}  // namespace

bool parameters::default_audit() {
#ifdef NDEBUG
    return false;
#else
    return true;
#endif
}

bool knc_front_end::rdpmc(std::size_t thread, std::uint32_t index, std::uint64_t& value,
                          acceptance& a) {
    if (index >= counters_per_thread) return false;
    a.accepted();
    value = counters_->value(counter(thread, index));
    return true;
}

void knc_front_end::spflt(std::size_t thread, bool enable) {
    std::uint64_t& control = banks_[thread].spflt;
    control = base::insert(control, spflt_control::user_pref, spflt_control::user_pref, enable);
    changed(thread);
}

void knc_front_end::reset() {
    banked_front_end::reset();
    lines_ = 0;
}

std::vector<std::string> knc_front_end::counter_names() const {
    return {"cntr0", "cntr1"};
}

thread_state knc_front_end::state(std::size_t thread) const {
    const bank& b = banks_[thread];
    thread_state s = counts(thread);
    s.evtsel.assign(b.evtsel.begin(), b.evtsel.end());
    s.global_ctrl = b.global_ctrl;
    s.status = b.status;
    s.spflt = b.spflt;
    s.pmi_line = pmi_line(thread);
    return s;
}

std::vector<front_end_if::shown_register> knc_front_end::shown() const {
    return {{"cntr0", counter_width, "counter 0 (PERFCTR0)"},
            {"cntr1", counter_width, "counter 1 (PERFCTR1)"},
            {"evtsel0", 32, "event select 0 (PERFEVTSEL0)"},
            {"evtsel1", 32, "event select 1 (PERFEVTSEL1)"},
            {"spflt", 64, "control by SPFLT; bit 63: user preference"},
            {"status", counters_per_thread, "bit n: counter n has overflowed"},
            {"global_ctrl", counters_per_thread, "bit n: counter n may count"},
            {"pmi", 1, "line to the local APIC"}};
}

void knc_front_end::show(std::size_t thread, std::uint64_t* values) const {
    const bank& b = banks_[thread];
    values[0] = counters_->value(counter(thread, 0));
    values[1] = counters_->value(counter(thread, 1));
    values[2] = b.evtsel[0];
    values[3] = b.evtsel[1];
    values[4] = b.spflt;
    values[5] = b.status;
    values[6] = b.global_ctrl;
    values[7] = pmi_line(thread) ? 1 : 0;
}

bool knc_front_end::enabled(const bank& b, std::size_t n) {
    const bool filtered_out =
        base::test(b.spflt, position(n)) && !base::test(b.spflt, spflt_control::user_pref);
    return base::test(b.evtsel[n], event_select::enable) &&
           base::test(b.global_ctrl, position(n)) && !filtered_out;
}

bool knc_front_end::interrupts(const bank& b, std::size_t n) {
    return base::test(b.evtsel[n], event_select::interrupt);
}

// Updates counters and line after a register of `thread` has changed.
void knc_front_end::changed(std::size_t thread) {
    bank& b = banks_[thread];
    for (std::size_t n = 0; n < counters_per_thread; ++n) {
        const selection s = enabled(b, n) ? event_select::decode(b.evtsel[n]) : selection{};
        if (!counters_->select(counter(thread, n), s)) b.status |= base::bit(position(n));
    }
    drive_lines(0);
}

void knc_front_end::overflowed(const std::vector<counter_overflow>& counters, base::cycle_t) {
    bank_set contextless = 0;
    bank_set with_context = 0;
    for (const counter_overflow& o : counters) {
        const std::size_t thread = thread_of(o.counter), n = number_of(o.counter);
        banks_[thread].status |= base::bit(position(n));
        if (!interrupts(banks_[thread], n)) continue;
        (o.contextless ? contextless : with_context) |= 1u << thread;
    }
    drive_lines(contextless & ~with_context);
}

// Updates the lines after status or INT bits have changed. A rising level of a bank is an edge.
// Normally the line of the bank's own thread rises and stays high as long as the level. If only
// events without thread context caused the level (`contextless`), the thread in the execution stage
// gets a pulse on its line. A pulse on a line that is already high is no edge.
void knc_front_end::drive_lines(bank_set contextless) {
    const bank_set standing = lines_;
    bank_set rising = 0;
    if (parameters_.contextless_pmi == contextless_pmi::owner) contextless = 0;
    for (std::size_t t = 0; t < banks_.size(); ++t) {
        bank& b = banks_[t];
        bool level = false;
        for (std::size_t n = 0; n < counters_per_thread; ++n) {
            level = level || (base::test(b.status, position(n)) && interrupts(b, n));
        }
        if (level == b.level) continue;
        b.level = level;
        const bank_set own = 1u << t;
        if (!level) {
            lines_ &= ~own;
            continue;
        }
        const bank_set target = (contextless & own) != 0 ? 1u << counters_->execution_stage() : own;
        lines_ |= target & own;
        rising |= target;
    }
    rising &= ~standing;
    for (std::size_t t = 0; t < banks_.size(); ++t) {
        if ((rising >> t & 1) != 0) listener_->overflowed(t, counters_->settled());
    }
}

}  // namespace knc::pmu
