// Who makes a TLM access, and when: the extension that all initiators of this library attach.
//
// Models: requesting core, thread and privilege level, the exact cycle of the access (a tile runs
// ahead of SystemC time, and sc_time alone would lose the cycle to rounding), and the count of the
// instruction that makes it. A target that receives no extension takes thread 0, CPL 0 and the time
// sc_time_stamp() + delay.
#ifndef KNC_BASE_ACCESS_H
#define KNC_BASE_ACCESS_H

#include <cstdint>
#include <tlm>

#include <knc/base/clock.h>

namespace knc::base {

struct access : tlm::tlm_extension<access> {
    std::uint16_t core = 0;
    std::uint8_t thread = 0;  // within the core, 0-3
    std::uint8_t cpl = 0;
    cycle_t cycle = 0;
    // The count of the instruction that makes the access. The ledger accounts all cycles before
    // `cycle`, without this instruction. A PMU that accepts the access adds 1, settles its counters
    // to `cycle` and sets this to nullptr before the access takes effect. Other targets do not
    // touch it, and the initiator adds 1 after the access. nullptr: there is no such instruction.
    std::uint64_t* retires = nullptr;

    tlm::tlm_extension_base* clone() const override { return new access(*this); }
    void copy_from(const tlm::tlm_extension_base& other) override {
        *this = static_cast<const access&>(other);
    }
};

}  // namespace knc::base

#endif
