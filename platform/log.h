// The log of a run: a line for each instruction, MSR access, step of a local APIC, exception or
// interrupt, as far as they were asked for (docs/logging.md).
//
// Models no hardware: writes the steps of a recording as text. Leaves out: operands' values, memory
// accesses.
#ifndef KNC_PLATFORM_LOG_H
#define KNC_PLATFORM_LOG_H

#include <cstdint>
#include <functional>
#include <ostream>
#include <string>

#include <platform/instruction_texts.h>
#include <platform/log_choice.h>
#include <platform/recording.h>

namespace platform {

class log final : public recording::listener, public recording::instructions_if {
  public:
    using complain = std::function<void(const std::string&)>;

    // Writes to `out`. `image`: its functions need no name of a program.
    log(std::ostream& out, const log_choice&, const program& image, instruction_texts&, complain);

    // recording::listener
    void take(const record&) override;
    void finish(knc::base::cycle_t) override { out_.flush(); }
    // recording::instructions_if
    void handler_entered(knc::base::thread_number n) override { texts_.enters_handler(n); }
    std::string text(knc::base::thread_number, const knc::base::retired_instruction&,
                     const symbols::place&, knc::base::cycle_t now) override;

  private:
    template <class Step>
    std::string line(const Step&) const {
        return {};
    }
    std::string line(const steps::instruction&) const;
    std::string line(const steps::event&) const;
    std::string line(const steps::msr_access&) const;
    std::string line(const steps::pmi_raise&) const;
    std::string line(const steps::pmi_arrival&) const;
    std::string line(const steps::apic_write&) const;
    std::string line(const steps::message_sent&) const;
    std::string line(const steps::message_received&) const;
    std::string line(const steps::timer_expiry&) const;

    std::ostream& out_;
    const log_choice choice_;
    const program& image_;
    instruction_texts& texts_;
    const complain complain_;
    std::uint64_t lines_ = 0;
};

}  // namespace platform

#endif
