// The core: four hardware threads, in order, one of them issuing per clock.
//
// Models: round-robin issue of one instruction or a U/V pair, no back-to-back issue of one thread,
// occupancy of the execution stage, address-generation interlocks, bank conflicts of pairs, branch
// prediction per thread, TLBs and page walks, latency of x87 results, microcode that stalls the
// other threads, interrupts at instruction boundaries, HLT and DELAY, every event of these at the
// clock of its cause. Leaves out: caches (memory answers in the clock of the access). Source:
// system software developer's guide 2.1.2; PMU guide 327357-001; docs/pipeline.md.
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
#include <knc/base/access.h>
#include <knc/base/clock.h>
#include <knc/base/event.h>
#include <knc/base/signal.h>
#include <knc/cache/hierarchy.h>
#include <knc/core/banks.h>
#include <knc/core/branch_predictor.h>
#include <knc/core/cycle_accounting.h>
#include <knc/core/issue_rules.h>
#include <knc/core/parameters.h>
#include <knc/core/picker.h>
#include <knc/core/ports.h>
#include <knc/core/profile.h>
#include <knc/core/scoreboard.h>
#include <knc/core/thread.h>
#include <knc/core/timeline.h>
#include <knc/core/tlb.h>
#include <knc/isa/code_map.h>
#include <knc/isa/decode_cache.h>
#include <knc/pmu/core_if.h>
#include <knc/pmu/front_end.h>

