#include <knc/isa/decoder.h>

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>

#include <knc/isa/context.h>
#include <knc/isa/mvex_displacement.h>
#include <knc/isa/select.h>
#include <knc/isa/vector_insn.h>
#include <knc/isa/x87_stack_use.h>
#include <knc/isa/zydis_decoder.h>

namespace knc::isa {
namespace {

constexpr unsigned longest_instruction = 15;

struct decoders {
    std::array<ZydisDecoder, 3> of;

    decoders() {
        init(of[static_cast<unsigned>(code_mode::bits16)], ZYDIS_MACHINE_MODE_LEGACY_16,
             ZYDIS_STACK_WIDTH_16);
        init(of[static_cast<unsigned>(code_mode::bits32)], ZYDIS_MACHINE_MODE_LEGACY_32,
             ZYDIS_STACK_WIDTH_32);
        init(of[static_cast<unsigned>(code_mode::bits64)], ZYDIS_MACHINE_MODE_LONG_64,
             ZYDIS_STACK_WIDTH_64);
    }

    static void init(ZydisDecoder& d, ZydisMachineMode mode, ZydisStackWidth stack) {
        ZydisDecoderInit(&d, mode, stack);
        ZydisDecoderEnableMode(&d, ZYDIS_DECODER_MODE_KNC, ZYAN_TRUE);
        for (const auto off :
             {ZYDIS_DECODER_MODE_MPX, ZYDIS_DECODER_MODE_CET, ZYDIS_DECODER_MODE_LZCNT,
              ZYDIS_DECODER_MODE_TZCNT, ZYDIS_DECODER_MODE_CLDEMOTE})
            ZydisDecoderEnableMode(&d, off, ZYAN_FALSE);
    }
};

// All rows, found by mnemonic.
class op_index {
  public:
    op_index() {
        for (const op_table& t : {data_transfer_ops(),
                                  alu_ops(),
                                  multiply_ops(),
                                  shift_ops(),
                                  bit_ops(),
                                  string_ops(),
                                  control_ops(),
                                  port_ops(),
                                  far_ops(),
                                  system_ops(),
                                  segment_ops(),
                                  x87_transfer_ops(),
                                  x87_arithmetic_ops(),
                                  x87_compare_ops(),
                                  x87_control_ops(),
                                  x87_save_ops(),
                                  mmx_ops(),
                                  mask_ops(),
                                  vector_move_ops(),
                                  vector_pack_ops(),
                                  vector_gather_ops(),
                                  vector_float_ops(),
                                  vector_integer_ops(),
                                  vector_compare_ops(),
                                  vector_convert_ops()})
            rows_.insert(rows_.end(), t.rows, t.rows + t.size);
        std::stable_sort(rows_.begin(), rows_.end(),
                         [](const op_row& a, const op_row& b) { return a.mnemonic < b.mnemonic; });
        for (const op_row& r : rows_) ++first_[r.mnemonic + 1u];
        for (std::size_t m = 1; m < first_.size(); ++m) first_[m] += first_[m - 1];
    }
    const op_row* begin(ZydisMnemonic m) const { return rows_.data() + first_[m]; }
    const op_row* end(ZydisMnemonic m) const { return rows_.data() + first_[m + 1u]; }

