// Entry to an event's handler, one function per mode; event_delivery.cpp chooses.
//
// Source: Intel SDM vol. 3, 6.10 to 6.14 and vol. 3, 20.1.4 (real mode).
#ifndef KNC_ISA_EVENT_ENTRY_H
#define KNC_ISA_EVENT_ENTRY_H

#include <cstdint>

#include <knc/isa/event_delivery.h>
#include <knc/isa/far_stack.h>
#include <knc/isa/segmentation.h>

namespace knc::isa {

struct event {
    event_kind kind;
    isa::fault fault;
    std::uint64_t next_ip;

    // Error code of a fault that the event's gate causes.
    std::uint32_t gate_error() const { return fault.vector * 8u + 2u; }
    // The flags to save.
    std::uint64_t saved_flags(const state&) const;
};

// Each changes nothing unless it ends with status::ok.
status enter_real_mode_handler(context&, const event&);
status enter_protected_handler(context&, const event&);
status enter_long_mode_handler(context&, const event&);

// Reads the gate of the event, `bytes` long, and checks type (a bit set of system_type), DPL of a
// software interrupt, and presence.
bool read_gate(context&, const event&, unsigned bytes, std::uint32_t types, descriptor& gate);
// Finds and checks the code segment that `gate` names.
bool find_handler(context&, const descriptor& gate, descriptor& d, segment& code);

// CPL of a handler in `code`.
inline std::uint8_t handler_cpl(const context& c, const segment& code) {
    return is_conforming(code) ? c.s.cpl : static_cast<std::uint8_t>(code.dpl());
}
// Makes `code`:`ip` next, at `cpl`, with the flags a handler starts with.
void start_handler(context&, segment code, std::uint64_t ip, std::uint8_t cpl, bool clear_if);

}  // namespace knc::isa

#endif
