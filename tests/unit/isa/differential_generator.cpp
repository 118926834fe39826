#include "differential_generator.h"

#include <algorithm>
#include <cstring>

#include <knc/isa/decoder.h>
#include <knc/isa/zydis_decoder.h>

#include "differential_open.h"

namespace knc::isa::test {
namespace {

// A group of opcodes: `count` from `first` of map 0 or 0F; ModRM.reg fixed to `digit` or any.
struct opcodes {
    bool escape;
    std::uint8_t first, count;
    int digit;
};
constexpr int any_digit = -1;

constexpr opcodes table[] = {
    {false, 0x00, 6, any_digit}, {false, 0x08, 6, any_digit},  {false, 0x10, 6, any_digit},
    {false, 0x18, 6, any_digit}, {false, 0x20, 6, any_digit},  {false, 0x28, 6, any_digit},
    {false, 0x30, 6, any_digit}, {false, 0x38, 6, any_digit},  {false, 0x80, 2, any_digit},
    {false, 0x83, 1, any_digit}, {false, 0x84, 8, any_digit},  {false, 0xA8, 2, any_digit},
    {false, 0xF6, 2, any_digit}, {false, 0xF6, 2, 6},          {false, 0xF6, 2, 7},
    {false, 0xFE, 2, 0},         {false, 0xFE, 2, 1},          {false, 0xB0, 16, any_digit},
    {false, 0xC6, 2, 0},         {false, 0xA0, 4, any_digit},  {false, 0x63, 1, any_digit},
    {false, 0x8D, 1, any_digit}, {false, 0x90, 10, any_digit}, {false, 0x9E, 2, any_digit},
    {false, 0xD7, 1, any_digit}, {false, 0xF5, 1, any_digit},  {false, 0xF8, 2, any_digit},
    {false, 0xFC, 2, any_digit}, {false, 0x50, 16, any_digit}, {false, 0x68, 4, any_digit},
    {false, 0xFF, 1, 6},         {false, 0x8F, 1, 0},          {false, 0x9C, 2, any_digit},
    {false, 0xC8, 2, any_digit}, {false, 0xC0, 2, any_digit},  {false, 0xD0, 4, any_digit},
    {false, 0xA4, 4, any_digit}, {false, 0xAA, 6, any_digit},  {false, 0x70, 16, any_digit},
    {false, 0xE0, 4, any_digit}, {false, 0xE8, 2, any_digit},  {false, 0xEB, 1, any_digit},
    {false, 0xFF, 1, 2},         {false, 0xFF, 1, 4},          {false, 0xC2, 2, any_digit},
    {true, 0x1F, 1, 0},          {true, 0x40, 16, any_digit},  {true, 0x80, 16, any_digit},
    {true, 0x90, 16, any_digit}, {true, 0xA3, 3, any_digit},   {true, 0xAB, 3, any_digit},
    {true, 0xAF, 3, any_digit},  {true, 0xB3, 1, any_digit},   {true, 0xB6, 2, any_digit},
    {true, 0xBA, 1, 4},          {true, 0xBA, 1, 5},           {true, 0xBA, 1, 6},
    {true, 0xBA, 1, 7},          {true, 0xBB, 5, any_digit},   {true, 0xC0, 2, any_digit},
    {true, 0xC7, 1, 1},          {true, 0xC8, 8, any_digit},
};

// Opcodes of 32-bit code only.
constexpr opcodes table32[] = {
    {false, 0x27, 1, any_digit}, {false, 0x2F, 1, any_digit},  {false, 0x37, 1, any_digit},
    {false, 0x3F, 1, any_digit}, {false, 0x40, 16, any_digit}, {false, 0x60, 3, any_digit},
    {false, 0x82, 1, any_digit}, {false, 0xD4, 3, any_digit},
};

// Flags a POPF may be given: nothing that traps or checks alignment.
constexpr std::uint64_t harmless_flags = 0x0cd5;
constexpr std::uint64_t interrupt_flag = 0x200;

bool is_string(std::uint8_t opcode) {
    return opcode >= 0xA4 && opcode <= 0xAF && (opcode & ~1) != 0xA8;
}

unsigned register_number(ZydisRegister r) {
    return static_cast<unsigned>(
        ZydisRegisterGetId(ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, r)));
}

// A place `n` bytes or less away from it is still in the data region.
constexpr std::uint64_t margin = 0x400;
bool inside(std::uint64_t address) {
    return address >= native_processor::data + margin &&
           address < native_processor::data + native_processor::data_size - margin;
}

}  // namespace

