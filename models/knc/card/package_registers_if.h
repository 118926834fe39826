// The MSRs of the whole package, as the agent at the SBOX's stop reaches them.
//
// Models no hardware; it is the interface only.
#ifndef KNC_CARD_PACKAGE_REGISTERS_IF_H
#define KNC_CARD_PACKAGE_REGISTERS_IF_H

#include <systemc>

#include <knc/base/clock.h>
#include <knc/core/ports.h>

namespace knc::card {

struct package_registers_if : virtual sc_core::sc_interface {
    // The access takes place in cycle `at`. Sets the data of a read.
    virtual void access(core::device_request&, base::cycle_t at) = 0;
};

}  // namespace knc::card

#endif