  private:
    std::vector<op_row> rows_;
    std::array<std::size_t, ZYDIS_MNEMONIC_MAX_VALUE + 2> first_{};
};

status undefined(context& c, const insn&) {
    return c.ud();
}

std::string where(const context& c, const insn& i) {
    return fmt::format("{} at {:#x}",
                       ZydisMnemonicGetString(static_cast<ZydisMnemonic>(i.mnemonic)),
                       c.s.r[rip] - i.length);
}

// imm holds the reason, a literal.
status refused_by_profile(context& c, const insn& i) {
    c.env.refused(where(c, i) + ": " + reinterpret_cast<const char*>(i.imm));
    return c.ud();
}

constexpr const char* registers_only =
    "Knights Corner has this with registers only; load the operand first";

status not_executed(context& c, const insn& i) {
    return c.unsupported(where(c, i));
}

// Numbers of enum gpr for base and index.
std::uint8_t address_register(ZydisRegister r) {
    if (r == ZYDIS_REGISTER_NONE) return no_register;
    if (r == ZYDIS_REGISTER_RIP || r == ZYDIS_REGISTER_EIP) return rip;
    return static_cast<std::uint8_t>(ZydisRegisterGetId(r));
}

// A SIB byte that says "no base, 32-bit displacement", whatever REX.B: Zydis 4.0.0 takes it for
// R13D when REX.B is set and the address size is 32 bits.
bool has_no_base(const ZydisDecodedInstruction& i) {
    return i.raw.modrm.mod == 0 && i.raw.modrm.rm == 4 && i.raw.sib.base == 5 &&
           i.raw.disp.size == 32;
}

void fill_memory(const decoded& d, const ZydisDecodedOperand& o, insn& out) {
    out.base = address_register(o.mem.base);
    out.index = address_register(o.mem.index);
    out.scale = static_cast<std::uint8_t>(o.mem.scale > 1 ? __builtin_ctz(o.mem.scale) : 0);
    out.seg = static_cast<std::uint8_t>(ZydisRegisterGetId(o.mem.segment));
    out.disp = static_cast<std::int32_t>(o.mem.disp.value);
    if (has_no_base(d.i)) {
        out.base = no_register;
        out.disp = static_cast<std::int32_t>(d.i.raw.disp.value);
    }
    if (o.encoding == ZYDIS_OPERAND_ENCODING_DISP16_32_64) out.imm = o.mem.disp.value;
}

// Registers first by their place in the encoding, then by their order in the text.
void fill_registers(const decoded& d, insn& out) {
    bool have_reg = false, have_rm = false;
    const auto each = [&](auto use) {
        for (unsigned n = 0; n < d.i.operand_count_visible; ++n)
            if (is_general(d.ops[n])) use(d.ops[n]);
    };
    each([&](const ZydisDecodedOperand& o) {
        if (o.encoding == ZYDIS_OPERAND_ENCODING_MODRM_RM) {
            out.rm = register_offset(o.reg.value);
            have_rm = true;
        } else if (o.encoding == ZYDIS_OPERAND_ENCODING_MODRM_REG ||
                   o.encoding == ZYDIS_OPERAND_ENCODING_OPCODE) {
            out.reg = register_offset(o.reg.value);
            have_reg = true;
        }
    });
    each([&](const ZydisDecodedOperand& o) {
        if (!have_reg) {
            out.reg = register_offset(o.reg.value);
            have_reg = true;
        } else if (!have_rm && o.encoding == ZYDIS_OPERAND_ENCODING_NONE) {
            out.rm = register_offset(o.reg.value);
            have_rm = true;
        }
    });
}

void fill_immediates(const decoded& d, insn& out) {
    bool first = true;
    for (unsigned n = 0; n < d.i.operand_count_visible; ++n) {
        if (!is_immediate(d.ops[n])) continue;
        const std::int64_t value = d.ops[n].imm.value.s;
        if (first)
            out.imm = value;
        else
            out.imm2 = static_cast<std::uint16_t>(value);
        first = false;
    }
}

std::uint32_t access_flags(const decoded& d) {
    std::uint32_t flags = 0;
    unsigned operands = 0;
    for (unsigned n = 0; n < d.i.operand_count; ++n) {
        const ZydisDecodedOperand& o = d.ops[n];
        if (!is_memory(o) ||
            (o.mem.type != ZYDIS_MEMOP_TYPE_MEM && o.mem.type != ZYDIS_MEMOP_TYPE_VSIB))
            continue;
        ++operands;
        if ((o.actions & ZYDIS_OPERAND_ACTION_MASK_READ) != 0) flags |= insn_reads;
        if ((o.actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) != 0) flags |= insn_writes;
    }
    if (operands > 1) flags |= insn_several_accesses;
    if ((d.i.attributes & ZYDIS_ATTRIB_HAS_LOCK) != 0) flags |= insn_lock;
    return flags;
}

void fill(const decoded& d, insn& out) {
    const ZydisDecodedInstruction& i = d.i;
    const bool sized = i.operand_count_visible > 0 && !is_immediate(d.ops[0]);
    out.size = static_cast<std::uint8_t>((sized ? d.ops[0].size : i.operand_width) / 8);
    out.address_size = static_cast<std::uint8_t>(i.address_width / 8);
    out.base = out.index = no_register;
    out.seg = ds;
    fill_registers(d, out);
    fill_immediates(d, out);
    for (unsigned n = 0; n < i.operand_count_visible; ++n)
        if (is_memory(d.ops[n])) fill_memory(d, d.ops[n], out);
    if ((i.attributes & (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE)) != 0) out.rep = 0xF3;
    if ((i.attributes & ZYDIS_ATTRIB_HAS_REPNE) != 0) out.rep = 0xF2;
    out.flags = access_flags(d);
}

// The bit of a general register, or of any part of one, in a register set.
std::uint32_t register_bit(ZydisRegister r) {
    const ZydisRegister whole = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, r);
    return whole >= ZYDIS_REGISTER_RAX && whole <= ZYDIS_REGISTER_R15
               ? 1u << (whole - ZYDIS_REGISTER_RAX)
               : 0;
}

// PUSH, POP, CALL, RET: their stack address is ready before anything else in the pipeline.
bool moves_stack_of_itself(const ZydisDecodedInstruction& i) {
    switch (i.meta.category) {
        case ZYDIS_CATEGORY_PUSH:
        case ZYDIS_CATEGORY_POP:
        case ZYDIS_CATEGORY_CALL:
        case ZYDIS_CATEGORY_RET:
            return true;
        default:
            return false;
    }
}

// Far transfers and returns from events.
bool leaves_code_segment(const ZydisDecodedInstruction& i) {
    return i.meta.branch_type == ZYDIS_BRANCH_TYPE_FAR || i.mnemonic == ZYDIS_MNEMONIC_IRET ||
           i.mnemonic == ZYDIS_MNEMONIC_IRETD || i.mnemonic == ZYDIS_MNEMONIC_IRETQ;
}

void fill_register_sets(const decoded& d, insn& out) {
    const bool stack = moves_stack_of_itself(d.i);
    if (stack) out.flags |= insn_stack;
    for (unsigned n = 0; n < d.i.operand_count; ++n) {
        const ZydisDecodedOperand& o = d.ops[n];
        const bool hidden = o.visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN;
        if (is_memory(o)) {
            if (!(stack && hidden))
                out.address |= register_bit(o.mem.base) | register_bit(o.mem.index);
            else if (!leaves_code_segment(d.i))
                out.address |= stack_register;  // the others form theirs in microcode
        } else if (o.type == ZYDIS_OPERAND_TYPE_REGISTER) {
            const register_set bit = register_bit(o.reg.value);
            if (stack && hidden && bit == 1u << rsp) continue;
            if ((o.actions & ZYDIS_OPERAND_ACTION_MASK_READ) != 0) out.reads |= bit;
            if ((o.actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) != 0) out.writes |= bit;
            // Writing a part of a register keeps, and so needs, the rest.
            if ((o.actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) != 0 && o.size < 32) out.reads |= bit;
        }
    }
    // RET with a number adds it to the stack pointer; that is not an implicit move.
    if (d.i.meta.category == ZYDIS_CATEGORY_RET && d.i.raw.imm[0].size != 0)
        out.writes |= 1u << rsp;
    if ((out.writes >> rsp & 1) != 0) out.writes |= stack_register;
    const x87_stack_sets x87 = x87_stack_use(d);
    out.reads |= x87.reads;
    out.writes |= x87.writes;
    constexpr std::uint32_t arithmetic = arithmetic_flags;
    if (d.i.cpu_flags != nullptr) {
        if ((d.i.cpu_flags->tested & arithmetic) != 0) out.reads |= flags_register;
        if (((d.i.cpu_flags->modified | d.i.cpu_flags->set_0 | d.i.cpu_flags->set_1 |
              d.i.cpu_flags->undefined) &
             arithmetic) != 0)
            out.writes |= flags_register;
    }
    for (unsigned n = 0; n < d.i.raw.prefix_count; ++n) {
        const std::uint8_t v = d.i.raw.prefixes[n].value;
        if ((v & 0xf0) != 0x40 || d.mode != code_mode::bits64) ++out.prefixes;
    }
    out.displacement = d.i.raw.disp.size != 0;
    out.immediate = d.i.raw.imm[0].size != 0 && !d.i.raw.imm[0].is_relative;
}

void select(const decoded& d, insn& out) {
    static const op_index index;
    for (const op_row* r = index.begin(d.i.mnemonic); r != index.end(d.i.mnemonic); ++r) {
        insn candidate = out;
        candidate.flags |= r->flags;
        candidate.execute = r->select(d, candidate);
        if (candidate.execute == nullptr) continue;
        out = candidate;
        return;
    }
    out.flags |= insn_not_executed;
    out.execute = not_executed;
}

// The bytes of a VEX instruction up to its ModRM byte, if that lies within `n` bytes; else 0.
unsigned up_to_vex_modrm(const std::uint8_t* bytes, unsigned n) {
    constexpr std::uint8_t allowed_before[] = {0x26, 0x2e, 0x36, 0x3e, 0x64, 0x65, 0x67};
    unsigned at = 0;
    while (at < n && std::find(std::begin(allowed_before), std::end(allowed_before), bytes[at]) !=
                         std::end(allowed_before))
        ++at;
    if (at == n || (bytes[at] != 0xc4 && bytes[at] != 0xc5)) return 0;
    const unsigned size = at + (bytes[at] == 0xc4 ? 5 : 4);  // prefix, opcode, ModRM
    return size <= n ? size : 0;
}

// `bytes` are no instruction. If they are the memory form of an instruction `i` that takes
// registers only, returns the number of bytes that show it, else 0.
unsigned memory_form(profile p, code_mode m, const std::uint8_t* bytes, unsigned n,
                     ZydisDecodedInstruction& i) {
    const unsigned size = up_to_vex_modrm(bytes, n);
    if (size == 0) return 0;
    std::array<std::uint8_t, longest_instruction> of_registers{};
    std::copy_n(bytes, size, of_registers.begin());
    of_registers[size - 1] |= 0xc0;
    ZydisDecoderContext context;
    const bool exists = ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(
        &zydis_decoder(m), &context, of_registers.data(), of_registers.size(), &i));
    return exists && !refused(p, i) ? size : 0;
}

