// The card: tiles, interrupt fabric, memory, SBOX and the test device page, with the scheduler that
// runs the tiles in temporal decoupling.
//
// Models: tiles with their caches, connected by ring, directory slices and GDDR5, or tiles with an
// ideal memory; devices behind the ring; interrupt messages of fixed latency; the test device page;
// the windows to the host and its aperture; the bootstrap, which starts what the host has copied to
// memory (knc/card/bootstrap.h). Leaves out: DMA. Source: docs/architecture.md.
#ifndef KNC_CARD_CARD_H
#define KNC_CARD_CARD_H

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

#include <systemc>
#include <tlm>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <knc/base/archive_forward.h>
#include <knc/base/clock.h>
#include <knc/base/recorder.h>
#include <knc/base/signal.h>
#include <knc/card/network.h>
#include <knc/card/parameters.h>
#include <knc/card/parts.h>
#include <knc/card/run_control.h>
#include <knc/card/tile.h>
#include <knc/sbox/sbox.h>

namespace knc::card {

class cmt;

class card : public sc_core::sc_module {
  public:
    // Host accesses to the card's physical address space (memory, test device), which complete at
    // once. Loader, report and debugger use transport_dbg.
    tlm_utils::simple_target_socket<card> host{"host"};

    // Host accesses to the card's registers, as in its BAR4: DBOX at 0, SBOX at 0x10000, 128 KB;
    // beyond it, an address error. If bound, the host may interrupt the card at any time: tiles are
    // then ahead of SystemC time by core.device_cycles at most, and a card whose threads all sleep
    // waits for its host. Register accesses through `host` may reach threads later.
    tlm_utils::simple_target_socket_optional<card> mmio{"mmio"};
    // Host accesses to the card's memory, as in its BAR0: identical addresses, coherent, without a
    // copy in a cache, over the ring, in time. If bound, as for `mmio`. With an ideal memory, as
    // `host`.
    tlm_utils::simple_target_socket_optional<card> aperture{"aperture"};
    // Warm reset by a rise, as by a write of RGCR: every thread, PMU, local APIC, TLB, cache and
    // device is in its state after power-on, core.device_cycles later. Messages, accesses and
    // interrupts in flight are lost, and so are dirty lines of the caches. Memory is kept. When the
    // pin has fallen, or at once after RGCR, the boot thread starts at the entry of boot(), as a
    // card's bootstrap would start it. If bound, as for `mmio`.
    sbox::sbox::input reset{"reset"};
    // 1 while the card interrupts its host.
    sbox::sbox::output host_interrupt{"host_interrupt"};

    // The card's accesses to its host: physical addresses 0x80'0000'0000 and up, translated by the
    // SMPT registers; after reset, relative to the first. Unbound: these addresses have no target.
    tlm_utils::simple_initiator_socket_optional<card> system{"system"};

    // `own`: parts of the user that replace the card's, in a card with caches.
    card(sc_core::sc_module_name, const parameters&, run_control, const parts& own = {});
    ~card() override;

    const parameters& config() const;
    std::size_t tiles() const;
    tile& operator[](std::size_t i);
    const tile& operator[](std::size_t i) const;

    // Starts thread 0 of the boot core at `eip` in flat 32-bit protected mode; called before
    // sc_start(). Without a call, it waits in the bootstrap for an image of the host's.
    void boot(std::uint32_t eip, std::uint32_t eax, std::uint32_t ebx);
    // The same at any entry.
    void boot(const isa::entry_point&);

    // run_control::input has characters again. To be called from a function of run_control.
    void input_ready();
    // Ends the run at cycle `at` with the reason `deadline`, unless another call changes that;
    // base::never: it goes on. To be called before sc_start() or from run_control::console. Returns
    // the cycle, which may be later by core.device_cycles at most.
    base::cycle_t set_deadline(base::cycle_t at);
    // Ends the run with the reason `user`. To be called from a function of run_control.
    void stop(const std::string& detail);

