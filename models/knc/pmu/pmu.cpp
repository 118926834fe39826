#include <knc/pmu/pmu.h>

#include <algorithm>
#include <cstring>

#include <knc/pmu/event_table.h>
#include <knc/pmu/knc_front_end.h>

namespace knc::pmu {

namespace {

constexpr const char* report_id = "knc/pmu";
constexpr unsigned access_size = 8;

// The response to a payload that is no valid MSR access.
tlm::tlm_response_status form_error(const tlm::tlm_generic_payload& p) {
    if (p.get_byte_enable_ptr() != nullptr) return tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
    if (p.get_data_length() != access_size || p.get_streaming_width() < access_size) {
        return tlm::TLM_BURST_ERROR_RESPONSE;
    }
    return tlm::TLM_OK_RESPONSE;
}

// Counts the instruction that makes an access when the PMU accepts the access (base::access).
class retirement final : public acceptance {
  public:
    retirement(base::access* by, counter_bank& c) : by_(by), counters_(c) {}
    void accepted() override {
        if (by_ == nullptr || by_->retires == nullptr) return;
        ++*by_->retires;
        by_->retires = nullptr;
        counters_.settle(by_->cycle);
    }

  private:
    base::access* by_;
    counter_bank& counters_;
};

}  // namespace

pmu::pmu(sc_core::sc_module_name name, const parameters& p, const base::clock& clock)
    : pmu(name, std::make_unique<knc_front_end>(p), p.audit, clock) {}

pmu::pmu(sc_core::sc_module_name name, std::unique_ptr<front_end_if> f, bool audit,
         const base::clock& clock)
    : pmu(name, *f, audit, clock) {
    own_front_end_ = std::move(f);
}

pmu::pmu(sc_core::sc_module_name name, front_end_if& f, bool audit, const base::clock& clock)
    : sc_module(name),
      clock_(clock),
      own_ledger_(std::make_unique<base::ledger>()),
      ledger_(own_ledger_.get()),
      front_end_(f),
      counters_(*ledger_, bounds_of_table(), f.counters(), f, audit),
      probe_(f) {
    construct();
}

pmu::pmu(sc_core::sc_module_name name, front_end_if& f, bool audit, const base::clock& clock,
         base::ledger& ledger, const base::event_bounds& bounds)
    : sc_module(name),
      clock_(clock),
      ledger_(&ledger),
      front_end_(f),
      counters_(ledger, bounds, f.counters(), f, audit),
      probe_(f) {
    construct();
}

void pmu::construct() {
    front_end_.connect(counters_, *this);
    SC_HAS_PROCESS(pmu);
    SC_METHOD(settle_due);
    sensitive << due_;
    dont_initialize();
    SC_METHOD(drive_lines);
    sensitive << lines_changed_;
    pins.init(front_end_.pins());
    if (pins.size() != 0) {
        SC_METHOD(drive_pins);
        sensitive << pins_due_;
    }
    events.bind(*this);
    core.bind(*this);
    msr.register_b_transport(this, &pmu::b_transport);
    msr.register_transport_dbg(this, &pmu::transport_dbg);
}

void pmu::reset() {
    advance();
    front_end_.reset();
    pulse_end_ = {};
    sample();
}

void pmu::trace(sc_core::sc_trace_file* file, const std::string& scope) {
    traced_ = true;
    for (const base::signal& s : signals(scope)) {
        sc_core::sc_trace(file, *s.value, s.name, static_cast<int>(s.width));
    }
}

void pmu::sample() {
    probe_.sample();
    // A core that drives the module may run on another host thread than the SystemC kernel.
    const bool seen = std::any_of(pmi_lines.begin(), pmi_lines.end(),
                                  [](const line& l) { return l.size() != 0; });
    if (seen) lines_changed_.notify(sc_core::SC_ZERO_TIME);
}

void pmu::raise(std::size_t thread, base::event e, std::uint64_t n) {
    if (!accepts(thread, e)) return;
    advance();
    add(thread, e, n);
    if (busy_) return;
    busy_ = true;
    schedule();
}

void pmu::raise_core(base::event e, std::uint64_t n) {
    if (accepts_core(e)) raise(0, e, n);
}

void pmu::hold(std::size_t thread, base::event e, bool on) {
    if (!accepts(thread, e)) return;
    advance();
    if (info(e).scope == event_scope::core) thread = 0;
    const auto same = [&](const held& h) { return h.thread == thread && h.event == e; };
    held_.erase(std::remove_if(held_.begin(), held_.end(), same), held_.end());
    if (on) held_.push_back({thread, e});
    schedule();
}

void pmu::hold_core(base::event e, bool on) {
    if (accepts_core(e)) hold(0, e, on);
}

void pmu::set_privilege(std::size_t thread, base::privilege p) {
    if (!accepts(thread, {})) return;
    advance();
    counters_.set_privilege(thread, p);
    schedule();
}

void pmu::set_execution_stage(std::size_t thread) {
    if (!accepts(thread, {})) return;
    advance();
    ledger_->execution_stage = static_cast<std::uint8_t>(thread);
}

void pmu::spflt(std::size_t thread, bool enable) {
    if (!accepts(thread, {})) return;
    advance();
    front_end_.spflt(thread, enable);
    registers_changed();
}

// Every PMI is a visible edge on the line: the line is high for at least half a cycle. So it has an
// edge even if the level behind it is high already, is cleared in the same cycle, or belongs to
// another thread's bank. Without a level the line is high for no longer than that, so pulses in
// successive cycles remain separate edges.
void pmu::overflowed(std::size_t thread, base::cycle_t now) {
    if (listener.size() != 0) {
        listener->overflowed(thread, now);
        return;
    }
    pulse_end_[thread] = sc_core::sc_time_stamp() + (clock_.at(2) - clock_.at(1)) / 2;
    lines_changed_.notify(sc_core::SC_ZERO_TIME);
}

void pmu::pin_changes(std::size_t n, bool rises, base::cycle_t from) {
    if (listener.size() != 0) listener->pin_changes(n, rises, from);
    if (pins[n].size() != 0) look_at_pins(from);
}

void pmu::end_of_elaboration() {
    const bool seen =
        std::any_of(pins.begin(), pins.end(), [](const line& l) { return l.size() != 0; });
    if (seen) front_end_.observe_pins();
}

// SystemC time may be behind the cycles that are accounted, never ahead of them.
void pmu::look_at_pins(base::cycle_t at) {
    if (at == base::never) return;
    const sc_core::sc_time due = clock_.at(at), now = sc_core::sc_time_stamp();
    pins_due_.notify(due > now ? due - now : sc_core::SC_ZERO_TIME);
}

void pmu::drive_pins() {
    const base::cycle_t now = clock_.cycle(sc_core::sc_time_stamp());
    for (std::size_t n = 0; n < pins.size(); ++n) {
        if (pins[n].size() == 0) continue;
        pins[n]->write(front_end_.pin(n, now));
        look_at_pins(front_end_.next_pin_change(n, now));
    }
}

void pmu::model_error(const std::string& text) {
    if (listener.size() != 0)
        listener->model_error(text);
    else
        SC_REPORT_ERROR(report_id, text.c_str());
}

void pmu::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    const tlm::tlm_response_status form = form_error(payload);
    if (form != tlm::TLM_OK_RESPONSE) {
        payload.set_response_status(form);
        return;
    }
    auto* const by = payload.get_extension<base::access>();
    if (own_ledger_ != nullptr) {
        const sc_core::sc_time now = sc_core::sc_time_stamp();
        const sc_core::sc_time at = by == nullptr ? now + delay : clock_.at(by->cycle);
        if (at > now) {
            wait(at - now);
            delay -= std::min(delay, at - now);
        }
    }
    const bool done = access(payload, by);
    payload.set_response_status(done ? tlm::TLM_OK_RESPONSE : tlm::TLM_COMMAND_ERROR_RESPONSE);
}

