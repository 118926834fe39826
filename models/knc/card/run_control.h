// The limits of a run, its observers, and its outcome.
#ifndef KNC_CARD_RUN_CONTROL_H
#define KNC_CARD_RUN_CONTROL_H

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include <knc/base/archive_forward.h>
#include <knc/base/clock.h>
#include <knc/card/ports.h>

namespace knc::card {

enum class stop_reason : std::uint8_t {
    none,        // still running, or ended from outside
    firmware,    // the firmware wrote the test device's exit register: `code`
    limit,       // max_cycles or max_instructions reached: `detail` has the limit
    deadlock,    // no thread can ever continue: `detail` has the reason
    deadline,    // the cycle of card::set_deadline() was reached
    user,        // ended by card::stop(): `detail`
    unsupported  // software used a feature that is not modelled: `detail`
};

struct outcome {
    stop_reason reason = stop_reason::none;
    std::uint32_t code = 0;
    base::cycle_t cycle = 0;  // the cycle in which the run ended, the same for all tiles
    std::string detail;

    void serialize(base::archive&);
};

// How many threads of the host run the tiles. No result depends on it.
struct host_thread_limits {
    static constexpr std::uint64_t any = ~std::uint64_t{0};
    // At most so many, with the one that calls the SystemC kernel; 0 is as good as 1. any: as many
    // as the host has cores for, if there are enough tiles.
    std::uint64_t most = any;
    // They share the work where the tiles have had work for as many cycles, all tiles together.
    base::cycle_t break_even = 96;
};

// A fast-forward (docs/fast_forward.md).
struct fast_forward_control {
    enum class end : std::uint8_t { none, marker, instructions, pc };
    // What ends the one that begins in cycle 0; none: there is none at the beginning.
    end until = end::none;
    std::uint64_t value = 0;  // the marker, the instructions of all threads, a linear address
    std::string text;         // the same in words
    // Clocks of a thread's turn, and the most by which a tile is ahead of another; at least 1.
    base::cycle_t quantum = 1'000;
    // Afterwards, caches and TLBs have what the threads have used last.
    bool warm = false;
};

// One that has taken place, in cycles [from, to). The caches were filled in cycles [to, warm).
struct fast_forward_record {
    base::cycle_t from = 0, to = 0, warm = 0;
    std::uint64_t instructions = 0;
    std::string end;  // why it has ended

    void serialize(base::archive&);
};

struct run_control {
    fast_forward_control fast_forward;
    base::cycle_t quantum = 10'000;  // the most cycles by which a tile may be ahead, at least 1; no
                                     // result depends on it
    host_thread_limits host_threads;
    base::cycle_t max_cycles = base::never;
    std::uint64_t max_instructions =
        ~std::uint64_t{0};                   // of all threads, checked every 10,000 cycles
    base::cycle_t trace_from = base::never;  // cycles in which signals are sampled: [from, to)
    base::cycle_t trace_to = base::never;
    // Called after each sample that may differ from the one before, with the cycle after it. Unset:
    // SystemC time follows each cycle that is sampled, as sc_trace() needs.
    sample_function sampled;
    std::function<void(char)> console;  // a character the firmware wrote to the UART
    // The next character for the UART; none: at present there is none. It is asked for when the
    // firmware can receive one, and after a "none" not before card::input_ready().
    std::function<std::optional<char>()> input;
    // Called now and then, at the latest every `quantum` cycles, when SystemC time has reached the
    // cycle of all tiles.
    std::function<void()> synchronised;
    // The run has ended; SystemC time is its last cycle. The card then rests for good. Unset: the
    // end of the run stops the simulation, and with it all other cards.
    std::function<void()> ended;
    // The cycle of card::request_attention(): registers may be accessed (card::access_msr()).
    std::function<void()> attended;
    // The cycle of card::request_observation(): the counts of all parts are those up to it.
    std::function<void()> observed;
    // A fast-forward has ended, and SystemC time has reached that cycle: card::serialize() may
    // save.
    std::function<void()> fast_forward_ended;
    // Set: the run begins in cycle `begin_at`, not at power-on, in the state that this loads by
    // card::serialize(), and not with a fast-forward. False: it cannot be loaded, and the
    // simulation ends.
    std::function<bool()> restore;
    base::cycle_t begin_at = 0;
    // All threads sleep, and only input can wake them: waits for it, at the same place. Unset, or
    // `input_open` returns false: there will be no input.
    std::function<void()> asleep;
    std::function<bool()> input_open;
    std::function<void(std::uint32_t, base::cycle_t)>
        marker;  // a write to the marker register, and its cycle
    std::function<void(const std::string&)> warning;  // one line about an action of the guest
};

}  // namespace knc::card

#endif
