// Stack accesses of instructions.
//
// Models: 16-, 32- and 64-bit stack pointers (64-bit mode, else the B bit of SS). Source: Intel SDM
// vol. 1, 6.2.
#ifndef KNC_ISA_STACK_H
#define KNC_ISA_STACK_H

#include <cstdint>
#include <cstring>

#include <knc/isa/context.h>
#include <knc/isa/memory_operand.h>

namespace knc::isa {

// The bits of RSP that take part. `Long`: code decoded for 64-bit mode.
template <bool Long>
std::uint64_t stack_mask(const context& c) {
    if constexpr (Long) return ~std::uint64_t{0};
    return c.s.seg[ss].big() ? 0xffff'ffffu : 0xffffu;
}

// RSP with its part in `mask` replaced by `value`'s.
inline std::uint64_t stack_pointer(const context& c, std::uint64_t mask, std::uint64_t value) {
    return (c.s.r[rsp] & ~mask) | (value & mask);
}

// False: see context.failure; RSP is then unchanged.
template <class T, bool Long>
bool push(context& c, T value) {
    const std::uint64_t mask = stack_mask<Long>(c);
    const std::uint64_t top = (c.s.r[rsp] - sizeof(T)) & mask;
    if (!c.store<T>(ss, top, value)) return false;
    c.s.r[rsp] = stack_pointer(c, mask, top);
    return true;
}

// Reads the value `depth` bytes above the top; RSP stays.
template <class T, bool Long>
bool peek(context& c, T& value, std::uint64_t depth = 0) {
    return c.load<T>(ss, (c.s.r[rsp] + depth) & stack_mask<Long>(c), value);
}

// Moves RSP up by `bytes`.
template <bool Long>
void release(context& c, std::uint64_t bytes) {
    c.s.r[rsp] = stack_pointer(c, stack_mask<Long>(c), c.s.r[rsp] + bytes);
}

// ---- instructions that push or pop one value: at once where the line of the top is granted
template <class T, bool Long>
[[gnu::noinline]] status push_general(context& c, T value) {
    return push<T, Long>(c, value) ? status::ok : c.failure;
}
template <class T, bool Long>
status push_value(context& c, T value) {
    if constexpr (Long) {
        const std::uint64_t top = c.s.r[rsp] - sizeof(T);
        std::uint8_t* p;
        if (__builtin_expect(c.write_granted<T>(top, p), 1)) {
            std::memcpy(p, &value, sizeof value);
            c.s.r[rsp] = top;
            return status::ok;
        }
    }
    return push_general<T, Long>(c, value);
}

// Use receives the value at the top, and moves RSP.
template <class T, bool Long, use_of_value<T> Use>
[[gnu::noinline]] status use_top_general(context& c, const insn& i) {
    T v;
    if (!peek<T, Long>(c, v)) return c.failure;
    return Use(c, i, v);
}
template <class T, bool Long, use_of_value<T> Use>
status use_top(context& c, const insn& i) {
    if constexpr (Long) {
        std::uint8_t* p;
        if (__builtin_expect(c.read_granted<T>(c.s.r[rsp], p), 1)) return Use(c, i, value_at<T>(p));
    }
    return use_top_general<T, Long, Use>(c, i);
}

}  // namespace knc::isa

#endif
