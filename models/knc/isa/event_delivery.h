// Delivery of exceptions and interrupts, and what far control transfers share with it.
//
// Models: real-mode vectors, 16-, 32- and 64-bit IDT gates, task gates, entry from virtual-8086
// mode, privilege changes with TSS stacks and IST, error codes, double fault and shutdown. Source:
// Intel SDM vol. 3, chapter 6 and section 6.14.
#ifndef KNC_ISA_EVENT_DELIVERY_H
#define KNC_ISA_EVENT_DELIVERY_H

#include <cstdint>

#include <knc/isa/context.h>

namespace knc::isa {

enum class event_kind : std::uint8_t {
    exception,           // fault or trap detected by the processor
    external_interrupt,  // from the local APIC
    nmi,
    software_interrupt  // INT n, INT3, INTO: gate DPL is checked
};

enum class delivery : std::uint8_t {
    done,      // the first instruction of the handler is next
    shutdown,  // a third fault: the thread stops until reset or INIT
    blocked    // memory the delivery needs is not there yet; nothing has happened, deliver again
};

// Delivers the event through the IDT. `next_ip` is the RIP to save. Faults met on the way become
// #DF and then shutdown by the rules of SDM table 6-5. On return context.s is at the handler. #PF
// loads CR2, #DB reports in DR6 and clears DR7.GD.
// An interrupt whose delivery faults is lost, as any benign first event is: the fault's handler
// returns to the interrupted instruction and learns of the interrupt only by EXT in its error code.
// The interrupt stays in service in the local APIC until software ends it.
delivery deliver(context&, event_kind, const fault&, std::uint64_t next_ip);

// Sets DR6 as a #DB for these conditions does: B0-B3 show this exception only, the other conditions
// stay until software clears them.
void report_conditions(context&, std::uint32_t conditions);

// Tries the delivery once, as INT n, INT3 and INTO do. status::fault: the delivery met the fault in
// context.fault, and nothing has changed.
status deliver_once(context&, event_kind, const fault&, std::uint64_t next_ip);

}  // namespace knc::isa

#endif