// The decoded form of a case.
struct generator::target {
    ZydisDecodedInstruction i;
    ZydisDecodedOperand ops[ZYDIS_MAX_OPERAND_COUNT];

    bool decode(const test_case& t, code_mode m) {
        if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&zydis_decoder(m), t.bytes.data(), 15, &i, ops)))
            return false;
        // Zydis 4.0.0 sees a base register where REX.B meets "no base" and 32-bit addresses.
        const bool no_base = i.raw.modrm.mod == 0 && i.raw.modrm.rm == 4 && i.raw.sib.base == 5;
        for (unsigned n = 0; no_base && n < i.operand_count_visible; ++n)
            if (ops[n].type == ZYDIS_OPERAND_TYPE_MEMORY) {
                ops[n].mem.base = ZYDIS_REGISTER_NONE;
                ops[n].mem.disp.value = i.raw.disp.value;
            }
        return true;
    }
    const ZydisDecodedOperand* memory() const {
        for (unsigned n = 0; n < i.operand_count_visible; ++n)
            if (ops[n].type == ZYDIS_OPERAND_TYPE_MEMORY) return &ops[n];
        return nullptr;
    }
    bool uses_stack() const {
        for (unsigned n = i.operand_count_visible; n < i.operand_count; ++n)
            if (ops[n].type == ZYDIS_OPERAND_TYPE_MEMORY && ops[n].mem.segment == ZYDIS_REGISTER_SS)
                return true;
        return false;
    }
    bool touches_memory() const {
        for (unsigned n = 0; n < i.operand_count; ++n)
            if (ops[n].type == ZYDIS_OPERAND_TYPE_MEMORY &&
                ops[n].mem.type == ZYDIS_MEMOP_TYPE_MEM && ops[n].mem.segment != ZYDIS_REGISTER_SS)
                return true;
        return memory() != nullptr && memory()->mem.type == ZYDIS_MEMOP_TYPE_MEM;
    }
    bool is(std::initializer_list<ZydisMnemonic> any_of) const {
        return std::find(any_of.begin(), any_of.end(), i.mnemonic) != any_of.end();
    }
    // Of shifts and rotations; 0 for others.
    unsigned masked_count(const test_case& t) const {
        if (!is({ZYDIS_MNEMONIC_SHL, ZYDIS_MNEMONIC_SHR, ZYDIS_MNEMONIC_SAR, ZYDIS_MNEMONIC_ROL,
                 ZYDIS_MNEMONIC_ROR, ZYDIS_MNEMONIC_RCL, ZYDIS_MNEMONIC_RCR, ZYDIS_MNEMONIC_SHLD,
                 ZYDIS_MNEMONIC_SHRD}))
            return 0;
        const ZydisDecodedOperand& by = ops[i.operand_count_visible - 1];
        const std::uint64_t count =
            by.type == ZYDIS_OPERAND_TYPE_IMMEDIATE ? by.imm.value.u : t.state.r[rcx];
        return static_cast<unsigned>(count & (ops[0].size == 64 ? 63 : 31));
    }
};

// Mostly numbers where carries and signs happen.
std::uint64_t generator::value() {
    switch (below(6)) {
        case 0:
            return below(4);
        case 1:
            return std::uint64_t{0} - below(4);
        case 2:
            return (std::uint64_t{1} << below(64)) - below(2);
        case 3:
            return any() & 0xff;
        default:
            return any();
    }
}