unsigned pmu::transport_dbg(tlm::tlm_generic_payload& payload) {
    if (!payload.is_read() || form_error(payload) != tlm::TLM_OK_RESPONSE) return 0;
    base::access by;
    if (const auto* given = payload.get_extension<base::access>()) by.thread = given->thread;
    return access(payload, &by) ? access_size : 0;
}

bool pmu::access(tlm::tlm_generic_payload& payload, base::access* by) {
    const std::size_t thread = by == nullptr ? 0 : by->thread;
    const std::uint64_t address = payload.get_address();
    const auto number = static_cast<std::uint32_t>(address);
    if (thread >= base::threads_per_core || address != number) return false;
    advance();
    retirement counted(by, counters_);
    std::uint64_t value = 0;
    if (payload.is_read()) {
        if (!read(thread, number, value, counted)) return false;
        std::memcpy(payload.get_data_ptr(), &value, access_size);
    } else if (payload.is_write()) {
        std::memcpy(&value, payload.get_data_ptr(), access_size);
        if (!write(thread, number, value, counted)) return false;
        registers_changed();
    }
    return true;
}

bool pmu::read(std::size_t thread, std::uint32_t number, std::uint64_t& value, acceptance& a) {
    if (front_end_.read(thread, number, value, a)) return true;
    return rmids_ != nullptr && rmids_->read(thread, number, value, a);
}

