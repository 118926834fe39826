// Instructions that threads have executed, as text.
//
// Models: the bytes that memory has at the instruction when it has retired, decoded as the core
// does. Remembers the texts until code may have changed. Leaves out: what the operands were.
#ifndef KNC_PLATFORM_INSTRUCTION_TEXTS_H
#define KNC_PLATFORM_INSTRUCTION_TEXTS_H

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include <knc/base/recorder.h>
#include <knc/card/card.h>

#include <platform/disassembly.h>
#include <platform/function_profile.h>
#include <platform/samples.h>

namespace platform {

class instruction_texts {
  public:
    // `read`: the card's memory.
    instruction_texts(knc::card::card&, memory_reader read, const function_profile&, syntax);

    // The mode in which the instruction was decoded that the thread has just retired. To be called
    // for each one, as the instruction may have changed the mode.
    knc::isa::code_mode retired_mode(knc::base::thread_number);
    const std::string& of(knc::base::thread_number, knc::isa::code_mode,
                          const knc::base::retired_instruction&);
    // The thread enters a handler, whose code may have another mode than what it interrupts.
    void enters_handler(knc::base::thread_number n) { mode_of(n).reset(); }

  private:
    using mode = std::optional<knc::isa::code_mode>;
    std::string decode(knc::isa::context&, knc::isa::code_mode,
                       const knc::base::retired_instruction&) const;
    mode& mode_of(knc::base::thread_number n) {
        return modes_[n.core * knc::base::threads_per_core + n.thread];
    }

    knc::card::card& card_;
    const memory_reader read_;
    const function_profile& functions_;
    const syntax syntax_;
    std::uint64_t changes_ = 0;
    std::vector<mode> modes_;  // after each thread's last instruction
    // Address, physical address, mode.
    std::map<std::tuple<std::uint64_t, std::uint64_t, knc::isa::code_mode>, std::string> known_;
};

}  // namespace platform

#endif
