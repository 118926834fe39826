// The bytes of a case: prefix MVEX, opcode, ModRM, SIB, displacement, immediate.
#include "vector_machine.h"

namespace knc::isa::test {
namespace {

class writer {
  public:
    explicit writer(vm_code& c) : c_(c) {}
    void byte(unsigned v) { c_.bytes[c_.size++] = static_cast<std::uint8_t>(v); }
    void long32(int v) {
        for (unsigned n = 0; n < 4; ++n) byte(static_cast<unsigned>(v) >> 8 * n & 0xff);
    }

  private:
    vm_code& c_;
};

constexpr unsigned sib_follows = 4, no_base = 5;

unsigned bit(unsigned v, unsigned n) {
    return v >> n & 1;
}

void write_memory(writer& w, const vm_case& c, unsigned reg) {
    using kind = vm_address::kind;
    const vm_address& a = c.at;
    const unsigned low = a.base & 7, field = reg << 3;
    if (a.displaced == kind::rip_relative) {
        w.byte(field | no_base);
        w.long32(a.displacement);
        return;
    }
    const bool absolute = a.displaced == kind::absolute;
    const unsigned mod = a.displaced == kind::short8 ? 1 : a.displaced == kind::long32 ? 2 : 0;
    const bool sib = c.row->what.vector_index() || a.index != 4 || low == 4 || absolute;
    w.byte(mod << 6 | field | (sib ? sib_follows : low));
    if (sib) w.byte(a.scale << 6 | (a.index & 7) << 3 | (absolute ? no_base : low));
    if (mod == 1)
        w.byte(static_cast<unsigned>(a.displacement / static_cast<int>(vm_displacement_unit(c))));
    else if (mod == 2 || absolute)
        w.long32(a.displacement);
}

}  // namespace

// The size of what the form reads or writes. Instructions that move single elements count in these.
unsigned vm_displacement_unit(const vm_case& c) {
    const vm_form f = c.form();
    const bool single = c.row->what.shape >= vm_shape::unpack_l;
    return single ? f.bytes : f.size();
}

vm_code vm_encode(const vm_case& c) {
    const vm_row& row = *c.row;
    vm_code code;
    writer w(code);
    const unsigned reg = row.digit >= 0 ? static_cast<unsigned>(row.digit) : c.reg;
    unsigned x = 0, b = 0, v = c.second;
    if (!c.memory) {
        x = bit(c.rm, 4);
        b = bit(c.rm, 3);
    } else {
        const bool based = c.at.displaced != vm_address::kind::rip_relative &&
                           c.at.displaced != vm_address::kind::absolute;
        x = bit(c.at.index, 3);
        b = based ? bit(c.at.base, 3) : 0;
        if (row.what.vector_index()) v = c.at.index & 16;
    }
    // R, X, B, R', vvvv and V' are stored inverted. Bit 2 of the third byte is that of MVEX, 0.
    if (c.memory && c.at.fs) w.byte(0x64);
    if (c.memory && c.at.short_registers) w.byte(0x67);
    w.byte(0x62);
    w.byte((bit(reg, 3) << 7 | x << 6 | b << 5 | bit(reg, 4) << 4) ^ 0xf0u ^ row.map);
    w.byte(unsigned{row.w} << 7 | (~v & 15) << 3 | row.pp);
    w.byte((c.eh ? 0x80u : 0u) | c.sss << 4 | (bit(v, 4) ^ 1) << 3 | c.mask);
    w.byte(row.opcode);
    if (c.memory)
        write_memory(w, c, reg & 7);
    else
        w.byte(0xc0 | (reg & 7) << 3 | (c.rm & 7));
    if (row.what.immediate) w.byte(c.imm);
    return code;
}

}  // namespace knc::isa::test
