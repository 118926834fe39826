// The threads of a core as text, for the report of a run that has ended badly: their registers, and
// what each of them waits for.

#include <knc/core/core.h>

#include <ostream>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <knc/apic/registers.h>
#include <knc/core/rooms.h>
#include <knc/isa/decoder.h>

namespace knc::core {

namespace {

const char* name_of(run_state s) {
    constexpr const char* names[] = {"running", "halted", "waiting for SIPI", "shutdown"};
    return names[static_cast<std::size_t>(s)];
}

bool interrupts_disabled(const thread& t) {
    return (t.context.s.eflags & isa::flag_if) == 0;
}

const char* what_wakes(const thread& t) {
    if (t.state == run_state::shutdown) return "only INIT can wake it";
    if (!interrupts_disabled(t)) return "an interrupt, NMI or INIT can wake it";
    return t.context.nmi_blocked
               ? "interrupts are disabled and NMI is blocked: only INIT can wake it"
               : "interrupts are disabled: only NMI or INIT can wake it";
}

// Why the thread has not taken an interrupt that its local APIC has.
std::string why_not(const thread& t, std::uint8_t vector) {
    const apic::local_apic& a = *t.apic;
    const std::uint8_t priority = a.processor_priority();
    const std::uint8_t in_service = a.isr().highest();
    if (!a.globally_enabled()) return "the local APIC is disabled";
    if (vector >> 4 > priority >> 4)
        return interrupts_disabled(t) ? "interrupts are disabled" : "the thread takes it next";
    return in_service >> 4 == priority >> 4 && in_service != 0
               ? fmt::format("{:#04x} is in service", in_service)
               : fmt::format("the task priority is {:#04x}", priority);
}

void write_apic(std::ostream& out, const thread& t, base::cycle_t now) {
    const apic::local_apic& a = *t.apic;
    constexpr unsigned first_vector = 16, last_vector = 255;
    if (a.nmi_pending())
        fmt::print(out, "  apic  NMI pending{}\n",
                   t.context.nmi_blocked ? ", blocked until IRET" : "");
    for (unsigned v = last_vector; v >= first_vector; --v)
        if (a.irr().test(static_cast<std::uint8_t>(v)))
            fmt::print(out, "  apic  interrupt {:#04x} pending: {}\n", v,
                       why_not(t, static_cast<std::uint8_t>(v)));
    for (unsigned v = last_vector; v >= first_vector; --v)
        if (a.isr().test(static_cast<std::uint8_t>(v)))
            fmt::print(out, "  apic  interrupt {:#04x} in service, no EOI yet\n", v);
    const std::uint32_t pmi = a.peek(apic::reg::lvt_pmc, now);
    if ((pmi & apic::lvt::masked) != 0 && (pmi & ~apic::lvt::masked) != 0)
        fmt::print(out, "  apic  performance interrupts are masked: lvt_pmc {:#x}\n", pmi);
    const std::uint32_t timer = a.peek(apic::reg::lvt_timer, now);
    if (a.peek(apic::reg::current_count, now) != 0)
        fmt::print(out, "  apic  the timer runs{}: lvt_timer {:#x}\n",
                   (timer & apic::lvt::masked) != 0 ? ", masked" : "", timer);
}

void write_waits(std::ostream& out, const thread& t, base::cycle_t now) {
    if (t.state != run_state::running)
        fmt::print(out, "  waits {}\n", what_wakes(t));
    else if (t.devices.waiting())
        out << "  waits for the answer to the uncached access of this instruction\n";
    write_apic(out, t, now);
}

}  // namespace

std::string core::why_stopped() const {
    std::string text;
    for (const auto& t : threads_) {
        if (t->state == run_state::running || t->state == run_state::wait_for_sipi) continue;
        text += fmt::format(
            "{}core {} thread {} {}{}", text.empty() ? "" : "; ", index_, t->index(),
            name_of(t->state),
            t->state == run_state::shutdown ? fmt::format(" after {}", t->shutdown_reason)
            : (t->context.s.eflags & isa::flag_if) == 0 ? " with interrupts disabled"
                                                        : " with no interrupt to come");
    }
    return text;
}

bool core::interruptible() const {
    for (const auto& t : threads_)
        if (t->state == run_state::halted && (t->context.s.eflags & isa::flag_if) != 0) return true;
    return false;
}

void core::dump(std::ostream& out, code_names_if* places) const {
    static constexpr const char* names[] = {"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi",
                                            "r8 ", "r9 ", "r10", "r11", "r12", "r13", "r14", "r15"};
    for (const auto& p : threads_) {
        thread& t = *p;
        if (t.index() >= parameters_.threads) break;
        isa::state& s = t.context.s;
        fmt::print(out, "core {} thread {}: {}, {} instructions\n", index_, t.index(),
                   name_of(t.state), t.retired);
        if (t.state == run_state::wait_for_sipi) continue;
        for (unsigned r = 0; r < 16; ++r)
            fmt::print(out, "{} {} {:016x}{}", r % 4 == 0 ? " " : "", names[r], s.r[r],
                       r % 4 == 3 ? "\n" : "");
        fmt::print(out, "  rip {:016x}  rflags {:08x}  cpl {}  cs {:04x} ss {:04x}\n",
                   s.r[isa::rip], s.rflags(), s.cpl, s.seg[isa::cs].selector,
                   s.seg[isa::ss].selector);
        fmt::print(out, "  cr0 {:08x}  cr2 {:016x}  cr3 {:016x}  cr4 {:08x}  efer {:04x}\n", s.cr0,
                   s.cr2, s.cr3, s.cr4, s.efer);
        std::uint64_t first = 0;
        if (places != nullptr && t.context.probe(t.context.linear(isa::cs, s.r[isa::rip]), first)) {
            const std::string name =
                places->name({t.context, privilege_of(t.context), s.r[isa::rip], first});
            if (!name.empty()) fmt::print(out, "  in  {}\n", name);
        }
        std::uint8_t bytes[15];
        unsigned n = 0;
        for (; n < sizeof bytes; ++n) {
            std::uint64_t paddr = 0;
            if (!t.context.probe(t.context.linear(isa::cs, s.r[isa::rip] + n), paddr)) break;
            if (!rooms_->memory.is_ram(paddr)) break;
            rooms_->memory.peek(paddr, 1, &bytes[n]);
        }
        fmt::print(out, "  at  {}\n",
                   n == 0 ? "(no code mapped)" : isa::disassemble(s.mode, bytes, n, s.r[isa::rip]));
        write_waits(out, t, time_.now());
    }
}

}  // namespace knc::core
