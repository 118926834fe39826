#include <knc/isa/ops_frame.h>

#include <type_traits>

#include <knc/isa/context.h>
#include <knc/isa/select.h>
#include <knc/isa/stack.h>

namespace knc::isa {
namespace {

// imm: bytes of local variables; imm2: nesting level, modulo 32.
template <class T, bool Long>
status enter(context& c, const insn& i) {
    const std::uint64_t mask = stack_mask<Long>(c);
    const unsigned level = static_cast<unsigned>(i.imm2) & 31;
    std::uint64_t top = c.s.r[rsp] - sizeof(T);
    if (!c.store<T>(ss, top & mask, c.get<T>(8 * rbp))) return c.failure;
    const std::uint64_t frame = top;
    std::uint64_t outer = c.s.r[rbp];
    for (unsigned n = 1; n < level; ++n) {
        outer -= sizeof(T);
        top -= sizeof(T);
        T display;
        if (!c.load<T>(ss, outer & mask, display) || !c.store<T>(ss, top & mask, display))
            return c.failure;
    }
    if (level > 0) {
        top -= sizeof(T);
        if (!c.store<T>(ss, top & mask, static_cast<T>(frame))) return c.failure;
    }
    top -= static_cast<std::uint64_t>(i.imm);
    // The page of the new top must be writable even if nothing is written to it.
    if (!c.check_write(ss, top & mask, sizeof(T))) return c.failure;
    c.s.r[rbp] = (c.s.r[rbp] & ~mask) | (frame & mask);
    c.s.r[rsp] = stack_pointer(c, mask, top);
    return status::ok;
}

template <class T, bool Long>
status leave(context& c, const insn&) {
    const std::uint64_t mask = stack_mask<Long>(c);
    T v;
    if (!c.load<T>(ss, c.s.r[rbp] & mask, v)) return c.failure;
    c.s.r[rsp] = stack_pointer(c, mask, c.s.r[rbp] + sizeof(T));
    c.set<T>(8 * rbp, v);
    return status::ok;
}

template <class T>
status bound(context& c, const insn& i) {
    using S = std::make_signed_t<T>;
    const std::uint64_t at = c.offset(i);
    const std::uint64_t mask = i.address_size == 4 ? 0xffff'ffffu : 0xffffu;
    T low, high;
    if (!c.load<T>(i.seg, at, low) || !c.load<T>(i.seg, (at + sizeof(T)) & mask, high))
        return c.failure;
    const S v = c.get<S>(i.reg);
    return v < static_cast<S>(low) || v > static_cast<S>(high) ? c.raise(vector_br) : status::ok;
}

}  // namespace

handler select_enter(const decoded& d, insn& out) {
    out.size = static_cast<std::uint8_t>(d.i.operand_width / 8);
    const bool in_long = d.mode == code_mode::bits64;
    return for_word_size(out.size, [in_long](auto t) -> handler {
        return in_long ? enter<decltype(t), true> : enter<decltype(t), false>;
    });
}
handler select_leave(const decoded& d, insn& out) {
    out.size = static_cast<std::uint8_t>(d.i.operand_width / 8);
    const bool in_long = d.mode == code_mode::bits64;
    return for_word_size(out.size, [in_long](auto t) -> handler {
        return in_long ? leave<decltype(t), true> : leave<decltype(t), false>;
    });
}
handler select_bound(const decoded&, insn& out) {
    return out.size == 2 ? bound<std::uint16_t> : bound<std::uint32_t>;
}

}  // namespace knc::isa
