#include <knc/isa/ops_flags.h>

#include <knc/isa/context.h>
#include <knc/isa/select.h>
#include <knc/isa/stack.h>
#include <knc/isa/system_flags.h>
#include <knc/isa/virtual_interrupts.h>

namespace knc::isa {

status lahf(context& c, const insn&) {
    c.set<std::uint8_t>(8 * rax + 1, static_cast<std::uint8_t>(c.s.arithmetic.get() | 2));
    return status::ok;
}
status sahf(context& c, const insn&) {
    const bool o = c.s.arithmetic.of();
    c.s.arithmetic.set(c.get<std::uint8_t>(8 * rax + 1) | (o ? flag_of : 0));
    return status::ok;
}
status clear_carry(context& c, const insn&) {
    c.s.arithmetic.set_cf(false);
    return status::ok;
}
status set_carry(context& c, const insn&) {
    c.s.arithmetic.set_cf(true);
    return status::ok;
}
status complement_carry(context& c, const insn&) {
    c.s.arithmetic.set_cf(!c.s.arithmetic.cf());
    return status::ok;
}
status clear_direction(context& c, const insn&) {
    c.s.eflags &= ~flag_df;
    return status::ok;
}
status set_direction(context& c, const insn&) {
    c.s.eflags |= flag_df;
    return status::ok;
}

namespace {

bool vm86_without_iopl(const context& c) {
    return c.s.virtual_8086() && (c.s.eflags & flag_iopl) != flag_iopl;
}

// VM and RF read as 0.
template <class T, bool Long>
status pushf(context& c, const insn&) {
    const bool is_virtual = vm86_without_iopl(c);
    if (is_virtual && !has_virtual_flags(c, sizeof(T))) return c.gp();
    const auto image = is_virtual
                           ? static_cast<T>(flags_with_virtual(c.s))
                           : static_cast<T>(c.s.rflags() & ~std::uint64_t{flag_vm | flag_rf});
    return push<T, Long>(c, image) ? status::ok : c.failure;
}

template <class T, bool Long>
status popf(context& c, const insn&) {
    const bool is_virtual = vm86_without_iopl(c);
    if (is_virtual && !has_virtual_flags(c, sizeof(T))) return c.gp();
    T image;
    if (!peek<T, Long>(c, image)) return c.failure;
    if (is_virtual && !load_virtual_flag(c, static_cast<std::uint16_t>(image))) return c.failure;
    release<Long>(c, sizeof(T));
    const std::uint64_t mask = writable_flags(c.s, sizeof(T));
    // RF is cleared; VM, VIF and VIP keep their state.
    std::uint64_t flags = (c.s.rflags() & ~mask) | (image & mask);
    if (sizeof(T) > 2) flags &= ~std::uint64_t{flag_rf};
    const bool checks_change = ((c.s.eflags ^ flags) & flag_ac) != 0;
    c.s.set_rflags(flags);
    if (checks_change) c.update_mode();
    return status::ok;
}

}  // namespace

handler select_pushf(const decoded& d, insn& out) {
    out.size = static_cast<std::uint8_t>(d.i.operand_width / 8);
    const bool in_long = d.mode == code_mode::bits64;
    return for_word_size(out.size, [in_long](auto t) -> handler {
        return in_long ? pushf<decltype(t), true> : pushf<decltype(t), false>;
    });
}
handler select_popf(const decoded& d, insn& out) {
    out.size = static_cast<std::uint8_t>(d.i.operand_width / 8);
    const bool in_long = d.mode == code_mode::bits64;
    return for_word_size(out.size, [in_long](auto t) -> handler {
        return in_long ? popf<decltype(t), true> : popf<decltype(t), false>;
    });
}

}  // namespace knc::isa
