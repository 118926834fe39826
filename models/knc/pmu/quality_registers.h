// The registers through which software reads what a monitoring ID (RMID) has of the L3:
// IA32_QM_EVTSEL and IA32_QM_CTR.
//
// Models: the selection of event and RMID, one for all threads or one for each; a fresh sample at
// each read; the error bit for what is not supported, and the bit that says that there are no data
// now. Leaves out: the counts (monitored_cache_if), CPL (the core), and time: the caller says in
// which cycle an access takes place. Source: Intel SDM vol. 3, resource monitoring; docs/cmt.md for
// what it leaves open.
#ifndef KNC_PMU_QUALITY_REGISTERS_H
#define KNC_PMU_QUALITY_REGISTERS_H

#include <cstddef>
#include <cstdint>
#include <vector>

#include <knc/base/archive_forward.h>
#include <knc/base/clock.h>
#include <knc/pmu/cmt_parameters.h>

namespace knc::pmu {

// What an L3 knows of an RMID, at the time of the call.
class monitored_cache_if {
  public:
    virtual std::uint64_t lines(std::uint32_t rmid) const = 0;
    // Lines read from memory and written to it, since reset.
    virtual std::uint64_t traffic(std::uint32_t rmid) const = 0;
    // Whether a request with the RMID has reached it since reset.
    virtual bool seen(std::uint32_t rmid) const = 0;

  protected:
    ~monitored_cache_if() = default;
};

class quality_registers {
  public:
    static constexpr std::uint32_t evtsel = 0xc8d, ctr = 0xc8e;
    static constexpr unsigned first_rmid_bit = 32, unavailable = 62, error = 63;
    enum event : std::uint8_t { occupancy = 1, total_bandwidth = 2, local_bandwidth = 3 };

    // The parameters are resolved(); `threads` of the machine.
    quality_registers(const cmt_parameters&, std::size_t threads, const monitored_cache_if&);

    // The bits of IA32_QM_EVTSEL that exist.
    static std::uint64_t select_bits(std::uint32_t rmids) {
        return 0xff | ((std::uint64_t{1} << rmid_bits(rmids)) - 1) << first_rmid_bit;
    }
    // By a thread of the machine, in cycle `now`. Returns false for #GP(0); nothing has changed
    // then.
    bool read(std::size_t thread, std::uint32_t msr, base::cycle_t now, std::uint64_t& value) const;
    bool write(std::size_t thread, std::uint32_t msr, base::cycle_t now, std::uint64_t value);
    void reset();
    void serialize(base::archive&);

  private:
    struct selection {
        std::uint64_t value = 0;
        base::cycle_t available = 0;  // from this cycle on

        void serialize(base::archive&);
    };
    std::size_t place(std::size_t thread) const {
        return p_.select_scope == select_scope::package ? 0 : thread;
    }
    std::uint64_t sample(const selection&, base::cycle_t now) const;

    const cmt_parameters p_;
    const monitored_cache_if& cache_;
    std::vector<selection> selections_;
};

}  // namespace knc::pmu

#endif
