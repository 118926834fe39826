// The card: tiles, interrupt fabric, memory and the test device page, with the conductor that lets
// tiles run ahead of SystemC time without anything depending on how far.
//
// Models (first form): tiles over one flat memory of fixed latency, uncached accesses and interrupt
// messages with fixed latency, test device page. Leaves out: caches, coherence, ring, GDDR5 timing,
// SBOX registers.
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
#include <tlm_utils/simple_target_socket.h>

#include <knc/base/clock.h>
#include <knc/base/signal.h>
#include <knc/card/parameters.h>

namespace knc::card {

class tile;

// How a run ended.
enum class stop_reason : std::uint8_t {
    none,       // sc_start returned for another reason
    firmware,   // the test device's exit register was written: `code`
    limit,      // max_cycles or max_instructions reached
    deadlock,   // no thread can ever run again: `detail` says why (HLT with nothing to wake it, shutdown)
    unsupported // an instruction the model does not execute: `detail` names it
};

struct outcome {
    stop_reason reason = stop_reason::none;
    std::uint32_t code = 0;
    base::cycle_t cycle = 0;  // the clock the run ended at, the same for all tiles
    std::string detail;
};

struct run_control {
    base::cycle_t window = 10'000;              // how far a tile may run ahead, clocks; results do not depend on it
    base::cycle_t max_cycles = base::never;
    std::uint64_t max_instructions = ~0ull;     // of all threads together, checked at window ends rounded to one common clock
    base::cycle_t trace_from = base::never;     // clocks in which signals are sampled: [from, to)
    base::cycle_t trace_to = base::never;
    std::function<void(char)> console;          // a character the firmware wrote to the UART
    std::function<void(std::uint32_t, base::cycle_t)> marker;  // a write to the marker register
    std::function<void(const std::string&)> warning;           // one line about the guest (refused instruction, unmapped access ...)
};

class card : public sc_core::sc_module {
  public:
    // Host accesses to the card's physical address space (memory, test device). Loader, report and
    // debugger use transport_dbg.
    tlm_utils::simple_target_socket<card> host{"host"};

    card(sc_core::sc_module_name, const parameters&, run_control);
    ~card() override;

    const parameters& config() const;
    std::size_t tiles() const;
    tile& operator[](std::size_t i);
    const tile& operator[](std::size_t i) const;

    const outcome& result() const;
    base::cycle_t now() const;  // clocks simulated so far
    std::uint64_t instructions() const;
    // Every thread's state, for a run that ended badly.
    void dump(std::ostream&) const;
    // All signals of the card, names relative to it.
    base::signal_list signals() const;

  private:
    struct impl;
    std::unique_ptr<impl> impl_;
};

}  // namespace knc::card

#endif
