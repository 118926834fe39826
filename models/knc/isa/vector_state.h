// Registers of the vector unit.
//
// Models: ZMM0-31 and the mask registers k0-k7 as software sees them. MXCSR is in isa::state, which
// scalar code of profile compat shares. Leaves out: when a register has its value (the scoreboard).
// Source: Intel Xeon Phi coprocessor instruction set reference 327364, 2.
#ifndef KNC_ISA_VECTOR_STATE_H
#define KNC_ISA_VECTOR_STATE_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace knc::isa {

using mask_t = std::uint16_t;  // bit n: lane n; of 64-bit lanes, the low 8 bits

// The number of lanes in a mask. (The host's own instruction is not on every host.)
inline unsigned lane_count(mask_t m) {
    unsigned n = m - (m >> 1 & 0x5555u);
    n = (n & 0x3333u) + (n >> 2 & 0x3333u);
    n = (n + (n >> 4)) & 0x0f0fu;
    return (n + (n >> 8)) & 0x1fu;
}

// Calls f(n) for each lane n of a mask, in ascending order.
template <class F>
void each_lane(mask_t m, F f) {
    for (unsigned left = m; left != 0; left &= left - 1)
        f(static_cast<unsigned>(__builtin_ctz(left)));
}
inline void set_lane(mask_t& m, unsigned n, bool value) {
    m = static_cast<mask_t>((m & ~(1u << n)) | unsigned{value} << n);
}

struct alignas(64) vector_register {
    std::array<std::uint8_t, 64> bytes{};

    // Lane `n` of lanes of type T.
    template <class T>
    T get(std::size_t n) const {
        T v;
        std::memcpy(&v, bytes.data() + n * sizeof(T), sizeof v);
        return v;
    }
    template <class T>
    void set(std::size_t n, T v) {
        std::memcpy(bytes.data() + n * sizeof(T), &v, sizeof v);
    }
};

struct vector_state {
    static constexpr std::size_t registers = 32, masks = 8;

    std::array<vector_register, registers> zmm{};
    std::array<mask_t, masks> k{};

    // What a writemask of this number selects: k0 names no mask, and selects all lanes.
    mask_t writemask(unsigned number) const { return number == 0 ? mask_t{0xffff} : k[number]; }
    // The same of lanes of type T.
    template <class T>
    mask_t active(unsigned number) const {
        return writemask(number) & static_cast<mask_t>((1u << 64 / sizeof(T)) - 1);
    }
};

}  // namespace knc::isa

#endif
