#include <knc/isa/ops_stack.h>

#include <knc/isa/context.h>
#include <knc/isa/select.h>
#include <knc/isa/stack.h>

namespace knc::isa {
namespace {

template <class T, bool Long>
status push_register(context& c, const insn& i) {
    return push_value<T, Long>(c, c.get<T>(i.reg));
}
template <class T, bool Long>
status push_immediate(context& c, const insn& i) {
    return push_value<T, Long>(c, static_cast<T>(i.imm));
}
template <class T, bool Long>
status push_memory(context& c, const insn& i) {
    T v;
    if (!c.load<T>(i.seg, c.offset(i), v)) return c.failure;
    return push_value<T, Long>(c, v);
}

// POP rSP leaves the value popped.
template <class T, bool Long>
status popped(context& c, const insn& i, T v) {
    release<Long>(c, sizeof(T));
    c.set<T>(i.reg, v);
    return status::ok;
}
// An address that uses rSP uses its value after the pop.
template <class T, bool Long>
status pop_memory(context& c, const insn& i) {
    T v;
    if (!peek<T, Long>(c, v)) return c.failure;
    const std::uint64_t before = c.s.r[rsp];
    release<Long>(c, sizeof(T));
    if (c.store<T>(i.seg, c.offset(i), v)) return status::ok;
    c.s.r[rsp] = before;
    return c.failure;
}

template <class T>
status pusha(context& c, const insn&) {
    const std::uint64_t mask = stack_mask<false>(c);
    for (unsigned n = 0; n < 8; ++n) {
        const std::uint64_t at = (c.s.r[rsp] - (n + 1) * sizeof(T)) & mask;
        if (!c.store<T>(ss, at, c.get<T>(static_cast<std::uint8_t>(8 * n)))) return c.failure;
    }
    c.s.r[rsp] = stack_pointer(c, mask, c.s.r[rsp] - 8 * sizeof(T));
    return status::ok;
}

template <class T>
status popa(context& c, const insn&) {
    T v[8];
    for (unsigned n = 0; n < 8; ++n)
        if (!peek<T, false>(c, v[7 - n], n * sizeof(T))) return c.failure;
    for (unsigned n = 0; n < 8; ++n)
        if (n != rsp) c.set<T>(static_cast<std::uint8_t>(8 * n), v[n]);
    release<false>(c, 8 * sizeof(T));
    return status::ok;
}

}  // namespace

handler select_push(const decoded& d, insn& out) {
    const form f = is_immediate(d.ops[0]) ? form::ri : form_of(d, out);
    if (f != form::ri && f != form::r && f != form::m) return nullptr;
    out.size = static_cast<std::uint8_t>(d.i.operand_width / 8);
    const bool in_long = d.mode == code_mode::bits64;
    return for_word_size(out.size, [f, in_long](auto t) -> handler {
        using T = decltype(t);
        if (f == form::r) return in_long ? push_register<T, true> : push_register<T, false>;
        if (f == form::m) return in_long ? push_memory<T, true> : push_memory<T, false>;
        return in_long ? push_immediate<T, true> : push_immediate<T, false>;
    });
}

handler select_pop(const decoded& d, insn& out) {
    const form f = form_of(d, out);
    if (f != form::r && f != form::m) return nullptr;
    out.size = static_cast<std::uint8_t>(d.i.operand_width / 8);
    const bool in_long = d.mode == code_mode::bits64;
    return for_word_size(out.size, [f, in_long](auto t) -> handler {
        using T = decltype(t);
        if (f == form::r)
            return in_long ? use_top<T, true, popped<T, true>>
                           : use_top<T, false, popped<T, false>>;
        return in_long ? pop_memory<T, true> : pop_memory<T, false>;
    });
}

handler select_pusha(const decoded& d, insn& out) {
    out.size = static_cast<std::uint8_t>(d.i.operand_width / 8);
    return out.size == 2 ? pusha<std::uint16_t> : pusha<std::uint32_t>;
}
handler select_popa(const decoded& d, insn& out) {
    out.size = static_cast<std::uint8_t>(d.i.operand_width / 8);
    return out.size == 2 ? popa<std::uint16_t> : popa<std::uint32_t>;
}

}  // namespace knc::isa
