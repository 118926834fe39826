// Who makes a TLM access, and when: the extension all initiators of this library attach.
//
// Models: requesting core, thread and privilege level, and the exact clock of the access (a tile
// runs ahead of SystemC time; sc_time alone would lose the clock to rounding). A target that
// receives no extension takes thread 0, CPL 0 and the time sc_time_stamp() + delay.
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

    tlm::tlm_extension_base* clone() const override { return new access(*this); }
    void copy_from(const tlm::tlm_extension_base& other) override {
        *this = static_cast<const access&>(other);
    }
};

}  // namespace knc::base

#endif
