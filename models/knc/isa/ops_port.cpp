// IN OUT INS OUTS of profile compat. The environment answers at the ports.
//
// Models: I/O privilege (IOPL and the permission map of the TSS), I/O breakpoints. Source: Intel
// SDM vol. 1, chapter 19.
#include <knc/isa/op_table.h>

#include <iterator>

#include <knc/isa/context.h>
#include <knc/isa/select.h>

namespace knc::isa {
namespace {

// The permission bits of `size` ports from `port` in the TSS. False: see context.failure.
bool map_allows(context& c, std::uint16_t port, unsigned size) {
    constexpr unsigned map_base_field = 102;
    constexpr unsigned busy_tss32 = 11;
    if (c.s.tr.type() == busy_tss32 && c.s.tr.limit > map_base_field) {
        std::uint16_t map_base = 0, bits = 0;
        if (!c.read_system(c.s.tr.base + map_base_field, sizeof map_base, &map_base)) return false;
        const std::uint32_t at = map_base + port / 8u;
        if (at + 1 <= c.s.tr.limit) {
            if (!c.read_system(c.s.tr.base + at, sizeof bits, &bits)) return false;
            if ((bits >> (port & 7) & ((1u << size) - 1)) == 0) return true;
        }
    }
    c.failure = c.gp();
    return false;
}
bool port_allowed(context& c, std::uint16_t port, unsigned size) {
    const bool below_iopl = c.s.cpl > (c.s.eflags & flag_iopl) >> 12;
    if (!c.s.protected_mode() || (!below_iopl && !c.s.virtual_8086())) return true;
    return map_allows(c, port, size);
}

// The access, once it is allowed.
template <class T>
status read_port(context& c, std::uint16_t port, T& v) {
    const status s = c.env.read_port(port, sizeof v, &v);
    if (s == status::ok) c.count_ports(port, sizeof v, false);
    if (s == status::ok && c.watched.on_ports()) c.meet(c.watched.at_port(port, sizeof v));
    return s;
}
template <class T>
status write_port(context& c, std::uint16_t port, T v) {
    const status s = c.env.write_port(port, sizeof v, &v);
    if (s == status::ok) c.count_ports(port, sizeof v, true);
    if (s == status::ok && c.watched.on_ports()) c.meet(c.watched.at_port(port, sizeof v));
    return s;
}

template <bool Immediate>
std::uint16_t port_of(const context& c, const insn& i) {
    return Immediate ? static_cast<std::uint16_t>(i.imm & 0xff) : c.get<std::uint16_t>(8 * rdx);
}
template <class T, bool Immediate>
status in(context& c, const insn& i) {
    const std::uint16_t port = port_of<Immediate>(c, i);
    if (!port_allowed(c, port, sizeof(T))) return c.failure;
    T v;
    const status s = read_port(c, port, v);
    if (s == status::ok) c.set<T>(8 * rax, v);
    return s;
}
template <class T, bool Immediate>
status out_to(context& c, const insn& i) {
    const std::uint16_t port = port_of<Immediate>(c, i);
    if (!port_allowed(c, port, sizeof(T))) return c.failure;
    return write_port(c, port, c.get<T>(8 * rax));
}

handler select_in(const decoded& d, insn& out) {
    const bool immediate = is_immediate(d.ops[1]);
    return for_size(out.size, [immediate](auto t) -> handler {
        return immediate ? in<decltype(t), true> : in<decltype(t), false>;
    });
}
handler select_out(const decoded& d, insn& out) {
    const bool immediate = is_immediate(d.ops[0]);
    out.size = static_cast<std::uint8_t>(d.ops[1].size / 8);
    return for_size(out.size, [immediate](auto t) -> handler {
        return immediate ? out_to<decltype(t), true> : out_to<decltype(t), false>;
    });
}

// Reads a port only if the value can be stored.
template <class T>
status input(context& c, std::uint16_t port, std::uint64_t at) {
    T v;
    if (!c.check_write(es, at, sizeof v)) return c.failure;
    const status s = read_port(c, port, v);
    if (s != status::ok) return s;
    return c.store<T>(es, at, v) ? status::ok : c.failure;
}
template <class T>
status output(context& c, std::uint16_t port, unsigned seg, std::uint64_t at) {
    T v;
    return c.load<T>(seg, at, v) ? write_port(c, port, v) : c.failure;
}

// One element per call, as in ops_string.cpp. T: element, A: address.
template <bool Input, class T, class A>
status string(context& c, const insn& i) {
    const A left = c.get<A>(8 * rcx);
    if (i.rep != 0 && left == 0) return status::ok;
    const auto port = c.get<std::uint16_t>(8 * rdx);
    if (!port_allowed(c, port, sizeof(T))) return c.failure;
    constexpr std::uint8_t pointer = Input ? 8 * rdi : 8 * rsi;
    const A at = c.get<A>(pointer);
    const status s = Input ? input<T>(c, port, at) : output<T>(c, port, i.seg, at);
    if (s != status::ok) return s;
    const bool down = (c.s.eflags & flag_df) != 0;
    c.set<A>(pointer, static_cast<A>(down ? at - sizeof(T) : at + sizeof(T)));
    if (i.rep == 0) return status::ok;
    c.set<A>(8 * rcx, static_cast<A>(left - 1));
    return left == 1 ? status::ok : status::repeat;
}
template <bool Input>
handler select_string(const decoded& d, insn& out) {
    for (unsigned n = 0; n < d.i.operand_count; ++n) {
        const ZydisDecodedOperand& o = d.ops[n];
        if (!is_memory(o)) continue;
        out.size = static_cast<std::uint8_t>(o.size / 8);
        out.seg = static_cast<std::uint8_t>(ZydisRegisterGetId(o.mem.segment));
    }
    return for_size(out.size, [&out](auto t) {
        return for_word_size(out.address_size, [](auto a) -> handler {
            return string<Input, decltype(t), decltype(a)>;
        });
    });
}

constexpr std::uint32_t flags = insn_microcode | insn_several_accesses;
constexpr std::uint32_t string_flags = insn_string | flags;

constexpr op_row rows[] = {
    {ZYDIS_MNEMONIC_IN, select_in, flags},
    {ZYDIS_MNEMONIC_OUT, select_out, flags},
    {ZYDIS_MNEMONIC_INSB, select_string<true>, string_flags},
    {ZYDIS_MNEMONIC_INSW, select_string<true>, string_flags},
    {ZYDIS_MNEMONIC_INSD, select_string<true>, string_flags},
    {ZYDIS_MNEMONIC_OUTSB, select_string<false>, string_flags},
    {ZYDIS_MNEMONIC_OUTSW, select_string<false>, string_flags},
    {ZYDIS_MNEMONIC_OUTSD, select_string<false>, string_flags},
};

}  // namespace

op_table port_ops() {
    return {rows, std::size(rows)};
}

}  // namespace knc::isa
