// Instructions with one memory operand: from the operand's access to the handler.
//
// Models: reads, writes and updates of an operand, in two forms that do the same to the guest. In
// 64-bit code, the offset in a segment whose base is 0 is the linear address, and a line that is
// granted needs no other check: that is the form of nearly all instructions. The general form does
// everything else. Leaves out: the operation, which the families give. Source: Intel SDM vol. 3,
// 3.2.4; docs/architecture.md, "The core".
#ifndef KNC_ISA_MEMORY_OPERAND_H
#define KNC_ISA_MEMORY_OPERAND_H

#include <cstdint>
#include <cstring>

#include <knc/isa/context.h>
#include <knc/isa/op_table.h>

namespace knc::isa {

// How the linear address comes about.
enum class addressing : std::uint8_t {
    general,  // by segmentation, from an offset of any size
    indexed,  // it is the offset of 64 bits
    based     // the same, and the operand has no index
};

inline addressing addressing_of(const decoded& d, const insn& i) {
    if (d.mode != code_mode::bits64 || i.address_size != 8 || i.seg == fs || i.seg == gs)
        return addressing::general;
    return i.index == no_register ? addressing::based : addressing::indexed;
}

template <class T>
T value_at(const std::uint8_t* p) {
    T v;
    std::memcpy(&v, p, sizeof v);
    return v;
}

// ---- reads: Use receives the value
template <class T>
using use_of_value = status (*)(context&, const insn&, T);

template <class T, use_of_value<T> Use>
[[gnu::noinline]] status read_general(context& c, const insn& i) {
    T v;
    if (!c.load<T>(i.seg, c.offset(i), v)) return c.failure;
    return Use(c, i, v);
}
template <class T, use_of_value<T> Use, bool Index>
status read_flat(context& c, const insn& i) {
    std::uint8_t* p;
    if (__builtin_expect(!c.read_granted<T>(c.sum<Index>(i), p), 0))
        return read_general<T, Use>(c, i);
    return Use(c, i, value_at<T>(p));
}
template <class T, use_of_value<T> Use>
handler reader(addressing a) {
    if (a == addressing::general) return read_general<T, Use>;
    return a == addressing::based ? read_flat<T, Use, false> : read_flat<T, Use, true>;
}

// ---- writes: Value gives the value
template <class T>
using value_of = T (*)(const context&, const insn&);

template <class T, value_of<T> Value>
[[gnu::noinline]] status write_general(context& c, const insn& i) {
    return c.store<T>(i.seg, c.offset(i), Value(c, i)) ? status::ok : c.failure;
}
template <class T, value_of<T> Value, bool Index>
status write_flat(context& c, const insn& i) {
    std::uint8_t* p;
    if (__builtin_expect(!c.write_granted<T>(c.sum<Index>(i), p), 0))
        return write_general<T, Value>(c, i);
    const T v = Value(c, i);
    std::memcpy(p, &v, sizeof v);
    return status::ok;
}
template <class T, value_of<T> Value>
handler writer(addressing a) {
    if (a == addressing::general) return write_general<T, Value>;
    return a == addressing::based ? write_flat<T, Value, false> : write_flat<T, Value, true>;
}

// ---- updates: Op::result() of the old value; when that is written, Op::flags()
template <class T, class Op>
[[gnu::noinline]] status update_general(context& c, const insn& i) {
    const std::uint64_t at = c.offset(i);
    T a;
    if (!c.load_for_update<T>(i.seg, at, a)) return c.failure;
    const T r = Op::result(c, i, a);
    if (!c.store<T>(i.seg, at, r)) return c.failure;
    Op::flags(c, i, a, r);
    return status::ok;
}
template <class T, class Op, bool Index>
status update_flat(context& c, const insn& i) {
    std::uint8_t* p;
    if (__builtin_expect(!c.update_granted<T>(c.sum<Index>(i), p), 0))
        return update_general<T, Op>(c, i);
    const T a = value_at<T>(p);
    const T r = Op::result(c, i, a);
    std::memcpy(p, &r, sizeof r);
    Op::flags(c, i, a, r);
    return status::ok;
}
template <class T, class Op>
handler updater(addressing a) {
    if (a == addressing::general) return update_general<T, Op>;
    return a == addressing::based ? update_flat<T, Op, false> : update_flat<T, Op, true>;
}

// ---- values of other operands
template <class T>
T register_value(const context& c, const insn& i) {
    return c.get<T>(i.reg);
}
template <class T>
T immediate_value(const context&, const insn& i) {
    return static_cast<T>(i.imm);
}

}  // namespace knc::isa

#endif
