// Cache monitoring of the card: the registers of the package, and what they read of the L3.
//
// Models: IA32_QM_EVTSEL and IA32_QM_CTR behind the ring, at the SBOX's stop. An access is a
// message; it takes place in the cycle of its arrival there, after all messages that other stops
// have received in earlier cycles, so that its result depends neither on the quantum nor on host
// threads. Leaves out: the registers of the threads (knc/pmu/rmids.h). Source: docs/cmt.md.
#ifndef KNC_CARD_CMT_H
#define KNC_CARD_CMT_H

#include <cstdint>
#include <vector>

#include <systemc>

#include <knc/base/archive_forward.h>
#include <knc/base/signal.h>
#include <knc/card/l3_slice.h>
#include <knc/card/package_registers_if.h>
#include <knc/pmu/quality_registers.h>

namespace knc::card {

class cmt : public sc_core::sc_module, package_registers_if, pmu::monitored_cache_if {
  public:
    sc_core::sc_export<package_registers_if> registers{"registers"};

    // `threads` of the card; the slices must outlive the module and may be added to later.
    cmt(sc_core::sc_module_name, const pmu::cmt_parameters&, std::size_t threads,
        const std::vector<l3_slice*>& slices);
    void reset();
    void serialize(base::archive&);

    // An access from outside, between two cycles of the card. Returns false for #GP(0), and for any
    // other register.
    bool read(std::size_t thread, std::uint32_t msr, base::cycle_t now,
              std::uint64_t& value) const {
        return logic_.read(thread, msr, now, value);
    }
    bool write(std::size_t thread, std::uint32_t msr, base::cycle_t now, std::uint64_t value) {
        return logic_.write(thread, msr, now, value);
    }
    // What the L3 has of an RMID now.
    cache::l3_usage usage(std::uint32_t rmid) const;
    std::uint32_t monitored() const { return p_.l3_rmids; }

    // Signals for a waveform: PREFIX.rmidN, lines; sample() updates them.
    base::signal_list signals(const std::string& prefix) const;
    void sample();

  private:
    // package_registers_if
    void access(core::device_request&, base::cycle_t at) override;
    // pmu::monitored_cache_if
    std::uint64_t lines(std::uint32_t rmid) const override { return usage(rmid).lines; }
    bool seen(std::uint32_t rmid) const override { return usage(rmid).seen; }
    std::uint64_t traffic(std::uint32_t rmid) const override {
        const cache::l3_usage u = usage(rmid);
        return u.fetched + u.written;
    }

    const pmu::cmt_parameters p_;
    const std::vector<l3_slice*>& slices_;
    pmu::quality_registers logic_;
    std::vector<std::uint64_t> sampled_;
};

}  // namespace knc::card

#endif
