// The core: four hardware threads, in order; one of them issues per cycle.
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

#include <systemc>
#include <tlm>
#include <tlm_utils/simple_initiator_socket.h>

#include <knc/apic/local_apic.h>
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

class core : public sc_core::sc_module, public pmu::pmi_listener {
  public:
    static constexpr std::size_t threads = base::threads_per_core;

    // RAM: its size, direct access to it (direct_memory), and debug accesses.
    tlm_utils::simple_initiator_socket<core> memory{"memory"};
    // MSRs outside the core: address = MSR number, 8 bytes.
    tlm_utils::simple_initiator_socket<core> msr{"msr"};
    // The PMU, beside its MSRs: counters to settle, RDPMC, SPFLT, the time-stamp counter.
    sc_core::sc_port<pmu::core_if> counters{"counters"};
    // The local APIC page of each thread: offset in the page, 4 bytes.
    std::array<std::unique_ptr<tlm_utils::simple_initiator_socket<core>>, threads> apic_page;

    // `signature`: CPUID leaf 1 EAX, EDX after reset.
    core(sc_core::sc_module_name, std::uint16_t index, const parameters&, isa::profile,
         std::uint32_t signature, base::ledger&, isa::code_map&, outside&);
    ~core() override;

    // Called once, before the first run().
    void connect(const std::array<apic::local_apic*, threads>&);

    // The L1 caches, or cache::ideal_memory instead of them; called before the first run(), or
    // before reset().
    void connect(cache::l1d_if&, cache::l1i_if&);
    // The host address of memory, if the target of `memory` grants direct access; nullptr
    // otherwise. Valid after the first connect().
    std::uint8_t* direct_memory() const { return direct_memory_; }
    // Receives the notifications and responses of the L1 caches.
    cache::l1_client_if& l1_client();

    // The state after power-on, at cycle now(): every thread, TLB and buffer; memory accesses in
    // flight are lost. The owner of PMU, local APICs and caches resets those first. Statistics for
    // reports are kept.
    void reset();

    // Runs the cycles [now(), until). Returns early, after a cycle in which a message left the
    // core.
    void run(base::cycle_t until);
    // The first cycle at or after now() in which this core may act without a message from outside;
    // base::never if there is none.
    base::cycle_t next_activity() const {
        if (!time_.activity_known()) find_next_activity();
        return time_.activity();
    }
    // A local APIC has received something from outside: its state must be polled again.
    void notify();
    base::cycle_t now() const { return time_.now(); }
    // Accounts all cycles before now(): counters and ledger are then current.
    void settle();

    // The state after the card's boot code has run on every thread: isa::enable_caches().
    void enable_caches();
    // Starts `thread` at `eip` in flat 32-bit protected mode.
    void boot(std::size_t thread, std::uint32_t eip, std::uint32_t eax, std::uint32_t ebx);
    // The response to a device_request, with the data of a read: its thread continues in cycle
    // `at`.
    void device_done(const device_request& answer, base::cycle_t at);

    // From now on, attributes instructions and cycles to the code addresses in [lo, hi).
    void keep_profile(std::uint64_t lo, std::uint64_t hi);
    const profile* profiled() const;
    // The skid of this thread's performance interrupts.
    const skid_statistics& skid(std::size_t thread) const;

    std::uint64_t instructions(std::size_t thread) const { return threads_[thread]->retired; }
    std::uint64_t instructions() const;
    const base::ledger& counts() const { return ledger_; }
    const isa::state& state(std::size_t thread) const { return threads_[thread]->context.s; }
    run_state running(std::size_t thread) const { return threads_[thread]->state; }
    // The reason why no thread of this core can continue, for a report of a deadlock.
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

    // pmu::pmi_listener
    void pmi(std::size_t thread, base::cycle_t now) override;
    void model_error(const std::string& text) override { outside_.model_error(text); }

    const std::uint16_t index_;
    const isa::profile profile_set_;
    const std::uint32_t signature_;
    const parameters parameters_;
    base::ledger& ledger_;
    outside& outside_;
    const std::unique_ptr<rooms> rooms_;
    timeline& time_;
    thread_table& threads_;
    pmu::counter_bank* counters_ = nullptr;
    std::uint8_t* direct_memory_ = nullptr;

    bool eventful_ = false;  // the caches processed an event in this cycle

    struct thread_signals {
        std::uint64_t pc = 0, state = 0, doing = 0, cpl = 0, instructions = 0;
    };
    std::array<thread_signals, threads> sampled_{};
};

}  // namespace knc::core

#endif
