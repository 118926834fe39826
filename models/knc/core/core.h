// The core: four hardware threads, or fewer, in order; one of them issues per cycle.
//
// Models: the cycles of the core. In a cycle, due events are processed, then one ready thread
// issues an instruction or a U/V pair. Cycles without either are skipped. Every event is counted in
// the cycle of its cause. The parts are classes of their own (knc/core/rooms.h). Leaves out: caches
// and memory (knc/cache), the counters (knc/pmu), the local APICs (knc/apic). Source: system
// software developer's guide 2.1.2; PMU guide 327357-001; docs/pipeline.md.
#ifndef KNC_CORE_CORE_H
#define KNC_CORE_CORE_H

#include <array>
#include <cstdint>
#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

#include <systemc>
#include <tlm>
#include <tlm_utils/simple_initiator_socket.h>

#include <knc/apic/processor.h>
#include <knc/base/archive_forward.h>
#include <knc/base/clock.h>
#include <knc/base/event.h>
#include <knc/base/recorder.h>
#include <knc/base/signal.h>
#include <knc/cache/l1_if.h>
#include <knc/core/debugger.h>
#include <knc/core/functional_place.h>
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
class pipeline_signals;

class core : public sc_core::sc_module,
             private device_client_if,
             private pmu::pmi_listener_if,
             private apic::message_listener_if {
  public:
    // The most. A thread that the core has not got (parameters::threads) waits for SIPI for ever.
    static constexpr std::size_t threads = base::threads_per_core;

    // RAM: its size, and debug accesses of the page walker.
    tlm_utils::simple_initiator_socket<core> memory{"memory"};
    // MSRs outside the core: address = MSR number, 8 bytes.
    tlm_utils::simple_initiator_socket<core> msr{"msr"};
    // The PMU, beside its MSRs: counters to settle, RDPMC, SPFLT, the time-stamp counter.
    sc_core::sc_port<pmu::core_if> counters{"counters"};
    // Receives the PMIs of the PMU (pmu::pmu::listener).
    sc_core::sc_export<pmu::pmi_listener_if> pmi{"pmi"};
    // The local APIC of each thread: its page (offset in the page, 4 bytes), and its registers.
    // Of the threads that the core has.
    sc_core::sc_vector<tlm_utils::simple_initiator_socket<core>> apic_page;
    sc_core::sc_vector<sc_core::sc_port<apic::core_if>> apics;
    // Receives the APICs' notifications about messages (apic::apic::listener).
    sc_core::sc_export<apic::message_listener_if> messages{"messages"};
    // The L1 caches, or cache::ideal_memory instead of both. `l1_client` receives their
    // notifications and responses.
    sc_core::sc_port<cache::l1d_if> l1d{"l1d"};
    sc_core::sc_port<cache::l1i_if> l1i{"l1i"};
    sc_core::sc_export<cache::l1_client_if> l1_client{"l1_client"};
    // Accesses to devices, and the responses to them.
    device_port devices{"devices"};
    sc_core::sc_export<device_client_if> device_answers{"device_answers"};
    // Unbound, the PMU's pins lead to the local APIC at most.
    sc_core::sc_port<pmu_wire_if, 1, sc_core::SC_ZERO_OR_MORE_BOUND> pmu_wire{"pmu_wire"};
    // Unbound, it reports through SystemC (SC_REPORT).
    diagnostics_port diagnostics{"diagnostics"};

    // `signature`: CPUID leaf 1 EAX, EDX after reset.
    core(sc_core::sc_module_name, std::uint16_t index, const parameters&, isa::profile,
         std::uint32_t signature, base::ledger&, isa::code_map&);
    ~core() override;

    // The state after power-on, at cycle now(): every thread, TLB and buffer; memory accesses in
    // flight are lost. The owner of PMU, local APICs and caches resets those first. Statistics for
    // reports are kept.
    void reset();

    // Runs the cycles [now(), until). Returns early, after a cycle in which a message left the
    // core.
    void run(base::cycle_t until);
    // The same, but does not return early.
    void run_to(base::cycle_t until);
    // The first cycle at or after now() in which this core may act without a message from outside;
    // base::never if there is none.
    base::cycle_t next_activity() const {
        if (!time_.activity_known()) find_next_activity();
        return time_.activity();
    }
    // From now on, it is also at `where`; base::not_known there: next_activity() knows it.
    void keep_activity_in(base::cycle_t& where) { time_.keep_activity_in(where); }
    // A local APIC has received something from outside: its state must be polled again.
    void notify();
    base::cycle_t now() const { return time_.now(); }
    // Accounts all cycles before now(): counters and ledger are then current.
    void settle();

    // ---- fast-forward
    // From now on, no thread issues an instruction, and none waits for a line.
    void hold();
    // A core that holds: whether nothing of its threads is in flight any more, neither in its
    // caches nor to a device.
    bool drained();
    // A drained core, whose caches are empty, executes functionally from now on.
    void enter_functional(const functional_place&);
    // Again in time, from cycle `at` on, which is now() or later.
    void leave_functional(base::cycle_t at);
    // Right after leave_functional(): in the next cycles, the threads stand still, and their caches
    // fetch these lines, in this order. Nothing of that counts.
    void begin_warm_up(std::vector<cache::used_line>);
    // They have them, and nothing is in flight.
    bool warmed();
    // The threads go on in cycle `at`; not before now().
    void end_warm_up(base::cycle_t at);
    // Right after leave_functional(): nothing is in flight. What is loaded begins there too; the
    // ledger, the PMU and the local APICs are loaded already.
    void serialize(base::archive&);

    // The state after the card's boot code has run on every thread: isa::enable_caches().
    void enable_caches();
    // Starts `thread` at `eip` in flat 32-bit protected mode.
    void boot(std::size_t thread, const isa::entry_point&);
    // In 32-bit protected mode.
    void boot(std::size_t thread, std::uint32_t eip, std::uint32_t eax, std::uint32_t ebx);

    // An access from outside: what RDMSR or WRMSR of `thread` does at ring 0 between two of its
    // instructions, in cycle now(), but for its time and its events. False: #GP(0).
    bool read_msr(std::size_t thread, std::uint32_t number, std::uint64_t& value);
    bool write_msr(std::size_t thread, std::uint32_t number, std::uint64_t value);

    // From now on, counts instructions and cycles by the code that `f` finds.
    void keep_profile(code_finder_if& f);
    const profile* profiled() const { return profile_.get(); }
    // From now on, `r` learns what the threads do, and, if it asks for them, of each instruction.
    void attach(base::recorder_if& r, bool instructions);
    // ---- a debugger
    // From now on, `d` may watch threads. Called once.
    void attach(debugger_if& d);
    // Whoever has attached himself is called while the core runs.
    bool observed() const { return profile_ || recorder_ != nullptr || has_debugger_; }
    bool has_debugger() const { return has_debugger_; }
    // It is asked before each instruction of `thread`, or no more.
    void watch(std::size_t thread, bool on) {
        threads_[thread]->ask_debugger(on);
        time_.disturb();
    }
    // Accesses of every thread to these data leave a note (isa::breakpoints); `w` outlives the
    // core. To be called again when it has changed; nullptr: nothing is watched.
    void watch_data(const std::vector<isa::outside_watch>* w);
    // To read registers, to look for memory, and to write registers for which update_mode() is
    // enough.
    isa::context& context(std::size_t thread) {
        time_.disturb();
        return threads_[thread]->context;
    }
    // The thread continues at `ip`. Returns false if it is in the middle of an instruction.
    bool move(std::size_t thread, std::uint64_t ip);

    // The skid of this thread's performance interrupts.
    const skid_statistics& skid(std::size_t thread) const;
    const skid_records& interrupts(std::size_t thread) const;  // some of them

    std::uint64_t instructions(std::size_t thread) const { return threads_[thread]->retired; }
    std::uint64_t instructions() const;
    // The cycles in which the thread was neither halted, nor shut down, nor waiting for SIPI.
    base::cycle_t awake_cycles(std::size_t thread) const;
    const base::ledger& counts() const { return ledger_; }
    const isa::state& state(std::size_t thread) const { return threads_[thread]->context.s; }
    run_state running(std::size_t thread) const { return threads_[thread]->state; }
    // The reason why no thread of this core can continue, for a report of a deadlock.
    std::string why_stopped() const;
    // An interrupt would wake one of its threads.
    bool interruptible() const;
    // `places`: says where the threads are; may be nullptr.
    void dump(std::ostream&, code_names_if* places) const;

    // Values for a waveform, refreshed by sample().
    void list_signals(const std::string& prefix, base::signal_list&) const;
    // Those of them that may change in every cycle.
    void list_cycle_signals(base::signal_list&) const;
    // What issues in this cycle is recorded for them.
    void begin_sample();
    void sample();
    // From now on, a waveform shows what the caches have in each cycle.
    void sample_caches();
    // Before next_activity(), these values change in this cycle first; base::never: in none.
    base::cycle_t next_change() const;
    // Every thread sleeps: before next_activity(), these values stay as they are.
    bool still() const;
    // The last run has ended because a message left the core.
    bool left() const { return time_.left(); }
    // How often the PMU's line of `thread` has risen since the start; the address stays.
    const std::uint64_t& pmi_rises(std::size_t thread) const { return pmi_rises_[thread]; }
    // run() returns after each cycle in which software has accessed the PMU, so that
    // overflow_deadline() is known again.
    void watch_overflows(bool on);
    // No counter overflows before the last cycle before this one, unless software accesses the PMU.
    base::cycle_t overflow_deadline() const { return counters_->deadline(); }
    // A counter may count in cycles in which nothing happens.
    bool counts_when_quiet() const { return counters_->counts_when_quiet(); }
    // Bit n: thread n waits for the response of a device.
    unsigned device_waits() const;
    // From now on, `f` numbers the functions that the traced threads execute.
    void name_functions(function_numbers_if& f);

  private:
    std::unique_ptr<thread> make_thread(std::size_t);
    // Events count, and counters change with them.
    bool counting() const { return mode_ == mode::timed || mode_ == mode::held; }
    void begin_run();
    void run_on(base::cycle_t until, bool stops);
    void run_timed(base::cycle_t until, bool stops);
    void run_otherwise(base::cycle_t until);
    void run_held(base::cycle_t until);
    void run_functional(base::cycle_t until);
    void run_warming(base::cycle_t until);
    void begin_timed();
    void process_due_events();
    void begin_cycle();
    void settle_to(base::cycle_t now);
    void find_next_activity() const;
    void loaded();
    void skip_to(base::cycle_t target);
    void look_at_counters();

    void end_of_elaboration() override;
    void start_of_simulation() override;
    // device_client_if
    void device_done(const device_request& answer, base::cycle_t at) override;
    // pmu::pmi_listener_if
    void overflowed(std::size_t thread, base::cycle_t now) override;
    void pin_changes(std::size_t pin, bool rises, base::cycle_t from) override;
    void model_error(const std::string& text) override { diagnostics.model_error(text); }
    // apic::message_listener_if
    void message_arrived() override { notify(); }

    const std::uint16_t index_;
    const isa::profile profile_set_;
    const std::uint32_t signature_;
    const parameters parameters_;
    base::ledger& ledger_;
    const std::unique_ptr<rooms> rooms_;
    std::unique_ptr<profile> profile_;
    base::recorder_if* recorder_ = nullptr;
    timeline& time_;
    thread_table& threads_;
    const std::unique_ptr<apic::local_apic> no_apic_;  // of threads that it has not got
    pmu::counter_bank* counters_ = nullptr;
    const std::vector<isa::outside_watch>* watched_data_ = nullptr;

    enum class mode : std::uint8_t { timed, held, functional, warming };
    mode mode_ = mode::timed;
    base::event_counts before_warming_{};  // the ledger's
    bool has_debugger_ = false;
    bool eventful_ = false;      // the caches processed an event in this cycle
    bool line_changed_ = false;  // a line of the PMU has changed since look_at_counters()

    struct thread_signals {
        std::uint64_t pc = 0, state = 0, doing = 0, cpl = 0, instructions = 0;
    };
    std::array<thread_signals, threads> sampled_{};
    std::array<std::uint64_t, threads> pmi_rises_{};
    const std::unique_ptr<pipeline_signals> pipeline_signals_;
};

}  // namespace knc::core

#endif
