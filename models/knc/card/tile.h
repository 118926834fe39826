// One tile: a core with its threads, its PMU, their local APICs, its caches, its directory
// slice and its stop of the ring.
//
// Models: the connections between them. Leaves out: everything inside them; each has a header of
// its own. Source: docs/architecture.md.
#ifndef KNC_CARD_TILE_H
#define KNC_CARD_TILE_H

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include <systemc>

#include <knc/apic/apic.h>
#include <knc/apic/probe.h>
#include <knc/base/archive_forward.h>
#include <knc/base/event.h>
#include <knc/base/signal.h>
#include <knc/cache/ideal_memory.h>
#include <knc/cache/l1d.h>
#include <knc/cache/l1i.h>
#include <knc/cache/l2_base.h>
#include <knc/cache/line_pins.h>
#include <knc/card/cache_probe.h>
#include <knc/card/device_requester.h>
#include <knc/card/directory.h>
#include <knc/card/event_probe.h>
#include <knc/card/l3.h>
#include <knc/card/parameters.h>
#include <knc/card/parts.h>
#include <knc/card/ports.h>
#include <knc/core/core.h>
#include <knc/pentium/memory_system.h>
#include <knc/pmu/front_end.h>
#include <knc/pmu/pmu.h>
#include <knc/pmu/probe.h>
#include <knc/ring/stop.h>

namespace knc::card {

class tile : public sc_core::sc_module, public tile_if {
  public:
    static constexpr std::size_t threads = base::threads_per_core;
    // Those that its core has. Numbers of threads and local APICs leave room for all.
    std::size_t thread_count() const { return thread_count_; }
    // Of cache monitoring, the present ID of each thread.
    const pmu::rmids::table& monitoring_ids() const { return rmids_.ids(); }

    // With caches; nullptr otherwise. The owner of the network binds the socket `ring` of the stop.
    std::unique_ptr<cache::l1d> l1d;
    std::unique_ptr<cache::l1i> l1i;
    std::unique_ptr<cache::l2_base> l2;
    std::unique_ptr<ring::stop> stop;
    std::unique_ptr<device_requester> requester;
    // With the card's own network only: one of the two.
    std::unique_ptr<card::directory> directory;
    std::unique_ptr<card::l3> l3;
    coherence::error_port errors{"errors"};
    // Without caches: accesses to devices.
    sc_core::sc_port<core::device_if, 1, sc_core::SC_ZERO_OR_MORE_BOUND> devices{"devices"};
    // Unbound, it reports through SystemC (SC_REPORT).
    core::diagnostics_port diagnostics{"diagnostics"};

    // The card's parts that a tile with caches needs.
    struct surroundings {
        const coherence::address_hash& hash;  // the home slices of lines
        coherence::line_store& memory;
        const parts& own;
    };

    // Without `around` the tile has the caches of a Pentium if the parameters say so, or none: its
    // memory is ideal.
    tile(sc_core::sc_module_name, std::uint16_t index, const parameters&, const base::clock&,
         isa::code_map&, const surroundings* around = nullptr);

    // Binds all sockets that access the card's memory.
    void bind_memory(tlm::tlm_base_target_socket_b<>&);

    core::core& cpu() { return core_; }
    const core::core& cpu() const { return core_; }
    // Pin `n` of a PMU that has some.
    pmu::pmu::line& pmu_pin(std::size_t n) { return pmu_.pins[n]; }
    pmu::card_front_end& pmu() { return *pmu_registers_; }
    const pmu::card_front_end& pmu() const { return *pmu_registers_; }
    apic::local_apic& apic(std::size_t thread) { return apics_[thread]->logic(); }
    const apic::local_apic& apic(std::size_t thread) const { return apics_[thread]->logic(); }
    // With caches: debug accesses (docs/coherence.md). They offer the tile's copies of the line,
    // and overwrite bytes of all of them.
    void view(coherence::debug_view&) const;
    void debug_write(coherence::line_t, const std::uint8_t* data, coherence::byte_mask);
    apic::apic& apic_module(std::size_t thread) { return *apics_[thread]; }

    // From now on, `r` learns what the tile's threads and caches do.
    void attach(base::recorder_if& r, bool instructions);

