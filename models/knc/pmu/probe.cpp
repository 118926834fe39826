#include <knc/pmu/probe.h>

namespace knc::pmu {

const std::array<probe::description, probe::fields> probe::descriptions{{
    {"cntr0", counter_width},
    {"cntr1", counter_width},
    {"evtsel0", 32},
    {"evtsel1", 32},
    {"spflt", 64},
    {"status", counters_per_thread},
    {"global_ctrl", counters_per_thread},
    {"pmi", 1},
}};

void probe::sample() {
    for (std::size_t t = 0; t < values_.size(); ++t) {
        const thread_state s = unit_.state(t);
        values_[t] = {s.counter[0], s.counter[1], s.evtsel[0],   s.evtsel[1],
                      s.spflt,      s.status,     s.global_ctrl, s.pmi_line};
    }
}

base::signal_list probe::signals(const std::string& scope) const {
    base::signal_list list;
    for (std::size_t t = 0; t < values_.size(); ++t) {
        for (std::size_t f = 0; f < fields; ++f) {
            list.push_back({scope + ".t" + std::to_string(t) + "." + descriptions[f].name,
                            descriptions[f].width, &values_[t][f]});
        }
    }
    return list;
}

}  // namespace knc::pmu
