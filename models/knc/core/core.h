// The core: four hardware threads, in order, one of them issuing per cycle.
//
// Models: the cycles of the core: what is due is processed, one ready thread issues an instruction
// or a U/V pair, stretches without either are skipped; every event at the cycle of its cause. The
// parts are rooms of their own (knc/core/rooms.h). Leaves out: caches and memory (knc/cache), the
// counters (knc/pmu), the local APICs (knc/apic). Source: system software developer's guide 2.1.2;
// PMU guide 327357-001; docs/pipeline.md.
#ifndef KNC_CORE_CORE_H
#define KNC_CORE_CORE_H

#include <array>
#include <cstdint>
#include <iosfwd>
#include <memory>
#include <string>

#include <systemc>
#include <tlm>
#include <tlm_utils/simple_initiator_socket.h>

#include <knc/apic/processor.h>
#include <knc/base/clock.h>
#include <knc/base/event.h>
#include <knc/base/signal.h>
#include <knc/cache/l1_if.h>
#include <knc/core/parameters.h>
#include <knc/core/ports.h>
#include <knc/core/profile.h>
#include <knc/core/skid.h>
#include <knc/core/thread.h>
#include <knc/core/timeline.h>
#include <knc/isa/code_map.h>
#include <knc/pmu/core_if.h>
#include <knc/pmu/front_end.h>

namespace knc::core {

struct rooms;

class core : public sc_core::sc_module,
             private device_client_if,
             private pmu::pmi_listener_if,
             private apic::message_listener_if {
  public:
    static constexpr std::size_t threads = base::threads_per_core;

    // RAM: how far it goes, and debug accesses of the page walker.
    tlm_utils::simple_initiator_socket<core> memory{"memory"};
    // MSRs the core does not hold: address = MSR number, 8 bytes.
    tlm_utils::simple_initiator_socket<core> msr{"msr"};
    // The PMU, beside its MSRs: counters to settle, RDPMC, SPFLT, the time-stamp counter.
    sc_core::sc_port<pmu::core_if> counters{"counters"};
    // Who is interrupted by the PMU (pmu::pmu::listener).
    sc_core::sc_export<pmu::pmi_listener_if> pmi{"pmi"};
    // The local APIC of each thread: its page (offset in the page, 4 bytes), and what it signals.
    sc_core::sc_vector<tlm_utils::simple_initiator_socket<core>> apic_page{"apic_page", threads};
    sc_core::sc_vector<sc_core::sc_port<apic::core_if>> apics{"apics", threads};
    // Who is told of messages that arrive there (apic::apic::listener).
    sc_core::sc_export<apic::message_listener_if> messages{"messages"};
    // The L1 caches, or cache::ideal_memory in place of both; whom they serve.
    sc_core::sc_port<cache::l1d_if> l1d{"l1d"};
    sc_core::sc_port<cache::l1i_if> l1i{"l1i"};
    sc_core::sc_export<cache::l1_client_if> l1_client{"l1_client"};
    // Accesses to devices, and their answers.
    device_port devices{"devices"};
    sc_core::sc_export<device_client_if> device_answers{"device_answers"};
    // May stay unbound.
    diagnostics_port diagnostics{"diagnostics"};

    // `signature`: CPUID leaf 1 EAX, EDX after reset.
    core(sc_core::sc_module_name, std::uint16_t index, const parameters&, isa::profile,
         std::uint32_t signature, base::ledger&, isa::code_map&);
    ~core() override;

    // As after power-on, at cycle now(): every thread, TLB and buffer; memory accesses under way
    // are lost. PMU, local APICs and caches have been reset by whoever owns them; what is counted
    // for reports goes on.
    void reset();

    // Runs cycles [now(), until); ends early, after a cycle in which something left the core.
    void run(base::cycle_t until);
    // First cycle at or after now() in which this core may do anything of its own accord;
    // base::never if only a message can wake it.
    base::cycle_t next_activity() const {
        if (!time_.activity_known()) find_next_activity();
        return time_.activity();
    }
    // Something was put into a local APIC from outside: look at them again.
    void notify();
    base::cycle_t now() const { return time_.now(); }
    // Accounts everything up to now(): counters and ground truth are then current.
    void settle();

    // The card's boot code has run on every thread: isa::enable_caches().
    void enable_caches();
    // Lets `thread` start at `eip` in flat 32-bit protected mode.
    void boot(std::size_t thread, std::uint32_t eip, std::uint32_t eax, std::uint32_t ebx);

    // From now on, attributes instructions and cycles to the code addresses in [lo, hi).
    void keep_profile(std::uint64_t lo, std::uint64_t hi);
    const profile* profiled() const;
    // How long this thread's performance interrupts took.
    const skid_statistics& skid(std::size_t thread) const;

    std::uint64_t instructions(std::size_t thread) const { return threads_[thread]->retired; }
    std::uint64_t instructions() const;
    const base::ledger& counts() const { return ledger_; }
    const isa::state& state(std::size_t thread) const { return threads_[thread]->context.s; }
    run_state running(std::size_t thread) const { return threads_[thread]->state; }
    // Why no thread of this core can go on, for a report of a deadlock.
    std::string why_stopped() const;
    void dump(std::ostream&) const;

    // Values for a waveform, refreshed by sample().
    void list_signals(const std::string& prefix, base::signal_list&) const;
    void sample();

  private:
    std::unique_ptr<thread> make_thread(std::size_t);
    void process_due_events();
    void begin_cycle();
    void settle_to(base::cycle_t now);
    void find_next_activity() const;
    void skip_to(base::cycle_t target);

    void end_of_elaboration() override;
    void start_of_simulation() override;
    // device_client_if
    void device_done(const device_request& answer, base::cycle_t at) override;
    // pmu::pmi_listener_if
    void overflowed(std::size_t thread, base::cycle_t now) override;
    void model_error(const std::string& text) override { diagnostics.model_error(text); }
    // apic::message_listener_if
    void message_arrived() override { notify(); }

    const std::uint16_t index_;
    const isa::profile profile_set_;
    const std::uint32_t signature_;
    const parameters parameters_;
    base::ledger& ledger_;
    const std::unique_ptr<rooms> rooms_;
    timeline& time_;
    thread_table& threads_;
    pmu::counter_bank* counters_ = nullptr;

    bool eventful_ = false;  // the caches did something in this cycle

    struct thread_signals {
        std::uint64_t pc = 0, state = 0, doing = 0, cpl = 0, instructions = 0;
    };
    std::array<thread_signals, threads> sampled_{};
};

}  // namespace knc::core

#endif