    // tile_if
    base::cycle_t next_activity() const override { return core_.next_activity(); }
    void keep_activity_in(base::cycle_t& where) override { core_.keep_activity_in(where); }
    void run(base::cycle_t until) override { core_.run(until); }
    void run_to(base::cycle_t until) override { core_.run_to(until); }
    base::cycle_t now() const override { return core_.now(); }
    void settle() override { core_.settle(); }
    std::uint64_t instructions() const override { return core_.instructions(); }
    std::string why_stopped() const override { return core_.why_stopped(); }
    bool interruptible() const override { return core_.interruptible(); }
    bool replies_pending() const override { return l2 && l2->replies_pending(); }
    bool observed() const override { return foreign_l2_ || core_.observed(); }
    bool still() const override;
    void run_sampled(base::cycle_t until, const sample_function&) override;
    base::cycle_t overflow_deadline() const override { return core_.overflow_deadline(); }
    void watch_overflows(bool on) override { core_.watch_overflows(on); }
    void hold() override { core_.hold(); }
    bool drained() override { return core_.drained(); }
    void enter_functional(const core::functional_place&) override;
    void leave_functional(base::cycle_t at) override { core_.leave_functional(at); }
    cache::footprint* used_lines() override { return used_ ? &*used_ : nullptr; }
    void begin_warm_up() override;
    bool warmed() override { return core_.warmed(); }
    void end_warm_up(base::cycle_t at) override;

    // With the caches of a Pentium: their bus; nullptr: there is none.
    const pentium::bus* front_side_bus() const { return bus_ ? &bus_->front_side_bus() : nullptr; }

    // The caches are empty; nothing is in flight. Lines are lost.
    void empty_caches();
    // Somebody outside reads or writes [paddr, paddr + size), which the caches of a Pentium must
    // learn.
    void inquire(std::uint64_t paddr, std::uint64_t size, bool write);
    // The state after power-on, in the core's present cycle. Lines in the caches are lost.
    void reset();
    // See core::core::serialize().
    void serialize(base::archive&);
    void list_signals(const std::string& prefix, base::signal_list&) const;
    // From now on, sample() updates only what these values need. Returns false if some of them may
    // change while the core is quiet.
    bool sample_only(const std::set<const std::uint64_t*>& values);
    // The line whose states are signals.
    void watch_line(coherence::line_t l) {
        if (cache_probe_) cache_probe_->watch(l);
    }
    // Some of these values show what happens within a cycle.
    bool records_cycles() const { return sampled_.pipelines; }
    // What happens in this cycle is recorded for the signals.
    void begin_sample() {
        if (sampled_.pipelines) core_.begin_sample();
    }
    // Updates the signals to the state after the cycle before core().now().
    void sample();

  private:
    void make_caches(const parameters&, const base::clock&, const surroundings&);
    std::unique_ptr<cache::l2_base> make_l2(std::uint8_t node, const parameters&,
                                            const base::clock&, const coherence::address_hash&);

    void list_cache_signals(const std::string& prefix, base::signal_list&) const;
    base::cycle_t next_sample() const;
    bool timer_runs() const;
    void make_home(std::uint8_t node, const parameters&, const base::clock&,
                   const coherence::address_hash&);

    const std::uint16_t index_;
    const std::size_t thread_count_;
    const bool foreign_l2_;  // a part of the user
    base::ledger ledger_;
    core::core core_;
    cache::line_pins pins_;
    std::unique_ptr<cache::ideal_memory> ideal_;   // without caches
    std::unique_ptr<pentium::memory_system> bus_;  // with those of a Pentium
    const bool monitored_;
    pmu::rmids rmids_;
    const cache::geometry l2_geometry_;
    std::optional<cache::footprint> used_;  // between a fast-forward and the end of its warm-up
    std::unique_ptr<pmu::card_front_end> pmu_registers_;
    pmu::pmu pmu_;
    std::array<std::unique_ptr<apic::apic>, threads> apics_;  // of those that there are
    pmu::probe pmu_probe_;
    event_probe core_events_;
    std::optional<cache_probe> cache_probe_;  // with caches
    std::uint64_t device_waits_ = 0;
    std::array<apic::probe, threads> apic_probes_;
    // What sample() updates.
    struct {
        bool core = true, pipelines = true, pmu = true, caches = true, pins = false;
        std::array<bool, threads> apic{true, true, true, true};
    } sampled_;
};

}  // namespace knc::card

#endif