void generator::fill_registers(test_case& t) {
    const bool wide = mode_ == code_mode::bits64;
    for (unsigned n = 0; n < (wide ? 16u : 8u); ++n)
        t.state.r[n] = wide ? value() : value() & 0xffff'ffff;
}

std::uint64_t generator::data_address(std::uint64_t alignment) {
    const std::uint64_t middle = native_processor::data + native_processor::data_size / 2;
    return (middle - 512 + below(1024)) & ~(alignment - 1);
}

void generator::make_bytes(test_case& t) {
    const bool old = mode_ == code_mode::bits32 && chance(20);
    const opcodes& o = old ? table32[below(std::size(table32))] : table[below(std::size(table))];
    const auto opcode = static_cast<std::uint8_t>(o.first + below(o.count));
    t.size = 0;
    const auto put = [&t](unsigned b) { t.bytes[t.size++] = static_cast<std::uint8_t>(b); };
    if (chance(20)) put(0x66);
    if (chance(5)) put(0x67);
    if (chance(3)) put(0x2E);
    if (chance(6)) put(0xF0);
    if (!o.escape && is_string(opcode) && chance(60)) put(0xF2 + below(2));
    if (mode_ == code_mode::bits64 && chance(60)) put(0x40 + below(16));
    if (o.escape) put(0x0F);
    put(opcode);
    unsigned modrm = below(256);
    if (o.digit != any_digit) modrm = (modrm & 0xC7u) | static_cast<unsigned>(o.digit) << 3;
    put(modrm);
    while (t.size < t.bytes.size()) put(below(256));
}

test_case generator::next() {
    while (true) {
        test_case t;
        make_bytes(t);
        target d;
        if (!d.decode(t, mode_) || d.i.encoding != ZYDIS_INSTRUCTION_ENCODING_LEGACY) continue;
        t.size = d.i.length;
        t.mnemonic = d.i.mnemonic;
        fill_registers(t);
        t.state.flags = (any() & harmless_flags) | interrupt_flag | 2;
        if (!aim(t, d) || !leave_open(t, d)) continue;
        t.text = disassemble(mode_, t.bytes.data(), t.size, native_processor::instruction);
        return t;
    }
}

// Gives registers, displacements and memory contents with which the instruction stays in the data
// region. False: this form cannot (nothing of the region is below 64 KB).
bool generator::aim(test_case& t, const target& d) {
    native_state& s = t.state;
    if (d.i.address_width == 16 && d.touches_memory()) return false;
    if (d.i.mnemonic == ZYDIS_MNEMONIC_ARPL) return false;
    if (mode_ == code_mode::bits32 && d.i.operand_width == 16 &&
        d.i.meta.branch_type != ZYDIS_BRANCH_TYPE_NONE)
        return false;
    s.r[rsp] = data_address(8);
    if (d.i.opcode_map == ZYDIS_OPCODE_MAP_DEFAULT && is_string(d.i.opcode)) {
        s.r[rsi] = data_address(1);
        s.r[rdi] = data_address(1);
        s.r[rcx] = below(20);
        if (chance(30)) t.fill = static_cast<int>(s.r[rax] & 0xff);
        return true;
    }
    if (d.i.mnemonic == ZYDIS_MNEMONIC_XLAT) s.r[rbx] = data_address(1) - (s.r[rax] & 0xff);
    if (d.is({ZYDIS_MNEMONIC_ENTER, ZYDIS_MNEMONIC_LEAVE})) s.r[rbp] = data_address(8);
    if (d.i.mnemonic == ZYDIS_MNEMONIC_ENTER) t.bytes[d.i.raw.imm[0].offset + 1u] &= 1;
    if (d.is({ZYDIS_MNEMONIC_POPF, ZYDIS_MNEMONIC_POPFD, ZYDIS_MNEMONIC_POPFQ})) {
        t.patch_at = s.r[rsp];
        t.patch[0] = any() & harmless_flags;
    }
    aim_divide(t, d);
    std::uint64_t at = 0;
    if (!aim_memory(t, d, at) || !aim_bit_number(t, d)) return false;
    if (d.uses_stack() && !inside(s.r[rsp])) return false;
    aim_compare(t, d, at);
    return d.i.meta.branch_type == ZYDIS_BRANCH_TYPE_NONE || aim_branch(t, d, at);
}

