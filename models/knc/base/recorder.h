// A recorder of what the threads of a card do: for a time line, a log, a debugger's history.
//
// Models no hardware: each part of the card tells it of a step in the clock of the step. It looks
// and changes nothing; no simulated time passes, and nothing counts. A part without a recorder
// tests one pointer, on paths that are rare; only who asks for each instruction pays for each
// instruction. Calls for one thread come in the order of their clocks. Those for different threads
// do not, as tiles run ahead of each other (docs/architecture.md, "Time"). Leaves out: data.
#ifndef KNC_BASE_RECORDER_H
#define KNC_BASE_RECORDER_H

#include <cstdint>

#include <knc/base/clock.h>
#include <knc/base/event.h>

namespace knc::base {

enum class run_state : std::uint8_t { running, halted, wait_for_sipi, shutdown };

struct thread_number {
    std::uint16_t core = 0;
    std::uint8_t thread = 0;  // of the core
};
// The sender of an interrupt message that comes from no local APIC.
inline constexpr thread_number no_thread{0xffff, 0};

struct retired_instruction {
    std::uint64_t ip = 0;
    std::uint64_t paddr = 0;  // of its first byte
    bool in_v = false;
    privilege level = supervisor;
};

// The delivery of an exception or interrupt; the entry into its handler begins.
struct event_entry {
    enum class cause : std::uint8_t { exception, interrupt, nmi };
    cause why = cause::exception;
    std::uint8_t vector = 0;
    std::uint8_t cpl = 0;  // of the code that is interrupted
    bool has_error_code = false;
    std::uint32_t error_code = 0;
    std::uint64_t ip = 0, sp = 0;     // to which its handler will return
    std::uint64_t fault_address = 0;  // of #PF
};

// What became of a performance interrupt at the local APIC.
enum class pmi_fate : std::uint8_t {
    requested,
    merged,  // its vector, or the NMI, was requested already
    lost     // LVT entry 0x340 was masked or could not be used
};

// Every function does nothing unless it is overridden.
class recorder_if {
  public:
    // ---- threads
    // In state `s` from clock `from` on. A thread that has not been named waits for SIPI.
    virtual void state_changed(thread_number, run_state, cycle_t /*from*/) {}
    // The core was reset: nothing is under way, and all its threads wait for SIPI.
    virtual void reset(std::uint16_t /*core*/, cycle_t /*now*/) {}
    // It has retired an instruction that is not in the same function, or not at the same privilege
    // level, as the one before; or the code there may be other code than before. `sp`: after it.
    // Only with core::keep_profile(), whose code_finder_if::find() has just been called for it.
    virtual void code_entered(thread_number, privilege, std::uint64_t /*ip*/, std::uint64_t /*sp*/,
                              cycle_t /*now*/) {}
    // It has retired an instruction; for those who ask for each one.
    virtual void retired(thread_number, const retired_instruction&, cycle_t /*now*/) {}
    // The thread accepts an event. The first instruction of the handler issues. IRET has returned,
    // to `cpl`, with stack pointer `sp`.
    virtual void event_taken(thread_number, const event_entry&, cycle_t /*now*/) {}
    virtual void handler_begins(thread_number, cycle_t /*now*/) {}
    virtual void handler_returns(thread_number, std::uint64_t /*sp*/, std::uint8_t /*cpl*/,
                                 cycle_t /*now*/) {}
    // RDMSR or WRMSR; `accepted`: without #GP(0).
    virtual void msr_accessed(thread_number, std::uint32_t /*number*/, bool /*write*/,
                              std::uint64_t /*value*/, bool /*accepted*/, cycle_t /*now*/) {}

    // ---- performance interrupts
    // An overflow in clock `at` has raised the PMU's line; it has reached the local APIC.
    virtual void pmi_raised(thread_number, cycle_t /*at*/) {}
    virtual void pmi_arrived(thread_number, std::uint32_t /*lvt_entry*/, pmi_fate,
                             cycle_t /*now*/) {}

    // ---- local APICs; a message is one of apic::encode()
    // The thread writes the register at `offset`. `in_service`: the highest interrupt in service
    // before.
    virtual void apic_written(thread_number, std::uint32_t /*offset*/, std::uint32_t /*value*/,
                              std::uint8_t /*in_service*/, cycle_t /*now*/) {}
    // A message sent in clock `sent` will take effect in clock `arrives`.
    virtual void message_sent(thread_number /*from*/, thread_number /*to*/,
                              std::uint64_t /*message*/, cycle_t /*sent*/, cycle_t /*arrives*/) {}
    // A message takes effect in the local APIC, its own too.
    virtual void message_received(thread_number, std::uint64_t /*message*/, cycle_t /*now*/) {}
    virtual void timer_expired(thread_number, std::uint32_t /*lvt_entry*/, cycle_t /*now*/) {}

    // ---- caches
    // The L2 of a core has requested a line from outside the tile, first for `thread`; the line has
    // arrived.
    virtual void miss_begins(thread_number, std::uint64_t /*line*/, bool /*to_write*/,
                             cycle_t /*now*/) {}
    virtual void miss_ends(std::uint16_t /*core*/, std::uint64_t /*line*/, cycle_t /*now*/) {}

  protected:
    ~recorder_if() = default;
};

}  // namespace knc::base

#endif
