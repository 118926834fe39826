// The operands of one execution of a vector instruction: its third source, its writemask, its
// rounding and flags.
//
// Models: register swizzles, broadcasts and conversions of memory operands, alignment (#GP(0)),
// static rounding, {sae}, the active lanes that VPU_ELEMENTS_ACTIVE counts. A memory operand is
// read in full, whatever the writemask. Leaves out: the eviction hint, which has no effect.
// Source: Intel Xeon Phi coprocessor instruction set reference 327364, 2 and 3; docs/vector.md.
#ifndef KNC_ISA_VECTOR_OPERAND_H
#define KNC_ISA_VECTOR_OPERAND_H

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include <knc/isa/context.h>
#include <knc/isa/vector_convert.h>
#include <knc/isa/vector_environment.h>
#include <knc/isa/vector_insn.h>
#include <knc/isa/vector_state.h>

namespace knc::isa {

// Software may use the vector unit: CR0.EM and CR0.TS are 0. False: #UD or #NM is raised.
inline bool vector_available(context& c) {
    if (__builtin_expect((c.s.cr0 & (cr0_em | cr0_ts)) == 0, 1)) return true;
    c.failure = (c.s.cr0 & cr0_em) != 0 ? c.ud() : c.raise(vector_nm);
    return false;
}

// ---- memory. Each returns false if the instruction has to end: see context::failure.

// `size` bytes at the memory operand, a power of two up to 64, which must be aligned to it.
bool vector_load(context&, const insn&, unsigned size, void* data);
// The same for those of up to 64 bytes within one line whose bit in `which` is set; what the others
// become is undefined.
bool vector_load_bytes(context&, unsigned seg, std::uint64_t off, unsigned size, void* data,
                       std::uint64_t which);
// Writes those of up to 64 bytes within one line whose bit in `which` is set.
bool vector_store_bytes(context&, unsigned seg, std::uint64_t off, unsigned size, const void* data,
                        std::uint64_t which);
// A streaming store of a whole line. `ordered`: see environment::store_line().
bool vector_store_line(context&, unsigned seg, std::uint64_t off, const void* data, bool ordered);
// Whether an address is aligned to `size`, a power of two. False: #GP(0) is raised.
bool vector_aligned(context&, unsigned seg, std::uint64_t off, unsigned size);

// A bit for each byte of the lanes in `lanes`, if a lane has `bytes` bytes.
std::uint64_t vector_bytes_of(mask_t lanes, unsigned bytes);

// One element of memory as a lane, and a lane as an element.
template <class T>
T vector_from_element(const vector_form& form, const std::uint8_t* at, vector_environment& e) {
    T v = 0;
    std::memcpy(&v, at, form.bytes);
    if constexpr (sizeof(T) == 4) {
        if (form.convert != nullptr) v = form.convert(v, e);
    }
    return v;
}
template <class T>
void vector_to_element(const vector_form& form, T lane, std::uint8_t* at, vector_environment& e) {
    if constexpr (sizeof(T) == 4) {
        if (form.convert != nullptr) lane = form.convert(lane, e);
    }
    std::memcpy(at, &lane, form.bytes);
}

template <class T>
inline constexpr unsigned vector_lanes = 64 / sizeof(T);

// Reads a memory operand of `form` into all lanes; those in `active` alone raise flags.
template <class T>
bool vector_load_operand(context& c, const insn& i, const vector_form& form, mask_t active,
                         vector_register& to, vector_environment& e) {
    if (form.elements * form.bytes == 64) return vector_load(c, i, 64, to.bytes.data());
    std::uint8_t raw[64];
    const unsigned size = form.elements * form.bytes;
    if (!vector_load(c, i, size, raw)) return false;
    if (form.convert == nullptr) {
        for (unsigned at = 0; at < 64; at += size) std::memcpy(to.bytes.data() + at, raw, size);
        return true;
    }
    vector_environment inactive = e;
    for (unsigned n = 0; n < vector_lanes<T>; ++n) {
        vector_environment& of_lane = (active >> n & 1) != 0 ? e : inactive;
        to.set<T>(n, vector_from_element<T>(form, raw + n % form.elements * form.bytes, of_lane));
    }
    return true;
}

// ---- one execution

// Ends an instruction whose mask selects `active`: its flags go to MXCSR.
inline status vector_ended(context& c, mask_t active, const vector_environment& e) {
    c.s.mxcsr |= e.flags;
    c.events()[base::vpu_elements_active] += lane_count(active);
    return status::ok;
}

// What SSS says of a register: lanes of 128 bits keep their places.
template <class T>
void vector_swizzled(const vector_register& from, unsigned function, vector_register& to) {
    const vector_swizzle& s = vector_swizzles[function];
    for (unsigned n = 0; n < vector_lanes<T>; ++n) to.set<T>(n, from.get<T>(s.lane(n)));
}

// An instruction whose third source has lanes of type `S` in the forms `Forms` and whose result has
// lanes of type `T`.
template <class T, class S, const vector_form (&Forms)[8]>
class vector_execution {
  public:
    static constexpr unsigned lanes = std::min(vector_lanes<T>, vector_lanes<S>);
    static constexpr mask_t all = static_cast<mask_t>((1u << lanes) - 1);

