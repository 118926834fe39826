// Host threads in the interface's sense that are none: one call after the other, in any order.
#ifndef KNC_TESTS_SUPPORT_HOST_THREADS_IN_TURN_H
#define KNC_TESTS_SUPPORT_HOST_THREADS_IN_TURN_H

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

#include <knc/base/host_threads_if.h>

namespace knc::test {

class host_threads_in_turn final : public base::host_threads_if {
  public:
    // It pays to share work from `break_even` on.
    explicit host_threads_in_turn(std::size_t count, std::uint64_t break_even = 0,
                                  std::uint64_t seed = 1)
        : order_(count), break_even_(break_even), random_(seed) {
        std::iota(order_.begin(), order_.end(), 0u);
    }

    std::size_t count() const override { return order_.size(); }
    bool pays(std::uint64_t cycles) const override { return cycles >= break_even_; }
    void run(const std::function<void(unsigned)>& work) override {
        ++runs;
        std::shuffle(order_.begin(), order_.end(), random_);
        for (const unsigned n : order_) work(n);
    }
    unsigned runs = 0;

  private:
    std::vector<unsigned> order_;
    std::uint64_t break_even_;
    std::mt19937_64 random_;
};

}  // namespace knc::test

#endif
