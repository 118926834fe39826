#include <knc/isa/event_delivery.h>

#include <knc/isa/event_entry.h>

namespace knc::isa {
namespace {

enum class event_class : std::uint8_t { benign, contributory, page_fault, double_fault };

event_class class_of(event_kind kind, const fault& f) {
    if (kind != event_kind::exception) return event_class::benign;
    switch (f.vector) {
        case vector_de:
        case vector_ts:
        case vector_np:
        case vector_ss:
        case vector_gp:
            return event_class::contributory;
        case vector_pf:
            return event_class::page_fault;
        case vector_df:
            return event_class::double_fault;
        default:
            return event_class::benign;
    }
}

enum class outcome : std::uint8_t { serial, double_fault, shutdown };

// SDM table 6-5: rows first event, columns second event; a second event is never a double fault.
constexpr outcome outcomes[4][3] = {
    // benign           contributory           page fault
    {outcome::serial, outcome::serial, outcome::serial},              // benign
    {outcome::serial, outcome::double_fault, outcome::serial},        // contributory
    {outcome::serial, outcome::double_fault, outcome::double_fault},  // page fault
    {outcome::serial, outcome::shutdown, outcome::shutdown},          // double fault
};

// Faults in a row before a thread that can never deliver one (#AC inside #AC) is given up.
constexpr unsigned most_attempts = 16;

bool has_selector_error(const fault& f) {
    return f.vector >= vector_ts && f.vector <= vector_gp;
}

}  // namespace

std::uint64_t event::saved_flags(const state& s) const {
    const bool abort = fault.vector == vector_df || fault.vector == vector_mc;
    // The handler of an instruction breakpoint sets RF itself to get past it.
    const bool breakpoint = fault.vector == vector_db && (fault.dr6 & dr6_bd) == 0;
    const bool restarts = kind == event_kind::exception && !fault.trap && !abort && !breakpoint;
    return s.rflags() | (restarts ? flag_rf : 0);
}

bool read_gate(context& c, const event& e, unsigned bytes, std::uint32_t types, descriptor& gate) {
    const unsigned offset = e.fault.vector * bytes;
    if (offset + bytes - 1 > c.s.idtr.limit) {
        c.gp(e.gate_error());
        return false;
    }
    gate.la = c.s.idtr.base + offset;
    std::uint64_t words[2] = {};
    if (!c.read_system(gate.la, bytes, words)) return false;
    gate.low = words[0];
    gate.high = words[1];
    const unsigned type = gate.low >> 40 & 31, dpl = gate.low >> 45 & 3;
    const bool too_private = e.kind == event_kind::software_interrupt && dpl < c.s.cpl;
    if ((types >> type & 1) == 0 || too_private) {
        c.gp(e.gate_error());
        return false;
    }
    if ((gate.low >> 47 & 1) == 0) {
        c.raise(vector_np, e.gate_error());
        return false;
    }
    return true;
}

bool find_handler(context& c, const descriptor& gate, descriptor& d, segment& code) {
    const std::uint16_t selector = gate.gate_selector();
    const std::uint32_t error = selector & 0xfffcu;
    if (is_null(selector)) {
        c.gp();
        return false;
    }
    if (!read_descriptor(c, selector, vector_gp, d)) return false;
    code = d.as_segment(selector);
    const bool fits = !c.s.long_mode() || (code.long_mode() && !code.big());
    if (!is_code(code) || code.dpl() > c.s.cpl || !fits) {
        c.gp(error);
        return false;
    }
    if (!code.present()) {
        c.raise(vector_np, error);
        return false;
    }
    code.attributes |= 1;
    return mark_accessed(c, d);
}

void start_handler(context& c, segment code, std::uint64_t ip, std::uint8_t cpl, bool clear_if) {
    code.selector = static_cast<std::uint16_t>((code.selector & ~3u) | cpl);
    c.s.seg[cs] = code;
    c.s.r[rip] = ip;
    c.s.cpl = cpl;
    c.s.eflags &= ~(flag_tf | flag_nt | flag_rf | flag_vm | (clear_if ? flag_if : 0u));
    c.update_mode();
}

void report_conditions(context& c, std::uint32_t conditions) {
    c.s.dr[6] = (c.s.dr[6] & ~std::uint64_t{dr6_breakpoints}) | conditions;
}

status deliver_once(context& c, event_kind kind, const fault& f, std::uint64_t next_ip) {
    const event e{kind, f, next_ip};
    const status r = c.s.long_mode()        ? enter_long_mode_handler(c, e)
                     : c.s.protected_mode() ? enter_protected_handler(c, e)
                                            : enter_real_mode_handler(c, e);
    if (r == status::ok) {
        c.interrupt_shadow = false;
        if (kind == event_kind::exception && f.vector == vector_db) c.s.dr[7] &= ~dr7_gd;
        if (kind == event_kind::nmi) c.nmi_blocked = true;
    } else if (r == status::fault && kind != event_kind::software_interrupt &&
               has_selector_error(c.fault)) {
        c.fault.error |= 1;  // EXT
    }
    return r;
}

delivery deliver(context& c, event_kind kind, const fault& first, std::uint64_t next_ip) {
    fault f = first;
    for (unsigned attempt = 0; attempt < most_attempts; ++attempt) {
        if (kind == event_kind::exception && f.vector == vector_pf) c.s.cr2 = f.address;
        if (kind == event_kind::exception && f.vector == vector_db) report_conditions(c, f.dr6);
        const status r = deliver_once(c, kind, f, next_ip);
        if (r == status::ok) return delivery::done;
        if (r == status::blocked) return delivery::blocked;
        const fault second = c.fault;
        const auto row = static_cast<unsigned>(class_of(kind, f));
        const auto column = static_cast<unsigned>(class_of(event_kind::exception, second));
        const outcome o = outcomes[row][column];
        if (o == outcome::shutdown) return delivery::shutdown;
        kind = event_kind::exception;
        f = second;
        if (o == outcome::double_fault) {
            f = fault{};
            f.vector = vector_df;
            f.has_error = true;
        }
        if (second.vector == vector_pf) c.s.cr2 = second.address;
    }
    return delivery::shutdown;
}

}  // namespace knc::isa
