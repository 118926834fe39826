#include <knc/pmu/quality_registers.h>

#include <knc/base/address_map.h>
#include <knc/base/bits.h>

namespace knc::pmu {

quality_registers::quality_registers(const cmt_parameters& p, std::size_t threads,
                                     const monitored_cache_if& cache)
    : p_(p), cache_(cache), selections_(p.select_scope == select_scope::package ? 1 : threads) {}

bool quality_registers::read(std::size_t thread, std::uint32_t msr, base::cycle_t now,
                             std::uint64_t& value) const {
    const selection& s = selections_[place(thread)];
    switch (msr) {
        case evtsel:
            value = s.value;
            return true;
        case ctr:
            value = sample(s, now);
            return true;
        default:
            return false;
    }
}

bool quality_registers::write(std::size_t thread, std::uint32_t msr, base::cycle_t now,
                              std::uint64_t value) {
    if (msr != evtsel || (value & ~select_bits(p_.rmids)) != 0) return false;
    selections_[place(thread)] = {value, now + p_.unavailable_clocks};
    return true;
}

std::uint64_t quality_registers::sample(const selection& s, base::cycle_t now) const {
    const auto rmid = static_cast<std::uint32_t>(s.value >> first_rmid_bit);
    const auto selected = static_cast<std::uint8_t>(s.value & 0xff);
    const bool traffic = selected == total_bandwidth || selected == local_bandwidth;
    if (rmid >= p_.l3_rmids || !(selected == occupancy || (traffic && p_.bandwidth)))
        return base::bit(error);
    if (now < s.available || (traffic && !cache_.seen(rmid))) return base::bit(unavailable);
    const std::uint64_t lines = traffic ? cache_.traffic(rmid) : cache_.lines(rmid);
    const std::uint64_t data = lines * base::line_bytes / p_.upscale;
    return traffic ? data & base::mask(p_.bandwidth_bits) : data;
}

void quality_registers::reset() {
    for (selection& s : selections_) s = {};
}

}  // namespace knc::pmu
