// Saving and restoring the x87 unit: FLDENV FNSTENV FRSTOR FNSAVE FXSAVE FXRSTOR.
//
// FXSAVE writes no vector register. The card's FXRSTOR clears bits 127:0 of every vector register.
// Source: Intel SDM vol. 2; owners' measurements of the card.
#include <knc/isa/op_table.h>

#include <algorithm>

#include <knc/isa/select.h>
#include <knc/isa/x87_image.h>
#include <knc/isa/x87_unit.h>

namespace knc::isa {
namespace {

using image = std::array<std::uint8_t, x87_largest_image>;

template <bool Wide>
x87_environment_layout layout(const context& c) {
    return {Wide, !c.s.protected_mode() || c.s.virtual_8086()};
}
template <bool Wide>
constexpr unsigned alignment = Wide ? 4 : 2;

template <bool Wide>
status load_environment(context& c, const insn& i) {
    const x87_environment_layout l = layout<Wide>(c);
    image m;
    if (!x87_read(c, i, l.size(), alignment<Wide>, m.data())) return c.failure;
    x87_restore_environment(c.s.x87, l, m.data());
    return status::ok;
}

template <bool Wide>
status store_environment(context& c, const insn& i) {
    const x87_environment_layout l = layout<Wide>(c);
    image m;
    x87_save_environment(c.s.x87, l, m.data());
    if (!x87_write_memory(c, i, l.size(), alignment<Wide>, m.data())) return c.failure;
    c.s.x87.set_control(c.s.x87.control | x87_exceptions);
    c.s.x87.update_summary();
    return status::ok;
}

template <bool Wide>
status restore(context& c, const insn& i) {
    const x87_environment_layout l = layout<Wide>(c);
    image m;
    if (!x87_read(c, i, l.size() + x87_registers_size, alignment<Wide>, m.data())) return c.failure;
    x87_restore_environment(c.s.x87, l, m.data());
    x87_restore_registers(c.s.x87, m.data() + l.size());
    return status::ok;
}

template <bool Wide>
status save(context& c, const insn& i) {
    const x87_environment_layout l = layout<Wide>(c);
    image m;
    x87_save_environment(c.s.x87, l, m.data());
    x87_save_registers(c.s.x87, m.data() + l.size());
    if (!x87_write_memory(c, i, l.size() + x87_registers_size, alignment<Wide>, m.data()))
        return c.failure;
    c.s.x87.initialize();
    return status::ok;
}

// What the card's FXRSTOR clears of each vector register.
constexpr unsigned cleared_bytes = 16;

constexpr unsigned fxsave_alignment = 16;
bool aligned_for_fxsave(context& c, const insn& i) {
    if ((c.linear(i.seg, c.offset(i)) & (fxsave_alignment - 1)) == 0) return true;
    c.gp();
    return false;
}

template <bool Wide>
status save_extended(context& c, const insn& i) {
    if (!aligned_for_fxsave(c, i)) return c.failure;
    fxsave_image m;
    x87_save_extended(c.s.x87, c.s.mxcsr, Wide, m, mxcsr_rule_of(c.instruction_set).writable);
    const std::uint64_t at = c.offset(i);
    if (!c.check_write(i.seg, at, fxsave_size) || !c.write(i.seg, at, fxsave_used, m.data()))
        return c.failure;
    return status::ok;
}

template <bool Wide>
status restore_extended(context& c, const insn& i) {
    if (!aligned_for_fxsave(c, i)) return c.failure;
    fxsave_image m;
    if (!c.read(i.seg, c.offset(i), fxsave_size, m.data())) return c.failure;
    const std::uint32_t mxcsr = fxsave_mxcsr(m);
    if (!mxcsr_valid(mxcsr, c.instruction_set)) return c.gp();
    x87_restore_extended(c.s.x87, Wide, m);
    c.s.mxcsr = mxcsr;
    if (c.instruction_set == profile::knc)
        for (vector_register& z : c.s.vector.zmm) std::fill_n(z.bytes.begin(), cleared_bytes, 0);
    return status::ok;
}

template <handler Wide, handler Narrow>
handler by_operand_size(const decoded& d, insn&) {
    return d.i.operand_width == 16 ? Narrow : Wide;
}

constexpr std::uint32_t flags = insn_x87 | insn_microcode;

constexpr op_row rows[] = {
    {ZYDIS_MNEMONIC_FLDENV,
     by_operand_size<x87_waiting<load_environment<true>>, x87_waiting<load_environment<false>>>,
     flags},
    {ZYDIS_MNEMONIC_FNSTENV,
     by_operand_size<x87_not_waiting<store_environment<true>>,
                     x87_not_waiting<store_environment<false>>>,
     flags},
    {ZYDIS_MNEMONIC_FRSTOR,
     by_operand_size<x87_waiting<restore<true>>, x87_waiting<restore<false>>>, flags},
    {ZYDIS_MNEMONIC_FNSAVE,
     by_operand_size<x87_not_waiting<save<true>>, x87_not_waiting<save<false>>>, flags},
    {ZYDIS_MNEMONIC_FXSAVE, always<x87_not_waiting<save_extended<false>>>, flags},
    {ZYDIS_MNEMONIC_FXSAVE64, always<x87_not_waiting<save_extended<true>>>, flags},
    {ZYDIS_MNEMONIC_FXRSTOR, always<x87_not_waiting<restore_extended<false>>>, flags},
    {ZYDIS_MNEMONIC_FXRSTOR64, always<x87_not_waiting<restore_extended<true>>>, flags},
};

}  // namespace

op_table x87_save_ops() {
    return {rows, std::size(rows)};
}

}  // namespace knc::isa