    vector_execution(context& c, const insn& i) : c_(c), i_(i), f_(vector_fields::of(i)) {}

    // Reads the third source. False: the instruction has to end.
    bool begin() {
        if (!vector_available(c_)) return false;
        active_ = c_.s.vector.writemask(f_.mask) & all;
        e_ = vector_environment::from_mxcsr(c_.s.mxcsr);
        if ((i_.flags & insn_reads) != 0) {
            third_ = &scratch_;
            return vector_load_operand<S>(c_, i_, Forms[f_.function], active_, scratch_, e_);
        }
        const vector_register& r = c_.s.vector.zmm[i_.rm];
        if (f_.static_rounding) {
            e_.rounding = static_cast<vector_rounding>(f_.function & 3);
        } else if (f_.function != 0) {
            vector_swizzled<S>(r, f_.function, scratch_);
            third_ = &scratch_;
            return true;
        }
        third_ = &r;
        return true;
    }

    const vector_fields& fields() const { return f_; }
    mask_t active() const { return active_; }
    vector_environment& environment() { return e_; }

    S third(unsigned n) const { return third_->template get<S>(n); }
    const vector_register& third() const { return *third_; }
    const vector_register& second() const { return c_.s.vector.zmm[f_.source2]; }
    T second(unsigned n) const { return second().template get<T>(n); }
    T destination(unsigned n) const { return c_.s.vector.zmm[i_.reg].template get<T>(n); }
    vector_register& result() { return c_.s.vector.zmm[i_.reg]; }
    // By its number in a mnemonic: 1 the destination, 2 and 3 the sources.
    const vector_register& operand(unsigned number) {
        return number == 1 ? result() : number == 2 ? second() : third();
    }

    // Writes lane(n) to each active lane n of the destination, in ascending order, and ends the
    // instruction.
    template <class Lane>
    status write(Lane lane) {
        vector_register& to = result();
        if (active_ == all) {
            for (unsigned n = 0; n < lanes; ++n) to.set<T>(n, lane(n));
        } else {
            each_lane(active_, [&](unsigned n) { to.set<T>(n, lane(n)); });
        }
        return end();
    }
    // The active lanes for which test(n) is true.
    template <class Test>
    mask_t where(Test test) {
        mask_t found = 0;
        each_lane(active_, [&](unsigned n) { set_lane(found, n, test(n)); });
        return found;
    }
    // Writes back the flags, unless {sae} suppresses them.
    status end() {
        constexpr unsigned sae = 4;
        if (f_.static_rounding && (f_.function & sae) != 0) e_.flags = 0;
        return vector_ended(c_, active_, e_);
    }

  private:
    context& c_;
    const insn& i_;
    const vector_fields f_;
    vector_environment e_;
    mask_t active_ = 0;
    const vector_register* third_ = nullptr;
    vector_register scratch_;
};

using vector_execution_f32 = vector_execution<std::uint32_t, std::uint32_t, vector_operand_f32>;
using vector_execution_i32 = vector_execution<std::uint32_t, std::uint32_t, vector_operand_i32>;
using vector_execution_64 = vector_execution<std::uint64_t, std::uint64_t, vector_operand_64>;
// Floating point by the type of a lane's bits.
template <class T>
using vector_execution_float =
    std::conditional_t<sizeof(T) == 4, vector_execution_f32, vector_execution_64>;

// Whether a register as the third source has a swizzle, which a few instructions do not have.
inline bool vector_swizzled(const insn& i) {
    const vector_fields f = vector_fields::of(i);
    return (i.flags & insn_reads) == 0 && f.function != 0 && !f.static_rounding;
}

// ---- selectors

template <handler H>
handler vector_selected(const decoded&, insn&) {
    return H;
}
// The destination is a source too.
template <handler H>
handler vector_updating(const decoded&, insn& out) {
    out.reads |= out.writes & vector_registers;
    return H;
}
// So are the mask registers that the instruction writes.
template <handler H>
handler vector_updating_masks(const decoded&, insn& out) {
    out.reads |= out.writes & (vector_registers | mask_registers);
    return H;
}

}  // namespace knc::isa

#endif
