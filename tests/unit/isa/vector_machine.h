// Reference of the vector unit's instructions (MVEX), written from their definition.
//
// Models: encoding, operands, writemasks, conversions, registers, memory and faults of each
// instruction. Elements are computed by vector_reference.h and by plain integers; nothing is shared
// with the model. Leaves out: the instructions on mask registers (vector_mask.cpp), page faults.
// Source: Intel Xeon Phi ISA Reference Manual (327364-001); docs/vector.md where it is silent.
#ifndef KNC_TESTS_ISA_VECTOR_MACHINE_H
#define KNC_TESTS_ISA_VECTOR_MACHINE_H

#include <array>
#include <cstdint>
#include <cstring>
#include <vector>

#include "vector_reference.h"

namespace knc::isa::test {

struct alignas(64) vm_register {
    std::array<std::uint8_t, 64> bytes{};

    std::uint64_t get(unsigned n, unsigned size) const {
        std::uint64_t v = 0;
        std::memcpy(&v, &bytes[std::size_t{n} * size], size);
        return v;
    }
    void set(unsigned n, unsigned size, std::uint64_t v) {
        std::memcpy(&bytes[std::size_t{n} * size], &v, size);
    }
    bool operator==(const vm_register& o) const { return bytes == o.bytes; }
};

// What software sees. `data` is the memory at data_at.
struct vm_state {
    static constexpr std::uint64_t data_at = 0x10000, data_bytes = 0x1000;

    std::array<vm_register, 32> zmm{};
    std::array<std::uint8_t, data_bytes> data{};
    std::array<std::uint64_t, 16> r{};
    std::array<std::uint16_t, 8> k{};
    std::uint64_t rip = 0, rflags = 2;
    static constexpr std::uint64_t fs_base = 0x1238;  // alignment is that of the sum
    std::uint32_t mxcsr = 0;
};
enum class vm_end { done, undefined, protection };

// One lane of an operation. `third` is as its swizzle, broadcast or conversion left it.
struct vm_lane {
    const vm_register &dest, &second, &third;
    unsigned n, size;  // lane number, bytes of a lane of the result
    unsigned imm;
    reference_mode mode;
    bool bit;  // of the mask: the selector of a blend, or the carry

    std::uint64_t d() const { return dest.get(n, size); }
    std::uint64_t a() const { return second.get(n, size); }
    std::uint64_t b() const { return third.get(n, size); }
};
struct vm_result {
    std::uint64_t bits = 0;
    unsigned flags = 0;  // of MXCSR
    bool bit = false;    // comparison, carry or sign

    vm_result(std::uint64_t v, unsigned f = 0, bool b = false) : bits(v), flags(f), bit(b) {}
    vm_result(const reference_result& r) : bits(r.bits), flags(r.flags), bit(r.bits != 0) {}
};
using vm_function = vm_result (*)(const vm_lane&);

// How elements lie in memory; `none`: as in the register.
enum class vm_type : std::uint8_t { none, f16, u8, s8, u16, s16 };
enum class vm_element : std::uint8_t { f32, i32, f64, i64 };
constexpr unsigned vm_bytes(vm_element e) {
    return e == vm_element::f32 || e == vm_element::i32 ? 4 : 8;
}
struct vm_form {
    unsigned elements = 0, bytes = 0;  // 0: no such form
    vm_type type = vm_type::none;

