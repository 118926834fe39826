// The registers of a PMU as waveform signals.
//
// Models: per thread t0-t3 the signals cntr0, cntr1, evtsel0, evtsel1, spflt, status, global_ctrl
// and pmi, as of the clock the unit was last settled to.
#ifndef KNC_PMU_PROBE_H
#define KNC_PMU_PROBE_H

#include <array>
#include <cstdint>
#include <string>

#include <knc/base/signal.h>
#include <knc/pmu/unit.h>

namespace knc::pmu {

class probe {
  public:
    // The unit outlives the probe.
    explicit probe(const unit& u) : unit_(u) {}
    probe(const probe&) = delete;
    probe& operator=(const probe&) = delete;

    // Brings the values up to date.
    void sample();

    // "<scope>.t0.cntr0" and so on; valid as long as the probe.
    base::signal_list signals(const std::string& scope) const;

  private:
    enum field : std::size_t {
        cntr0,
        cntr1,
        evtsel0,
        evtsel1,
        spflt,
        status,
        global_ctrl,
        pmi,
        fields
    };
    struct description {
        const char* name;
        unsigned width;
    };
    static const std::array<description, fields> descriptions;

    const unit& unit_;
    std::array<std::array<std::uint64_t, fields>, base::threads_per_core> values_{};
};

}  // namespace knc::pmu

#endif
