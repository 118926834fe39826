#include <knc/pmu/probe.h>

namespace knc::pmu {

probe::probe(const front_end_if& f)
    : front_end_(f), shown_(f.shown()), values_(f.threads() * shown_.size()) {}

void probe::sample() {
    for (std::size_t t = 0; t < front_end_.threads(); ++t) sample(t);
}

base::value_range probe::sample(std::size_t thread) {
    std::uint64_t* const first = &values_[thread * shown_.size()];
    front_end_.show(thread, first);
    return {first, first + shown_.size()};
}

base::signal_list probe::signals(const std::string& scope) const {
    base::signal_list list;
    const std::uint64_t* value = values_.data();
    for (std::size_t t = 0; t < front_end_.threads(); ++t)
        for (const front_end_if::shown_register& r : shown_)
            list.push_back(
                {scope + ".t" + std::to_string(t) + "." + r.name, r.width, value++, r.meaning});
    return list;
}

}  // namespace knc::pmu
