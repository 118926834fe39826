// A set of interrupt vectors, the layout of IRR, ISR and TMR.
#ifndef KNC_APIC_VECTOR_SET_H
#define KNC_APIC_VECTOR_SET_H

#include <array>
#include <cstddef>
#include <cstdint>

#include <knc/base/archive_forward.h>
#include <knc/base/bits.h>

namespace knc::apic {

class vector_set {
  public:
    void assign(std::uint8_t v, bool member) {
        std::uint64_t& w = words_[v / 64];
        w = member ? w | base::bit(v % 64) : w & ~base::bit(v % 64);
    }
    bool test(std::uint8_t v) const { return base::test(words_[v / 64], v % 64); }
    // The highest member, or 0 if the set is empty: vectors below 16 are illegal and never members.
    std::uint8_t highest() const {
        for (std::size_t i = words_.size(); i-- > 0;)
            if (words_[i] != 0)
                return static_cast<std::uint8_t>(i * 64 + 63 -
                                                 static_cast<unsigned>(__builtin_clzll(words_[i])));
        return 0;
    }
    // Vectors 64i .. 64i+63, i = 0 .. 3.
    std::uint64_t word(std::size_t i) const { return words_[i]; }
    // Vectors 32i .. 32i+31, i = 0 .. 7: one register of the register page.
    std::uint32_t half(std::size_t i) const {
        return static_cast<std::uint32_t>(words_[i / 2] >> (i % 2 * 32));
    }
    void serialize(base::archive&);

  private:
    std::array<std::uint64_t, 4> words_{};
};

}  // namespace knc::apic

#endif
