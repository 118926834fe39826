// The registers of a PMU as waveform signals.
//
// Models: for each thread t0-t3 the registers that the front end shows, as of
// counter_bank::settled(). Leaves out: the counters' selections.
#ifndef KNC_PMU_PROBE_H
#define KNC_PMU_PROBE_H

#include <cstdint>
#include <string>
#include <vector>

#include <knc/base/signal.h>
#include <knc/pmu/front_end.h>

namespace knc::pmu {

class probe {
  public:
    // `f` must outlive the probe.
    explicit probe(const front_end_if& f);
    probe(const probe&) = delete;
    probe& operator=(const probe&) = delete;

    // Copies the present values.
    void sample();
    // Copies those of one thread, and says where they lie.
    base::value_range sample(std::size_t thread);

    // Named "<scope>.t0.cntr0" and so on; valid as long as the probe exists.
    base::signal_list signals(const std::string& scope) const;

  private:
    const front_end_if& front_end_;
    const std::vector<front_end_if::shown_register> shown_;
    std::vector<std::uint64_t> values_;  // of thread 0, then of thread 1, and so on
};

}  // namespace knc::pmu

#endif
