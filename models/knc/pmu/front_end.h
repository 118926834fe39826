// The register interface of a PMU towards software, and the effects of an overflow.
//
// Models: the interface that all register layouts have in common: MSR map, RDPMC indices, status,
// interrupt lines. A front end selects the events of its counters (knc/pmu/counter_bank.h) and
// receives their overflows; it does not match events itself. Leaves out: privilege and CR4 checks
// and instruction timing (the core), the delivery of an interrupt (knc/apic).
#ifndef KNC_PMU_FRONT_END_H
#define KNC_PMU_FRONT_END_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <systemc>

#include <knc/base/archive_forward.h>
#include <knc/base/clock.h>
#include <knc/pmu/counter_bank.h>
#include <knc/pmu/parameters.h>
#include <knc/pmu/pebs.h>

namespace knc::pmu {

class pebs_if;

// Receives the PMIs of the threads. It may read the PMU but must not change it.
struct pmi_listener_if : virtual sc_core::sc_interface {
    // The PMI line of `thread` rose: its local APIC receives an edge in cycle `now`.
    virtual void overflowed(std::size_t thread, base::cycle_t now) = 0;
    // A pin is high from cycle `from` on, which is not over: front_end_if::pin(). `rises`: it was
    // low before.
    virtual void pin_changes([[maybe_unused]] std::size_t pin, [[maybe_unused]] bool rises,
                             [[maybe_unused]] base::cycle_t from) {}
    // A source of events broke a rule that the audit checks: an error of the model.
    virtual void model_error(const std::string& text) = 0;
};

// Notified when the PMU accepts an access, before the access reads or changes anything. Events that
// must be counted before the access are counted here.
struct acceptance {
    virtual void accepted() = 0;

  protected:
    ~acceptance() = default;
};

// An access takes effect at the beginning of cycle counter_bank::settled(), after its acceptance.
class front_end_if : public counter_listener {
  public:
    virtual ~front_end_if() = default;

    // The counters that it needs, in an order that the front end defines.
    virtual std::vector<counter_shape> counters() const = 0;
    // Called once, before all functions below. Both arguments must outlive the front end.
    virtual void connect(counter_bank&, pmi_listener_if&) = 0;

    // RDMSR, WRMSR and RDPMC (`index`: ECX) by `thread`. Returns false for #GP(0); nothing has
    // changed then.
    virtual bool read(std::size_t thread, std::uint32_t msr, std::uint64_t& value, acceptance&) = 0;
    virtual bool write(std::size_t thread, std::uint32_t msr, std::uint64_t value, acceptance&) = 0;
    virtual bool rdpmc(std::size_t thread, std::uint32_t index, std::uint64_t& value,
                       acceptance&) = 0;
    // The same without a notification.
    bool read(std::size_t thread, std::uint32_t msr, std::uint64_t& value);
    bool write(std::size_t thread, std::uint32_t msr, std::uint64_t value);
    bool rdpmc(std::size_t thread, std::uint32_t index, std::uint64_t& value);

    // The time-stamp counter at `now`. It does not require settled counters.
    virtual std::uint64_t tsc(base::cycle_t now) const = 0;
    // The instruction SPFLT; `enable` is bit 0 of its operand. Only Knights Corner has it.
    virtual void spflt([[maybe_unused]] std::size_t thread, [[maybe_unused]] bool enable) {}

    // Records of instructions; nullptr: it asks for none.
    virtual pebs_if* pebs() { return nullptr; }

    // The core falls asleep at the beginning of cycle `now` (halted, shut down, waiting for SIPI),
    // or wakes.
    virtual void sleeps([[maybe_unused]] bool on, [[maybe_unused]] base::cycle_t now) {}

    // ---- pins that show counts: a Pentium with MMX
    virtual std::size_t pins() const { return 0; }
    // From now on, somebody looks at them.
    virtual void observe_pins() {}
    // The level in cycle `at`: of the last cycles, and of those to come as far as it is known.
    virtual bool pin([[maybe_unused]] std::size_t n, [[maybe_unused]] base::cycle_t at) const {
        return false;
    }
    // The first known cycle after `at` whose level is another than that of the cycle before.
    virtual base::cycle_t next_pin_change([[maybe_unused]] std::size_t n,
                                          [[maybe_unused]] base::cycle_t at) const {
        return base::never;
    }

    // The threads that it has registers for.
    virtual std::size_t threads() const { return base::threads_per_core; }
    // The level of the PMI line of `thread`.
    virtual bool pmi_line(std::size_t thread) const = 0;

    // Cold or warm reset: every register, counter and line. Not for INIT.
    virtual void reset() = 0;

    // A register of each thread that a waveform shows.
    struct shown_register {
        const char* name;
        unsigned width;
        const char* meaning = "";
    };
    virtual std::vector<shown_register> shown() const = 0;
    // The values of these registers, in the same order.
    virtual void show(std::size_t thread, std::uint64_t* values) const = 0;
};

// One thread's registers, for reports. Counters in an order that the front end defines; those with
// an event select come first.
struct thread_state {
    std::vector<std::uint64_t> counter;
    std::vector<std::uint64_t> evtsel;
    std::uint64_t global_ctrl = 0;
    std::uint64_t status = 0;
    std::uint64_t spflt = 0;               // Knights Corner
    std::uint64_t fixed_control = 0;       // architectural: IA32_FIXED_CTR_CTRL
    std::uint64_t debug_control = 0;       // architectural: IA32_DEBUGCTL
    std::optional<pebs_counts> pebs;       // architectural, if it has PEBS
    std::vector<std::uint64_t> overflows;  // since reset
    bool pmi_line = false;
};

// A front end with the same counters for each thread that can be reported, saved and loaded: what a
// card needs.
class card_front_end : public front_end_if {
  public:
    // Of one thread's counters, in the order of thread_state.
    virtual std::vector<std::string> counter_names() const = 0;
    virtual thread_state state(std::size_t thread) const = 0;
    // Of counter `n` of the thread since reset.
    virtual std::uint64_t overflows(std::size_t thread, std::size_t n) const = 0;
    // What it has counted, by selection (knc/pmu/counter.h).
    virtual std::vector<counted> history(std::size_t thread, std::size_t n) const = 0;
    // Without the counters.
    virtual void serialize(base::archive&) = 0;
};

// The front end that the parameters name.
std::unique_ptr<card_front_end> make_front_end(const parameters&);

}  // namespace knc::pmu

#endif
