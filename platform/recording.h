// What the threads of a run have done, step by step, in one order: by clock, then core, then
// thread.
//
// Models no hardware: collects what the parts of the card report (knc/base/recorder.h), while tiles
// run ahead of each other, and passes it on as soon as no earlier step can come any more. So what
// the listeners write depends on the run alone, and the memory for it is bounded by the quantum.
// Adds what only this program knows: functions, and the bytes of instructions.
#ifndef KNC_PLATFORM_RECORDING_H
#define KNC_PLATFORM_RECORDING_H

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include <knc/base/recorder.h>
#include <knc/card/card.h>

#include <platform/function_profile.h>

namespace platform {

namespace steps {

struct state_change {
    knc::base::run_state to;
};
struct core_reset {};
// The function at `ip`; `sp`: after its instruction.
struct code_entry {
    symbols::place in;
    knc::base::privilege level;
    std::uint64_t ip, sp;
};
struct instruction {
    knc::base::retired_instruction what;
    symbols::place in;
    std::string text;
};
struct event {
    knc::base::event_entry what;
    symbols::place in;  // as far as it is known
};
struct handler_begin {};
struct handler_return {
    std::uint64_t sp;
    std::uint8_t cpl;
};
struct msr_access {
    std::uint32_t number;
    bool write, accepted;
    std::uint64_t value;
};
struct pmi_raise {};
struct pmi_arrival {
    std::uint32_t lvt_entry;
    knc::base::pmi_fate fate;
};
struct apic_write {
    std::uint32_t offset, value;
    std::uint8_t in_service;
};
struct message_sent {
    knc::base::thread_number to;
    std::uint64_t message;
    knc::base::cycle_t arrives;
};
struct message_received {
    std::uint64_t message;
};
struct timer_expiry {
    std::uint32_t lvt_entry;
};
struct miss_begin {
    std::uint64_t line;
    bool to_write;
};
struct miss_end {
    std::uint64_t line;
};
struct mark {
    std::uint32_t number;
};

}  // namespace steps

using step =
    std::variant<steps::state_change, steps::core_reset, steps::code_entry, steps::instruction,
                 steps::event, steps::handler_begin, steps::handler_return, steps::msr_access,
                 steps::pmi_raise, steps::pmi_arrival, steps::apic_write, steps::message_sent,
                 steps::message_received, steps::timer_expiry, steps::miss_begin, steps::miss_end,
                 steps::mark>;

struct record {
    knc::base::cycle_t clock;
    knc::base::thread_number thread;  // no_thread: of the card
    std::uint64_t number;             // in the order of the calls
    step what;
};

class recording final : private knc::base::recorder_if {
  public:
    class listener {
      public:
        virtual ~listener() = default;
        virtual void take(const record&) = 0;
        // No more will come; the run ended in clock `end`.
        virtual void finish(knc::base::cycle_t end) = 0;
    };
    // The text of the instruction that `thread` has retired; empty: nobody wants it.
    class instructions_if {
      public:
        virtual std::string text(knc::base::thread_number, const knc::base::retired_instruction&,
                                 const symbols::place&, knc::base::cycle_t now) = 0;

        virtual void handler_entered(knc::base::thread_number) = 0;

      protected:
        ~instructions_if() = default;
    };

    // With `each`, instructions are recorded. To be made after the card keeps `functions`.
    recording(knc::card::card&, const function_profile& functions, instructions_if* each);
    recording(const recording&) = delete;
    recording& operator=(const recording&) = delete;

    void add(listener& l) { listeners_.push_back(&l); }
    // The firmware has set a mark.
    void mark(std::uint32_t number, knc::base::cycle_t at);
    // Every tile has reached clock `now`.
    void synchronised(knc::base::cycle_t now);
    void finish(knc::base::cycle_t end);

  private:
    using thread_number = knc::base::thread_number;
    using cycle_t = knc::base::cycle_t;

    void keep(thread_number, cycle_t, step);
    void pass_on(cycle_t before);

    // recorder_if
    void state_changed(thread_number, knc::base::run_state, cycle_t from) override;
    void reset(std::uint16_t core, cycle_t now) override;
    void code_entered(thread_number, knc::base::privilege, std::uint64_t ip, std::uint64_t sp,
                      cycle_t now) override;
    void retired(thread_number, const knc::base::retired_instruction&, cycle_t now) override;
    void event_taken(thread_number, const knc::base::event_entry&, cycle_t now) override;
    void handler_begins(thread_number, cycle_t now) override;
    void handler_returns(thread_number, std::uint64_t sp, std::uint8_t cpl, cycle_t now) override;
    void msr_accessed(thread_number, std::uint32_t number, bool write, std::uint64_t value,
                      bool accepted, cycle_t now) override;
    void pmi_raised(thread_number, cycle_t at) override;
    void pmi_arrived(thread_number, std::uint32_t lvt_entry, knc::base::pmi_fate,
                     cycle_t now) override;
    void apic_written(thread_number, std::uint32_t offset, std::uint32_t value,
                      std::uint8_t in_service, cycle_t now) override;
    void message_sent(thread_number from, thread_number to, std::uint64_t message, cycle_t sent,
                      cycle_t arrives) override;
    void message_received(thread_number, std::uint64_t message, cycle_t now) override;
    void timer_expired(thread_number, std::uint32_t lvt_entry, cycle_t now) override;
    void miss_begins(thread_number, std::uint64_t line, bool to_write, cycle_t now) override;
    void miss_ends(std::uint16_t core, std::uint64_t line, cycle_t now) override;

    symbols::place& place_of(thread_number n) {
        return places_[n.core * knc::base::threads_per_core + n.thread];
    }

    const function_profile& functions_;
    instructions_if* const each_;
    // A step is reported so many clocks after its own at most.
    const cycle_t lateness_;
    std::vector<listener*> listeners_;
    std::vector<symbols::place> places_;  // of each thread's last instruction
    std::vector<record> kept_;
    std::uint64_t count_ = 0;
};

// "FUNCTION+OFFSET" for code of the program `image`, "PROGRAM:FUNCTION+OFFSET" for other code;
// empty where no program is known.
std::string place_text(const symbols::place&, std::uint64_t ip, const program& image);

}  // namespace platform

#endif
