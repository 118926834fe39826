#include <knc/card/parameters.h>

#include <knc/isa/state.h>

namespace knc::card {

std::uint32_t signature(const parameters& p) {
    if (p.pmu.front_end == pmu::front_end_kind::knc) return isa::signature(p.stepping, p.profile);
    constexpr std::uint32_t family = 6;
    const std::uint32_t model = p.pmu.perfmon.model;
    return (model >> 4) << 16 | family << 8 | (model & 15) << 4 | (p.stepping & 15);
}

}  // namespace knc::card
