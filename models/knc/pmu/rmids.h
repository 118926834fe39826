// The monitoring IDs (RMIDs) of a core's threads: IA32_PQR_ASSOC.
//
// Models: one register per thread; an RMID above the highest, a class of service (there is no
// allocation) and reserved bits raise #GP(0). Reset sets 0, INIT changes nothing. Leaves out: CPL
// (the core). Source: Intel SDM vol. 3, resource monitoring; docs/cmt.md.
#ifndef KNC_PMU_RMIDS_H
#define KNC_PMU_RMIDS_H

#include <array>
#include <cstddef>
#include <cstdint>

#include <knc/base/archive_forward.h>
#include <knc/base/event.h>
#include <knc/pmu/front_end.h>

namespace knc::pmu {

class rmids {
  public:
    static constexpr std::uint32_t pqr_assoc = 0xc8f;
    using table = std::array<std::uint16_t, base::threads_per_core>;

    // `number` of RMIDs; 0: the register does not exist.
    explicit rmids(std::uint32_t number) : number_(number) {}

    // RDMSR and WRMSR by `thread`. Return false for #GP(0) and for any other register; nothing has
    // changed then.
    bool read(std::size_t thread, std::uint32_t msr, std::uint64_t& value, acceptance& a) const {
        if (number_ == 0 || msr != pqr_assoc) return false;
        a.accepted();
        value = ids_[thread];
        return true;
    }
    bool write(std::size_t thread, std::uint32_t msr, std::uint64_t value, acceptance& a) {
        if (msr != pqr_assoc || value >= number_) return false;
        a.accepted();
        ids_[thread] = static_cast<std::uint16_t>(value);
        return true;
    }
    // The present ID of each thread.
    const table& ids() const { return ids_; }
    void reset() { ids_ = {}; }
    void serialize(base::archive&);

  private:
    const std::uint32_t number_;
    table ids_{};
};

}  // namespace knc::pmu

#endif
