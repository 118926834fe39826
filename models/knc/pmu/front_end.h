// What software sees of a PMU: its registers, and what an overflow causes.
//
// Models: the interface of all register layouts: MSR map, RDPMC indices, status, interrupt lines. A
// front end tells its counters what to count (knc/pmu/counter_bank.h) and is told of overflows; it
// matches no events itself. Leaves out: privilege and CR4 checks, instruction timing (the core),
// the way of an interrupt (knc/apic).
#ifndef KNC_PMU_FRONT_END_H
#define KNC_PMU_FRONT_END_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <systemc>

#include <knc/base/clock.h>
#include <knc/pmu/counter_bank.h>

namespace knc::pmu {

// Takes the PMIs of the threads. It may read the PMU but not change it.
struct pmi_listener_if : virtual sc_core::sc_interface {
    // The PMI line of `thread` rose: its local APIC sees an edge at clock `now`.
    virtual void overflowed(std::size_t thread, base::cycle_t now) = 0;
    // A source of events does what no source may: an error of the model, found by the audit.
    virtual void model_error(const std::string& text) = 0;
};

// Is told that an access is accepted, before the access reads or changes anything: what must be
// counted before the access is counted here.
struct acceptance {
    virtual void accepted() = 0;

  protected:
    ~acceptance() = default;
};

// Accesses act at the clock the counters were last settled to, after acceptance.
class front_end_if : public counter_listener {
  public:
    virtual ~front_end_if() = default;

    // The counters it needs. Their order is the front end's own.
    virtual std::vector<counter_shape> counters() const = 0;
    // To be called once, before anything below. Both outlive the front end.
    virtual void connect(counter_bank&, pmi_listener_if&) = 0;

    // RDMSR, WRMSR and RDPMC (`index`: ECX) by `thread`. False: #GP(0); nothing has changed.
    virtual bool read(std::size_t thread, std::uint32_t msr, std::uint64_t& value, acceptance&) = 0;
    virtual bool write(std::size_t thread, std::uint32_t msr, std::uint64_t value, acceptance&) = 0;
    virtual bool rdpmc(std::size_t thread, std::uint32_t index, std::uint64_t& value,
                       acceptance&) = 0;
    // The same for a caller that counts nothing.
    bool read(std::size_t thread, std::uint32_t msr, std::uint64_t& value);
    bool write(std::size_t thread, std::uint32_t msr, std::uint64_t value);
    bool rdpmc(std::size_t thread, std::uint32_t index, std::uint64_t& value);

    // The time-stamp counter at `now`. Needs no settling.
    virtual std::uint64_t tsc(base::cycle_t now) const = 0;
    // The instruction SPFLT with bit 0 of its operand. Only Knights Corner has it.
    virtual void spflt([[maybe_unused]] std::size_t thread, [[maybe_unused]] bool enable) {}

    // The level of the PMI line of `thread`.
    virtual bool pmi_line(std::size_t thread) const = 0;

    // Cold or warm reset: every register, counter and line. Not for INIT.
    virtual void reset() = 0;

    // The registers of each thread, to be shown in a waveform.
    struct shown_register {
        const char* name;
        unsigned width;
    };
    virtual std::vector<shown_register> shown() const = 0;
    // Their values, in the same order.
    virtual void show(std::size_t thread, std::uint64_t* values) const = 0;
};

}  // namespace knc::pmu

#endif
