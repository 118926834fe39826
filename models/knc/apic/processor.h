// The interfaces between a local APIC and the processor model that uses it.
//
// Models: the part of the connection that pins cannot express. Leaves out: the pins (apic.h).
#ifndef KNC_APIC_PROCESSOR_H
#define KNC_APIC_PROCESSOR_H

#include <cstdint>
#include <systemc>

namespace knc::apic {

struct processor_if : virtual sc_core::sc_interface {
    // INTA, the response to `intr`: the vector to deliver.
    virtual std::uint8_t acknowledge() = 0;
    // Accept the event that `nmi`, `init` or `startup` signals; false if it is not pending any
    // more.
    virtual bool take_nmi() = 0;
    // Also resets the APIC's registers, as INIT does.
    virtual bool take_init() = 0;
    virtual bool take_startup(std::uint8_t& vector) = 0;
    // CR8, the task priority class, 0-15.
    virtual std::uint8_t read_cr8() = 0;
    virtual void write_cr8(std::uint8_t) = 0;
};

class local_apic;

// The interface of the APIC to a core that drives it.
struct core_if : virtual sc_core::sc_interface {
    // The reference stays valid for the lifetime of the APIC.
    virtual local_apic& logic() = 0;
};

// A core that drives its local APIC.
struct message_listener_if : virtual sc_core::sc_interface {
    // A message is in the APIC's inbox: next_event() may be earlier now.
    virtual void message_arrived() = 0;
};

}  // namespace knc::apic

#endif