void refuse(insn& out, ZydisMnemonic mnemonic, unsigned length, const char* why) {
    out.mnemonic = static_cast<std::uint16_t>(mnemonic);
    out.length = static_cast<std::uint8_t>(length);
    out.flags = insn_refused;
    out.imm = static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(why));
    out.execute = refused_by_profile;
}

}  // namespace

const ZydisDecoder& zydis_decoder(code_mode m) {
    static const decoders all;
    return all.of[static_cast<unsigned>(m)];
}

std::uint8_t register_offset(ZydisRegister r) {
    if (r >= ZYDIS_REGISTER_AH && r <= ZYDIS_REGISTER_BH)
        return static_cast<std::uint8_t>(8 * (r - ZYDIS_REGISTER_AH) + 1);
    return static_cast<std::uint8_t>(
        8 * ZydisRegisterGetId(ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, r)));
}

decode_result decode(profile p, code_mode m, const std::uint8_t* bytes, unsigned available,
                     insn& out) {
    ZydisDecodedInstruction i;
    ZydisDecodedOperand ops[ZYDIS_MAX_OPERAND_COUNT];
    available = std::min(available, longest_instruction);
    const ZyanStatus s = zydis_decode(zydis_decoder(m), bytes, available, i, ops);
    if (s == ZYDIS_STATUS_NO_MORE_DATA || s == ZYDIS_STATUS_INSTRUCTION_TOO_LONG)
        return decode_result::more;
    out = insn{};
    if (!ZYAN_SUCCESS(s)) {
        if (const unsigned length = memory_form(p, m, bytes, available, i)) {
            refuse(out, i.mnemonic, length, registers_only);
            return decode_result::ok;
        }
        out.length = 1;
        out.flags = insn_undefined;
        out.execute = undefined;
        return decode_result::ok;
    }
    out.mnemonic = static_cast<std::uint16_t>(i.mnemonic);
    out.length = i.length;
    const decoded d{i, ops, m};
    fill(d, out);
    fill_register_sets(d, out);
    if (is_vector(d)) fill_vector(d, out);
    const char* why = nullptr;
    if (refused(p, i, &why))
        refuse(out, i.mnemonic, i.length, why);
    else
        select(d, out);
    return decode_result::ok;
}

}  // namespace knc::isa