bool pmu::write(std::size_t thread, std::uint32_t number, std::uint64_t value, acceptance& a) {
    if (front_end_.write(thread, number, value, a)) return true;
    return rmids_ != nullptr && rmids_->write(thread, number, value, a);
}

bool pmu::rdpmc(base::access& by, std::uint32_t index, std::uint64_t& value) {
    retirement counted(&by, counters_);
    return front_end_.rdpmc(by.thread, index, value, counted);
}

void pmu::spflt(base::access& by, bool enable) {
    retirement(&by, counters_).accepted();
    front_end_.spflt(by.thread, enable);
}

bool pmu::accepts(std::size_t thread, base::event e) const {
    if (own_ledger_ == nullptr) {
        SC_REPORT_ERROR(report_id, "events are raised at a PMU that a core drives");
    } else if (thread >= base::threads_per_core || e >= base::event_count) {
        SC_REPORT_ERROR(report_id, "there is no such thread or event");
    } else {
        return true;
    }
    return false;
}

bool pmu::accepts_core(base::event e) const {
    if (!accepts(0, e)) return false;
    if (info(e).scope == event_scope::core) return true;
    SC_REPORT_ERROR(report_id, "the event belongs to a thread");
    return false;
}

void pmu::add(std::size_t thread, base::event e, std::uint64_t n) {
    if (info(e).scope == event_scope::core) {
        ledger_->raise_core(e, n);
    } else {
        ledger_->raise(thread, e, n);
    }
}

// Accounts the cycles that have ended: one cycle with events, or several without events except
// durations. While no counter needs single cycles, one call may account both.
void pmu::advance() {
    if (own_ledger_ == nullptr) return;
    const base::cycle_t now = clock_.cycle(sc_core::sc_time_stamp());
    if (now <= counters_.settled()) return;
    for (const held& h : held_) add(h.thread, h.event, now - counters_.settled());
    counters_.settle(now);
    busy_ = false;
    if (traced_) probe_.sample();
}

void pmu::registers_changed() {
    sample();
    schedule();
}

// Schedules the next settling. A pending notification for an earlier time stays; the module then
// finds nothing due and schedules again.
void pmu::schedule() {
    if (own_ledger_ == nullptr) return;
    base::cycle_t due = busy_ ? counters_.deadline() : counters_.quiet_deadline();
    if (traced_ && (busy_ || !held_.empty())) due = counters_.settled() + 1;
    if (due != base::never) due_.notify(clock_.at(due) - sc_core::sc_time_stamp());
}

void pmu::settle_due() {
    advance();
    schedule();
}

void pmu::drive_lines() {
    const sc_core::sc_time now = sc_core::sc_time_stamp();
    for (std::size_t t = 0; t < base::threads_per_core; ++t) {
        const bool pulse = now < pulse_end_[t];
        if (pmi_lines[t].size() != 0) pmi_lines[t]->write(front_end_.pmi_line(t) || pulse);
        // Pulses start at cycle boundaries and have the same length, so all active pulses end
        // together.
        if (pulse) next_trigger(pulse_end_[t] - now, lines_changed_);
    }
}

}  // namespace knc::pmu
