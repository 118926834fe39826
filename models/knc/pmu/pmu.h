// The PMU of one core as a SystemC module.
//
// Models: MSR accesses by TLM-2.0 (address = MSR number, 8 bytes), one PMI line per thread, and an
// interface through which a processor model raises events in SystemC time. A register access takes
// no time. Leaves out: privilege checks (the core that makes the access), debug writes (rejected).
// Source: knc/pmu/knc_front_end.h; docs/integration.md.
//
// Driven by itself, the module owns the ledger and settles the counters at cycle boundaries: only
// where a counter may overflow, or at each cycle with events while a counter needs single cycles.
// Driven by a core, it serves MSR accesses and the core's port. The core then settles the counters
// and receives the PMIs.
#ifndef KNC_PMU_PMU_H
#define KNC_PMU_PMU_H

#include <array>
#include <memory>
#include <string>
#include <vector>

#include <systemc>
#include <tlm>
#include <tlm_utils/simple_target_socket.h>

#include <knc/base/access.h>
#include <knc/base/clock.h>
#include <knc/pmu/core_if.h>
#include <knc/pmu/counter_bank.h>
#include <knc/pmu/event_sink.h>
#include <knc/pmu/front_end.h>
#include <knc/pmu/parameters.h>
#include <knc/pmu/probe.h>
#include <knc/pmu/rmids.h>

namespace knc::pmu {

class pmu : public sc_core::sc_module,
            private event_sink_if,
            private core_if,
            private pmi_listener_if {
  public:
    // RDMSR and WRMSR by the thread in the extension base::access (without it: thread 0), in the
    // cycle in the extension (without it: the present time plus delay). Driven by itself, the
    // module waits for that cycle if it is in the future, which only a thread process may request.
    // A rejected access (#GP) gets the response TLM_COMMAND_ERROR_RESPONSE and changes nothing. The
    // socket may stay unbound, like the lines.
    tlm_utils::simple_target_socket_optional<pmu> msr{"msr"};
    // PMI lines to the local APICs, which act on the rising edge.
    using line =
        sc_core::sc_port<sc_core::sc_signal_inout_if<bool>, 1, sc_core::SC_ZERO_OR_MORE_BOUND>;
    sc_core::sc_vector<line> pmi_lines{"pmi", base::threads_per_core};
    // The pins of a front end that has some (front_end_if::pins()).
    sc_core::sc_vector<line> pins{"pin"};
    sc_core::sc_export<event_sink_if> events{"events"};
    sc_core::sc_export<core_if> core{"core"};
    // Driven by a core: receives the PMIs.
    sc_core::sc_port<pmi_listener_if, 1, sc_core::SC_ZERO_OR_MORE_BOUND> listener{"listener"};

    // Driven by itself, with the registers of Knights Corner.
    pmu(sc_core::sc_module_name, const parameters& p, const base::clock& clock);
    // Driven by itself, with other registers. `audit`: parameters::audit.
    pmu(sc_core::sc_module_name, front_end_if&, bool audit, const base::clock& clock);
    // Driven by a core, which owns `ledger`; `events` rejects events.
    pmu(sc_core::sc_module_name, front_end_if&, bool audit, const base::clock& clock,
        base::ledger& ledger, const base::event_bounds& bounds = bounds_of_table());

    // Registers beside those of the front end, for which it answers first.
    void add(rmids& r) { rmids_ = &r; }

    front_end_if& front_end() { return front_end_; }
    const front_end_if& front_end() const { return front_end_; }
    counter_bank& counters() override { return counters_; }
    const counter_bank& counters() const { return counters_; }
    const base::ledger& ledger() const { return *ledger_; }

    // Cold or warm reset at the present time. Driven by a core: in the cycle up to which it has
    // settled the counters.
    void reset();

    // Adds the registers (knc/pmu/probe.h) to a waveform. From then on, a module driven by itself
    // settles at each cycle with events.
    void trace(sc_core::sc_trace_file* file, const std::string& scope);
    base::signal_list signals(const std::string& scope) const { return probe_.signals(scope); }
    // Brings traced signals and lines up to date. A module driven by itself does not need the call.
    void sample();

  private:
    struct held {
        std::size_t thread;
        base::event event;
    };

    pmu(sc_core::sc_module_name, std::unique_ptr<front_end_if>, bool audit,
        const base::clock& clock);
    void construct();

    // event_sink_if
    void raise(std::size_t thread, base::event e, std::uint64_t n) override;
    void raise_core(base::event e, std::uint64_t n) override;
    void hold(std::size_t thread, base::event e, bool on) override;
    void hold_core(base::event e, bool on) override;
    void set_privilege(std::size_t thread, base::privilege p) override;
    void set_execution_stage(std::size_t thread) override;
    void spflt(std::size_t thread, bool enable) override;
    // core_if
    bool rdpmc(base::access&, std::uint32_t index, std::uint64_t& value) override;
    void spflt(base::access&, bool enable) override;
    std::uint64_t tsc(base::cycle_t now) const override { return front_end_.tsc(now); }
    pebs_if* pebs() override { return front_end_.pebs(); }
    void sleeps(bool on, base::cycle_t now) override { front_end_.sleeps(on, now); }
    // pmi_listener_if
    void overflowed(std::size_t thread, base::cycle_t now) override;
    void pin_changes(std::size_t pin, bool rises, base::cycle_t from) override;
    void model_error(const std::string& text) override;

    void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
    unsigned transport_dbg(tlm::tlm_generic_payload& payload);
    bool access(tlm::tlm_generic_payload& payload, base::access* by);
    bool read(std::size_t thread, std::uint32_t number, std::uint64_t& value, acceptance&);
    bool write(std::size_t thread, std::uint32_t number, std::uint64_t value, acceptance&);

    bool accepts(std::size_t thread, base::event e) const;
    bool accepts_core(base::event e) const;
    void add(std::size_t thread, base::event e, std::uint64_t n);
    void advance();
    void registers_changed();
    void schedule();
    void settle_due();
    void drive_lines();
    void end_of_elaboration() override;
    void drive_pins();
    void look_at_pins(base::cycle_t at);

    base::clock clock_;
    std::unique_ptr<base::ledger> own_ledger_;  // driven by itself
    base::ledger* ledger_;
    std::unique_ptr<front_end_if> own_front_end_;
    front_end_if& front_end_;
    rmids* rmids_ = nullptr;
    counter_bank counters_;
    probe probe_;
    std::vector<held> held_;
    bool traced_ = false;
    bool busy_ = false;  // events were raised in the present cycle
    sc_core::sc_event due_;
    sc_core::sc_event lines_changed_;
    sc_core::sc_event pins_due_;
    std::array<sc_core::sc_time, base::threads_per_core> pulse_end_{};
};

}  // namespace knc::pmu

#endif