bool generator::aim_memory(test_case& t, const target& d, std::uint64_t& at) {
    const ZydisDecodedOperand* o = d.memory();
    if (o == nullptr || o->mem.type != ZYDIS_MEMOP_TYPE_MEM) return true;
    const bool pair = d.i.mnemonic == ZYDIS_MNEMONIC_CMPXCHG16B;
    const bool locked =
        (d.i.attributes & ZYDIS_ATTRIB_HAS_LOCK) != 0 || d.i.mnemonic == ZYDIS_MNEMONIC_XCHG;
    const std::uint64_t alignment = pair ? 16 : locked ? 8 : 1;
    at = data_address(alignment);

    const auto patch_displacement = [&](std::uint64_t v) {
        std::memcpy(&t.bytes[d.i.raw.disp.offset], &v, d.i.raw.disp.size / 8);
    };
    const ZydisDecodedOperandMem& m = o->mem;
    if (m.base == ZYDIS_REGISTER_RIP || m.base == ZYDIS_REGISTER_EIP) {
        patch_displacement(at - (native_processor::instruction + t.size));
        return true;
    }
    if (m.base == ZYDIS_REGISTER_NONE && m.index == ZYDIS_REGISTER_NONE) {
        patch_displacement(at);
        return true;
    }
    const bool wide = mode_ == code_mode::bits64;
    const std::uint64_t high = wide && d.i.address_width == 32 ? any() << 32 : 0;
    const auto set = [&](ZydisRegister r, std::int64_t v) {
        const auto u = static_cast<std::uint64_t>(v);
        t.state.r[register_number(r)] = d.i.address_width == 32 ? high | (u & 0xffff'ffff) : u;
    };
    auto left = static_cast<std::int64_t>(at) - m.disp.value;
    if (m.index != ZYDIS_REGISTER_NONE) {
        const bool alone = m.base == ZYDIS_REGISTER_NONE, same = m.base == m.index;
        const std::int64_t factor = m.scale + (same ? 1 : 0);
        const std::int64_t v = alone || same ? left / factor : static_cast<int>(below(65)) - 32;
        set(m.index, v);
        left -= v * factor;
        if (alone || same) {
            at -= static_cast<std::uint64_t>(left);
            return (at & (alignment - 1)) == 0;
        }
    }
    set(m.base, left);
    return true;
}

// A bit number in a register must not lead far away.
bool generator::aim_bit_number(test_case& t, const target& d) {
    const bool test =
        d.is({ZYDIS_MNEMONIC_BT, ZYDIS_MNEMONIC_BTS, ZYDIS_MNEMONIC_BTR, ZYDIS_MNEMONIC_BTC});
    const ZydisDecodedOperand* o = d.memory();
    if (!test || o == nullptr || d.ops[1].type != ZYDIS_OPERAND_TYPE_REGISTER) return true;
    const unsigned number = register_number(d.ops[1].reg.value);
    for (const ZydisRegister r : {o->mem.base, o->mem.index})
        if (r != ZYDIS_REGISTER_NONE && r != ZYDIS_REGISTER_RIP && r != ZYDIS_REGISTER_EIP &&
            register_number(r) == number)
            return false;
    const auto v = static_cast<std::uint64_t>(std::int64_t{below(4096)} - 2048);
    t.state.r[number] = mode_ == code_mode::bits64 ? v : v & 0xffff'ffff;
    return true;
}

// Half of the compares shall succeed.
void generator::aim_compare(test_case& t, const target& d, std::uint64_t memory_at) {
    if (chance(50)) return;
    const auto& r = t.state.r;
    if (d.i.mnemonic == ZYDIS_MNEMONIC_CMPXCHG) {
        if (memory_at == 0) t.state.r[register_number(d.ops[0].reg.value)] = r[rax];
        t.patch_at = memory_at;
        t.patch[0] = r[rax];
    } else if (d.i.mnemonic == ZYDIS_MNEMONIC_CMPXCHG8B) {
        t.patch_at = memory_at;
        t.patch[0] = r[rdx] << 32 | (r[rax] & 0xffff'ffff);
    } else if (d.i.mnemonic == ZYDIS_MNEMONIC_CMPXCHG16B) {
        t.patch_at = memory_at;
        t.patch = {r[rax], r[rdx]};
    }
}

// Half of the divisions have a dividend of the operand's own width, so that most quotients fit.
void generator::aim_divide(test_case& t, const target& d) {
    if (!d.is({ZYDIS_MNEMONIC_DIV, ZYDIS_MNEMONIC_IDIV}) || chance(50)) return;
    const bool negative = d.i.mnemonic == ZYDIS_MNEMONIC_IDIV && chance(50);
    const std::uint64_t ones = mode_ == code_mode::bits64 ? ~std::uint64_t{0} : 0xffff'ffff;
    t.state.r[rdx] = negative ? ones : 0;
    if (d.i.operand_width == 8)
        t.state.r[rax] = negative ? t.state.r[rax] | 0xff80 : t.state.r[rax] & 0x7f;
}

// What is not compared. False: the result itself.
bool generator::leave_open(test_case& t, const target& d) const {
    const unsigned count = d.masked_count(t), width = d.ops[0].size;
    if (host_ == host::other) {
        // AMD's processors obey 66 with near branches of 64-bit code, where Intel's ignore it.
        const bool prefixed = (d.i.attributes & ZYDIS_ATTRIB_HAS_OPERANDSIZE) != 0;
        const bool near_branch = d.i.meta.branch_type != ZYDIS_BRANCH_TYPE_NONE;
        if (mode_ == code_mode::bits64 && near_branch && prefixed) return false;
        t.undefined_flags = undefined_flags(d.i.mnemonic, width, count);
        return !undefined_result(d.i.mnemonic, width, count);
    }
    // Intel's processors treat OF of these differently for register and memory, immediate and CL
    // when the count is not 1; the model has one rule.
    const bool by_form =
        d.is({ZYDIS_MNEMONIC_ROL, ZYDIS_MNEMONIC_ROR, ZYDIS_MNEMONIC_SHLD, ZYDIS_MNEMONIC_SHRD});
    if (by_form && count != 1) t.undefined_flags = flag_of;
    return true;
}

// Taken branches lead to native_processor::branch_target.
bool generator::aim_branch(test_case& t, const target& d, std::uint64_t memory_at) {
    constexpr std::uint64_t to = native_processor::branch_target;
    if (d.i.mnemonic == ZYDIS_MNEMONIC_RET) {
        t.patch_at = t.state.r[rsp];
        t.patch[0] = to;
        return true;
    }
    if (d.i.opcode_map == ZYDIS_OPCODE_MAP_DEFAULT && d.i.opcode >= 0xE0 && d.i.opcode <= 0xE3)
        t.state.r[rcx] = below(3);
    if (d.ops[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE) {
        const std::uint64_t displacement = to - (native_processor::instruction + t.size);
        std::memcpy(&t.bytes[d.i.raw.imm[0].offset], &displacement, d.i.raw.imm[0].size / 8);
        return true;
    }
    if (memory_at != 0) {
        t.patch_at = memory_at;
        t.patch[0] = to;
        return true;
    }
    const unsigned number = register_number(d.ops[0].reg.value);
    t.state.r[number] = to;
    return number != rsp;
}

}  // namespace knc::isa::test
