// Random choices of one program, all from its seed.
#ifndef KNC_TESTS_REFERENCE_DICE_H
#define KNC_TESTS_REFERENCE_DICE_H

#include <cstdint>
#include <initializer_list>
#include <random>

namespace knc::reference {

class dice {
  public:
    explicit dice(std::uint64_t seed) : random_(seed) {}

    std::uint64_t any() { return random_(); }
    std::uint32_t word() { return static_cast<std::uint32_t>(random_()); }
    unsigned below(unsigned n) { return static_cast<unsigned>(random_() % n); }
    // low .. high
    unsigned between(unsigned low, unsigned high) { return low + below(high - low + 1); }
    bool chance(unsigned percent) { return below(100) < percent; }
    template <class T>
    T of(std::initializer_list<T> all) {
        return all.begin()[below(static_cast<unsigned>(all.size()))];
    }

  private:
    std::mt19937_64 random_;
};

}  // namespace knc::reference

#endif
