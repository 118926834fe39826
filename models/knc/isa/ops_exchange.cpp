#include <knc/isa/ops_exchange.h>

#include <knc/isa/context.h>
#include <knc/isa/select.h>

namespace knc::isa {
namespace {

template <class T>
status xadd_register(context& c, const insn& i) {
    const T a = c.get<T>(i.reg), b = c.get<T>(i.rm);
    const T r = static_cast<T>(a + b);
    c.set<T>(i.rm, a);
    c.set<T>(i.reg, r);
    c.s.arithmetic.add<T>(a, b, r);
    return status::ok;
}
template <class T>
status xadd_memory(context& c, const insn& i) {
    const std::uint64_t at = c.offset(i);
    T a;
    if (!c.load_for_update<T>(i.seg, at, a)) return c.failure;
    const T b = c.get<T>(i.reg);
    const T r = static_cast<T>(a + b);
    if (!c.store<T>(i.seg, at, r)) return c.failure;
    c.set<T>(i.reg, a);
    c.s.arithmetic.add<T>(a, b, r);
    return status::ok;
}

template <class T>
status cmpxchg_register(context& c, const insn& i) {
    const T wanted = c.get<T>(8 * rax), a = c.get<T>(i.reg);
    if (a == wanted)
        c.set<T>(i.reg, c.get<T>(i.rm));
    else
        c.set<T>(8 * rax, a);
    c.s.arithmetic.sub<T>(wanted, a, static_cast<T>(wanted - a));
    return status::ok;
}
// The destination is written in both cases: its old value if the comparison fails.
template <class T>
status cmpxchg_memory(context& c, const insn& i) {
    const std::uint64_t at = c.offset(i);
    T a;
    if (!c.load_for_update<T>(i.seg, at, a)) return c.failure;
    const T wanted = c.get<T>(8 * rax);
    if (!c.store<T>(i.seg, at, a == wanted ? c.get<T>(i.reg) : a)) return c.failure;
    if (a != wanted) c.set<T>(8 * rax, a);
    c.s.arithmetic.sub<T>(wanted, a, static_cast<T>(wanted - a));
    return status::ok;
}

status cmpxchg8b(context& c, const insn& i) {
    const std::uint64_t at = c.offset(i);
    std::uint64_t a;
    if (!c.load_for_update<std::uint64_t>(i.seg, at, a)) return c.failure;
    const auto pair = [&c](gpr high, gpr low) {
        return (c.s.r[high] << 32) | (c.s.r[low] & 0xffff'ffff);
    };
    const bool same = a == pair(rdx, rax);
    if (!c.store<std::uint64_t>(i.seg, at, same ? pair(rcx, rbx) : a)) return c.failure;
    if (!same) {
        c.set<std::uint32_t>(8 * rax, static_cast<std::uint32_t>(a));
        c.set<std::uint32_t>(8 * rdx, static_cast<std::uint32_t>(a >> 32));
    }
    c.s.arithmetic.set_zf(same);
    return status::ok;
}

status cmpxchg16b(context& c, const insn& i) {
    const std::uint64_t at = c.offset(i);
    if (((c.s.seg[i.seg].base + at) & 15) != 0) return c.gp();
    std::uint64_t low, high;
    if (!c.load_for_update<std::uint64_t>(i.seg, at, low) ||
        !c.load_for_update<std::uint64_t>(i.seg, at + 8, high))
        return c.failure;
    const bool same = low == c.s.r[rax] && high == c.s.r[rdx];
    if (!c.store<std::uint64_t>(i.seg, at, same ? c.s.r[rbx] : low) ||
        !c.store<std::uint64_t>(i.seg, at + 8, same ? c.s.r[rcx] : high))
        return c.failure;
    if (!same) {
        c.s.r[rax] = low;
        c.s.r[rdx] = high;
    }
    c.s.arithmetic.set_zf(same);
    return status::ok;
}

}  // namespace

handler select_xadd(const decoded& d, insn& out) {
    const bool memory = form_of(d, out) == form::mr;
    return for_size(out.size, [memory](auto t) -> handler {
        return memory ? xadd_memory<decltype(t)> : xadd_register<decltype(t)>;
    });
}

handler select_cmpxchg(const decoded& d, insn& out) {
    const bool memory = form_of(d, out) == form::mr;
    return for_size(out.size, [memory](auto t) -> handler {
        return memory ? cmpxchg_memory<decltype(t)> : cmpxchg_register<decltype(t)>;
    });
}

handler select_cmpxchg8b(const decoded&, insn&) {
    return cmpxchg8b;
}
handler select_cmpxchg16b(const decoded&, insn&) {
    return cmpxchg16b;
}

}  // namespace knc::isa