    // Calls run_control::attended in cycle `at`, in which all tiles then are; in the present one if
    // that has passed. To be called before sc_start() or from a function of run_control. The last
    // call counts.
    void request_attention(base::cycle_t at);
    // Calls run_control::observed likewise. The run ends when it would end without that.
    void request_observation(base::cycle_t at);
    // Signals are sampled in cycles [from, to), in place of those of run_control. To be called from
    // run_control::marker, with a `from` of core.device_cycles after the marker's cycle or later,
    // or from run_control::sampled.
    void set_trace_window(base::cycle_t from, base::cycle_t to);
    // From now on, only these signals are updated by a sample.
    // Returns whether some of them show what happens within a cycle: such a cycle must have begun
    // inside of the window.
    bool sample_only(const base::signal_list&);
    // From now on until it returns true, calls `f` at each cycle by which a counter has overflowed
    // or a PMI line has risen since the call before, and at other cycles; all tiles are at that
    // cycle. It may call set_trace_window(), with a `from` of that cycle - 1 or later. While more
    // than one tile is active, tiles advance one cycle at a time. To be called before sc_start() or
    // from run_control::sampled.
    void watch_overflows(std::function<bool(base::cycle_t)> f);
    // What RDMSR or WRMSR does that hardware thread `thread` (core * 4 + thread of the core)
    // executes at ring 0 between two instructions, but for its time and its events. Returns false
    // for #GP(0). To be called from run_control::attended or observed; the thread exists.
    bool read_msr(std::size_t thread, std::uint32_t number, std::uint64_t& value);
    bool write_msr(std::size_t thread, std::uint32_t number, std::uint64_t value);

    // What the network between the tiles has carried; without caches, nothing. To be called from
    // run_control::observed or after the run.
    network_counts carried() const;
    // Cache monitoring; nullptr: there is none.
    const cmt* cache_monitor() const;
    ring_counts ring() const;  // the same stop by stop

    // ---- checkpoints (docs/checkpoints.md)
    // Why the state cannot be saved, or loaded, now; empty: it can.
    std::string why_not_saved() const;
    // Saves the whole state, or loads it into a card of the same parameters. To be called from
    // run_control::fast_forward_ended or restore. Throws base::archive_error.
    void serialize(base::archive&);

    const outcome& result() const;
    // The fast-forwards of the run until now; the last one may not have ended.
    const std::vector<fast_forward_record>& fast_forwards() const;
    std::uint64_t resets() const;  // since the start
    base::cycle_t now() const;     // cycles simulated since the start
    std::uint64_t instructions() const;
    // Prints the state of every thread that ever ran, for a run with an error.
    // `names`: says where they are; may be nullptr.
    void dump(std::ostream&, core::code_names_if* names = nullptr) const;
    // From now on, counts instructions and cycles by the code that `f` finds (knc/core/profile.h).
    // Called once.
    void keep_profile(core::code_finder_if& f);
    // From now on, `r` learns what the threads and caches do (knc/base/recorder.h), and of each
    // instruction if it asks for them. Called once, after keep_profile(), before sc_start().
    void attach(base::recorder_if& r, bool instructions = false);
    // All signals of the card, with names relative to it. From now on they may be sampled.
    base::signal_list signals() const;
    // Signals show the states of the line at `paddr`.
    void watch_line(std::uint64_t paddr);
    // From now on, `f` numbers the functions that threads execute, for their signals.
    void name_functions(core::function_numbers_if& f);

  private:
    void host_transport(tlm::tlm_generic_payload&, sc_core::sc_time&);
    unsigned host_debug(tlm::tlm_generic_payload&);
    void end_of_elaboration() override;
    void reset_changed();
    void mmio_transport(tlm::tlm_generic_payload&, sc_core::sc_time&);
    unsigned mmio_debug(tlm::tlm_generic_payload&);
    void aperture_transport(tlm::tlm_generic_payload&, sc_core::sc_time&);

    struct impl;
    std::unique_ptr<impl> impl_;
};

}  // namespace knc::card

#endif