namespace knc::core {

class core : public sc_core::sc_module,
             private isa::code_map::observer,
             public pmu::pmi_listener,
             public cache::client {
  public:
    static constexpr std::size_t threads = base::threads_per_core;

    // RAM: the core asks once for direct access and reaches memory through it.
    tlm_utils::simple_initiator_socket<core> memory{"memory"};
    // MSRs the core does not hold: address = MSR number, 8 bytes.
    tlm_utils::simple_initiator_socket<core> msr{"msr"};
    // The local APIC page of each thread: offset in the page, 4 bytes.
    std::array<std::unique_ptr<tlm_utils::simple_initiator_socket<core>>, threads> apic_page;

    // `signature`: CPUID leaf 1 EAX, EDX after reset.
    core(sc_core::sc_module_name, std::uint16_t index, const parameters&, isa::profile,
         std::uint32_t signature, base::ledger&, isa::code_map&, outside&);

    // To be called once, before the first run().
    void connect(pmu::core_if&, const std::array<apic::local_apic*, threads>&);

    // The caches between this core and the rest; before the first run(), or before reset().
    // Without, memory answers in the clock of the access.
    void connect(cache::hierarchy&);
    // A message for them that arrives at `clock`, which is not in the past.
    void receive(const coherence::message&, base::cycle_t clock);

    // As after power-on, at clock now(): every thread, TLB and buffer; memory accesses under way
    // are lost. PMU, local APICs and caches have been reset by whoever owns them; what is counted
    // for reports goes on.
    void reset();

    // Runs clocks [now(), until); ends early, after a clock in which something left the core.
    void run(base::cycle_t until);
    // First clock at or after now() in which this core may do anything of its own accord;
    // base::never if only a message can wake it.
    base::cycle_t next_activity() const {
        if (!next_known_) find_next_activity();
        return next_activity_;
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
    // The answer to a device_request, with the data of a read: its thread goes on at clock `at`.
    void device_done(const device_request& answer, base::cycle_t at);

    // From now on, attributes instructions and clocks to the code addresses in [lo, hi).
    void keep_profile(std::uint64_t lo, std::uint64_t hi);
    const profile* profiled() const { return profile_.get(); }
    // How long this thread's performance interrupts took.
    const skid_statistics& skid(std::size_t thread) const {
        return threads_[thread]->skid.statistics();
    }

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
    friend class thread;

    std::unique_ptr<thread> make_thread(std::size_t);
    void issue(thread&);
    isa::insn* fetch(thread&, std::uint64_t la, bool shadow);
    isa::insn* fetch_slow(thread&, std::uint64_t la, bool shadow);
    isa::insn* remember_crossing(thread&, const isa::insn&, std::uint64_t la, std::uint64_t paddr);
    // What was decoded from memory may lie behind the limit of the present code segment.
    static bool beyond_limit(const isa::context& c, std::uint64_t ip, const isa::insn& i) {
        return __builtin_expect(c.code_limited, 0) && ip + i.length - 1 > c.s.seg[isa::cs].limit;
    }
    bool request_code(thread&, std::uint64_t la, unsigned length);
    bool code_at_hand(const thread& t, std::uint64_t la, unsigned length) const {
        const std::uint64_t last =
            (la + length - 1) & ~(std::uint64_t{parameters_.fetch_bytes} - 1);
        return last == t.fetch_chunk || caches_ == nullptr || code_can_be_had(t, la, length);
    }
    bool code_can_be_had(const thread&, std::uint64_t la, unsigned length) const;
    bool code_arrives(thread&, std::uint64_t la, std::uint64_t from, std::uint64_t last);
    unsigned code_bytes(std::uint64_t paddr, unsigned size, std::uint8_t* bytes) const;
    void look_at_caches();
    void run_caches();
    void release_lines(thread&);
    bool wait_for_writes(thread&, const isa::insn&);
    void count_fetches(thread&, std::uint64_t requests);
    static void prepare(isa::insn&);
    isa::insn* decide_pairing(thread&, isa::insn*, std::uint64_t la);
    void wait_for_translation(thread&);
    void evicted(const tlb_result&, bool code);
    void interlock(thread&, const isa::insn& u, const isa::insn* v);
    bool wait_for_x87(thread&, const isa::insn& u);
    void keep_x87_results(thread&, const isa::insn& u, unsigned top, const isa::insn* v);
    static data_access access_of(const isa::context&, const isa::insn&);
    unsigned count_both_pipes(base::event_row&, const data_access& u, const data_access& v) const;
    void resolve_branch(thread&, const isa::insn&, std::uint64_t ip, bool in_v);
    static base::cycle_t set_up_cycles(const thread&, const isa::insn&);
    void begin_late(thread&, const isa::insn&);
    void complete_late(thread&);
    void count_retired(thread&, std::uint64_t ip);
    void not_retired(thread&, std::uint64_t ip, isa::status, const isa::insn*);
    void after(thread&, const isa::insn&, bool single_step);
    std::uint32_t due_conditions(thread&, bool single_step);
    void debug_trap(thread&, std::uint32_t conditions);
    base::cycle_t uncached_cycles(thread&);
    void wait(thread&, base::cycle_t busy);
    void halt(thread&);
    void send_combined(thread&);
    void delay(thread&);
    static bool wakes(const thread&);
    bool take_event(thread&, bool shadow);
    void deliver(thread&, isa::event_kind, const isa::fault&, std::uint64_t next_ip);
    void enter_init(thread&);
    void enter_startup(thread&, std::uint8_t vector);
    void shut_down(thread&, const char* why);

    void process_due_events();
    void begin_cycle();
    void settle_to(base::cycle_t now);
    void count_at(thread&, base::privilege);
    void commit_privilege(thread&);
    void wake_up(thread&);
    void sleep(thread&, run_state, base::cycle_t from);
    void poll_apics();
    void plan_next_event();
    void find_next_activity() const;
    void skip_to(base::cycle_t target);

    void pmi_arrives(thread&, const pmi_edge&);
    void observe(thread&, std::uint64_t ip);
    static void handler_entered(thread&, bool as_asked);
    void handler_issues(thread&);

    void access_apic(thread&, device_request&);
    bool access_msr(thread&, std::uint32_t number, bool write, std::uint64_t& value);
    base::access& begin_counted(thread&);
    bool end_counted(thread&, bool accepted);

    // cache::client
    void data_not_writable(coherence::line_t, const std::uint8_t* host) override;
    void data_lost(coherence::line_t, const std::uint8_t* host) override;
    void code_lost(coherence::line_t) override;
    void wake(unsigned thread, base::cycle_t clock) override;
    void stores_performed(unsigned thread) override;
    void stored(std::uint64_t paddr, unsigned size) override;
    bool holds_code(coherence::line_t) const override;
    void uncached_done(unsigned thread, std::uint32_t ticket, const std::array<std::uint8_t, 8>&,
                       base::cycle_t clock) override;
    // isa::code_map::observer
    void code_marked(std::uint64_t paddr) override;
    void code_dropped(std::uint64_t page_number) override;
    // pmu::pmi_listener
    void pmi(std::size_t thread, base::cycle_t now) override;
    void model_error(const std::string& text) override { outside_.model_error(text); }

    const std::uint16_t index_;
    const isa::profile profile_set_;
    const std::uint32_t signature_;
    const parameters parameters_;
    base::ledger& ledger_;
    isa::code_map& code_map_;
    outside& outside_;
    pmu::counter_bank* pmu_ = nullptr;
    pmu::core_if* pmu_port_ = nullptr;
    cache::hierarchy* caches_ = nullptr;
    std::uint8_t* ram_ = nullptr;
    std::uint64_t ram_size_ = 0;

    timeline time_;
    picker picker_;
    cycle_accounting accounting_;
    scoreboard scoreboard_;
    mutable bool next_known_ = false;  // nothing has happened since it was found
    mutable base::cycle_t next_activity_ = 0;
    bool eventful_ = false;  // the caches did something in this clock

    std::array<std::unique_ptr<thread>, threads> threads_;
    isa::decode_cache decoded_;
    tlb tlb_;
    std::unique_ptr<profile> profile_;
    base::access extension_;
    struct thread_signals {
        std::uint64_t pc = 0, state = 0, doing = 0, cpl = 0, instructions = 0;
    };
    std::array<thread_signals, threads> sampled_{};
};

}  // namespace knc::core

#endif
