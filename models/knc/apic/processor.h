// What a processor model asks of the local APIC's SystemC module when the module drives itself.
#ifndef KNC_APIC_PROCESSOR_H
#define KNC_APIC_PROCESSOR_H

#include <cstdint>
#include <systemc>

namespace knc::apic {

struct processor_if : virtual sc_core::sc_interface {
    // INTA, in answer to `intr`: the vector to deliver.
    virtual std::uint8_t acknowledge() = 0;
    // Take what `nmi`, `init` and `startup` announce; false if it is not there (any more).
    virtual bool take_nmi() = 0;
    // Also resets the APIC's registers as INIT does.
    virtual bool take_init() = 0;
    virtual bool take_startup(std::uint8_t& vector) = 0;
    // CR8, the task priority class, 0-15.
    virtual std::uint8_t read_cr8() = 0;
    virtual void write_cr8(std::uint8_t) = 0;
};

class local_apic;

// The APIC, as a core that drives it itself sees it.
struct core_if : virtual sc_core::sc_interface {
    // It stays valid and where it is.
    virtual local_apic& logic() = 0;
};

// A core that drives its local APIC itself.
struct message_listener_if : virtual sc_core::sc_interface {
    // A message has been put into the APIC's inbox: next_event() may be earlier now.
    virtual void message_arrived() = 0;
};

}  // namespace knc::apic

#endif
