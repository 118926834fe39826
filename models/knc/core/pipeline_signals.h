// The pipelines of a core as waveform signals.
//
// Models: what U and V issue in a cycle, or why they issue nothing; what each thread waits for; the
// block in its prefetch buffer; the function that it executes, if someone knows. Only begin() and
// sample() cost anything. Leaves out: the TLBs' content. Source: docs/waveforms.md.
#ifndef KNC_CORE_PIPELINE_SIGNALS_H
#define KNC_CORE_PIPELINE_SIGNALS_H

#include <array>
#include <cstdint>
#include <string>

#include <knc/base/signal.h>
#include <knc/core/profile.h>
#include <knc/core/rooms.h>

namespace knc::core {

class pipeline_signals {
  public:
    explicit pipeline_signals(rooms& r) : rooms_(r) {}

    // From now on, `f` numbers the functions of the traced threads.
    void name_functions(function_numbers_if& f) { functions_ = &f; }

    // `prefix` + "u.kind" and so on; for thread t, `prefix` + "function", "waits_for" and so on.
    void list_signals(const std::string& prefix, base::signal_list&) const;
    void list_function(std::size_t t, const std::string& prefix, base::signal_list&) const;
    void list_waits(std::size_t t, const std::string& prefix, base::signal_list&) const;
    // Before a cycle whose signals are wanted: what issues in it is recorded.
    void begin();
    // After it: copies the state.
    void sample();

  private:
    stall reason() const;
    void follow_walks(const thread&);

    struct values {
        std::uint64_t waits_for = 0, fetch_block = 0, function = 0;
        base::cycle_t walk_due = 0, walks_until = 0;
        std::uint64_t pc = ~std::uint64_t{0}, cr3 = 0;  // for which `function` is known
    };
    rooms& rooms_;
    function_numbers_if* functions_ = nullptr;
    bool selects_ = false;   // a thread is ready in the cycle of begin()
    unsigned selected_ = 0;  // the one selected before
    std::array<values, base::threads_per_core> of_{};
};

}  // namespace knc::core

#endif