    unsigned size() const { return elements * bytes; }
};
// Sets of memory forms: operands of operations (all, without conversions or broadcasts, or with the
// broadcast of four alone, or half a vector), loads and stores (of all elements, four, or one).
enum class vm_forms : std::uint8_t { operand, plain, group, half, whole, four, one };
vm_form vm_form_of(vm_forms, vm_element, unsigned sss);
reference_result vm_up(vm_element, vm_type, std::uint64_t, const reference_mode&);
reference_result vm_down(vm_element, vm_type, std::uint64_t, const reference_mode&);
// The element of the source that swizzle `sss` brings to element `n`.
unsigned vm_swizzle(unsigned sss, unsigned n);

// Where the operands are: ModRM.reg, MVEX.vvvv, ModRM.rm in this order.
enum class vm_shape : std::uint8_t {
    binary,    // zmm, zmm, zmm or memory
    unary,     // zmm, -, zmm or memory
    shift,     // digit, zmm, zmm or memory
    compare,   // mask, zmm, zmm or memory
    carry,     // zmm, mask, zmm or memory
    blend,     // as binary; the mask selects and all lanes are written
    sign,      // as binary; the sign goes to the writemask
    narrow,    // as unary, from 64 to 32 bits
    load,      // zmm, -, memory
    store,     // zmm, -, memory
    unpack_l,  // zmm, -, memory
    unpack_h,
    pack_l,
    pack_h,
    gather,  // zmm, -, memory indexed by a vector
    scatter,
    prefetch,  // digit, -, memory indexed by a vector
    hint
};
// What the SSS field of a register form may say: without EH, all swizzles or none; with EH, a
// rounding mode, {sae} alone, anything without effect, or nothing.
enum class vm_eh : std::uint8_t { rounding, sae, ignored, zero, untested };

struct vm_class {
    vm_shape shape;
    vm_element element;  // of the source that may be in memory
    vm_forms forms;
    bool swizzles;
    vm_eh eh;
    bool immediate;
    unsigned result;  // bytes of a lane of the result

    bool memory_only() const { return shape >= vm_shape::load; }
    bool vector_index() const { return shape >= vm_shape::gather; }
    bool digit() const {
        return shape == vm_shape::shift || shape == vm_shape::prefetch || shape == vm_shape::hint;
    }
    bool has_second() const {
        return shape != vm_shape::unary && shape != vm_shape::narrow && !memory_only();
    }
    bool needs_mask() const { return shape == vm_shape::sign || vector_index(); }
};
enum class vm_group : std::uint8_t {
    add,
    multiply_add,
    float_other,
    convert,
    extended,  // mathematics
    integer,
    logic,
    move,
    stream,
    indexed
};
struct vm_row {
    const char* name;
    std::uint8_t map, pp, w, opcode;
    int digit;  // in ModRM.reg; -1: none
    int eh;     // MVEX.EH with memory; -1: any, an eviction hint
    vm_group group;
    vm_class what;
    vm_function function;
};
const std::vector<vm_row>& vm_rows();

struct vm_address {
    enum class kind { none, short8, long32, rip_relative, absolute };
    kind displaced = kind::none;
    int displacement = 0;
    unsigned base = 0, index = 4, scale = 0;   // index 4: none; of a vector 0-31
    bool fs = false, short_registers = false;  // prefixes 64 and 67
};
struct vm_case {
    const vm_row* row = nullptr;
    bool memory = false, eh = false;
    unsigned sss = 0, reg = 0, second = 0, rm = 0, mask = 0;
    std::uint8_t imm = 0;
    vm_address at;

    vm_form form() const { return vm_form_of(row->what.forms, row->what.element, sss); }
};
// Whether the instruction set has this form at all; false too where it is not to be tested.
bool vm_valid(const vm_row&, bool memory, bool eh, unsigned sss);

struct vm_code {
    std::array<std::uint8_t, 16> bytes{};
    unsigned size = 0;
};
vm_code vm_encode(const vm_case&);
// What 8-bit displacements count in.
unsigned vm_displacement_unit(const vm_case&);

// The address of an operand whose effective address was computed to be `sum`.
std::uint64_t vm_linear(const vm_address&, std::uint64_t sum);

// Executes the instruction of `length` bytes. Anything but `done` leaves the state alone.
vm_end vm_execute(const vm_case&, unsigned length, vm_state&);
// `base` is without that of the segment.
vm_end vm_execute_indexed(const vm_case&, std::uint64_t base, const reference_mode&, vm_state&);
vm_end vm_execute_stream(const vm_case&, std::uint64_t at, const reference_mode&, vm_state&);

}  // namespace knc::isa::test

#endif
