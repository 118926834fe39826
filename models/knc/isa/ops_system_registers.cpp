// MOV to and from control and debug registers, LMSW, SMSW.

#include <knc/isa/context.h>
#include <knc/isa/control_registers.h>
#include <knc/isa/ops_system.h>
#include <knc/isa/select.h>

namespace knc::isa {
namespace {

// imm2 is the number of the control or debug register, reg the general register.
template <class T>
status read_control(context& c, const insn& i) {
    if (c.s.cpl != 0) return c.gp();
    c.set<T>(i.reg, static_cast<T>(read_control_register(c, static_cast<unsigned>(i.imm2))));
    return status::ok;
}
template <class T>
status write_control(context& c, const insn& i) {
    if (c.s.cpl != 0) return c.gp();
    return write_control_register(c, static_cast<unsigned>(i.imm2), c.get<T>(i.reg));
}
template <class T>
status read_debug(context& c, const insn& i) {
    if (c.s.cpl != 0) return c.gp();
    std::uint64_t value = 0;
    const status r = read_debug_register(c, static_cast<unsigned>(i.imm2), value);
    if (r == status::ok) c.set<T>(i.reg, static_cast<T>(value));
    return r;
}
template <class T>
status write_debug(context& c, const insn& i) {
    if (c.s.cpl != 0) return c.gp();
    return write_debug_register(c, static_cast<unsigned>(i.imm2), c.get<T>(i.reg));
}

// PE MP EM TS; PE can be set but not cleared.
status load_machine_status(context& c, std::uint16_t value) {
    constexpr std::uint64_t loaded = cr0_mp | cr0_em | cr0_ts;
    return write_cr0(c, (c.s.cr0 & ~loaded) | (value & (loaded | cr0_pe)));
}
status lmsw_register(context& c, const insn& i) {
    if (c.s.cpl != 0) return c.gp();
    return load_machine_status(c, c.get<std::uint16_t>(i.reg));
}
status lmsw_memory(context& c, const insn& i) {
    if (c.s.cpl != 0) return c.gp();
    std::uint16_t value;
    if (!c.load(i.seg, c.offset(i), value)) return c.failure;
    return load_machine_status(c, value);
}

template <class T>
status smsw_register(context& c, const insn& i) {
    c.set<T>(i.reg, static_cast<T>(c.s.cr0));
    return status::ok;
}
status smsw_memory(context& c, const insn& i) {
    const auto value = static_cast<std::uint16_t>(c.s.cr0);
    return c.store(i.seg, c.offset(i), value) ? status::ok : c.failure;
}

bool is_control(ZydisRegister r) {
    return r >= ZYDIS_REGISTER_CR0 && r <= ZYDIS_REGISTER_CR15;
}
bool is_debug(ZydisRegister r) {
    return r >= ZYDIS_REGISTER_DR0 && r <= ZYDIS_REGISTER_DR15;
}

template <class T>
handler choose(bool control, bool to) {
    if (control) return to ? write_control<T> : read_control<T>;
    return to ? write_debug<T> : read_debug<T>;
}

}  // namespace

handler select_mov_system_register(const decoded& d, insn& out) {
    const auto is_system = [](const ZydisDecodedOperand& o) {
        return o.type == ZYDIS_OPERAND_TYPE_REGISTER &&
               (is_control(o.reg.value) || is_debug(o.reg.value));
    };
    const bool to = is_system(d.ops[0]);
    if (!to && !is_system(d.ops[1])) return nullptr;
    const ZydisRegister number = d.ops[to ? 0 : 1].reg.value;
    out.imm2 = static_cast<std::uint16_t>(ZydisRegisterGetId(number));
    out.reg = register_offset(d.ops[to ? 1 : 0].reg.value);
    // Reading one changes nothing.
    if (!to) out.flags &= ~(insn_serializing | insn_mode);
    const bool control = is_control(number);
    return d.mode == code_mode::bits64 ? choose<std::uint64_t>(control, to)
                                       : choose<std::uint32_t>(control, to);
}

handler select_lmsw(const decoded& d, insn&) {
    return is_memory(d.ops[0]) ? lmsw_memory : lmsw_register;
}

handler select_smsw(const decoded& d, insn& out) {
    if (is_memory(d.ops[0])) return smsw_memory;
    return for_word_size(out.size, [](auto t) { return handler{smsw_register<decltype(t)>}; });
}

}  // namespace knc::isa
