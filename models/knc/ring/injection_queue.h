// The injection queues of all stops: messages that wait for the cycle in which they may enter the
// ring.
//
// Models: the order in which the messages of one cycle and stop leave it: by sender, then by call.
// So the order of calls for different senders and for different cycles has no effect. A time wheel
// of sorted lists contains the near cycles, a heap the others. Leaves out: a limit on the length of
// a queue.
#ifndef KNC_RING_INJECTION_QUEUE_H
#define KNC_RING_INJECTION_QUEUE_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include <knc/base/clock.h>
#include <knc/ring/transit.h>

namespace knc::ring {

class injection_queue {
  public:
    // The message leaves in its `clock`, which is not before `now`. All messages before `now` must
    // have been taken.
    void add(base::cycle_t now, transit&);
    // The first cycle with a message; base::never if there is none.
    base::cycle_t next() const { return next_; }
    // Calls enter(transit&) for each message of cycle `t`, in order. `t` must be next(). The call
    // may not add messages.
    template <class Enter>
    void take(base::cycle_t t, Enter enter);

  private:
    static constexpr std::size_t wheel_cycles = 256, words = wheel_cycles / 64;
    using far_entry = std::pair<base::cycle_t, transit*>;

    void insert(transit&);
    void collect_far(base::cycle_t t);
    base::cycle_t next_near(base::cycle_t now) const;

    std::array<transit_list, wheel_cycles> wheel_;
    // One bit per list that is not empty; one bit per word of these that is not 0.
    std::array<std::uint64_t, words> filled_{};
    std::uint32_t filled_words_ = 0;
    // In the order of their cycles.
    std::priority_queue<far_entry, std::vector<far_entry>, std::greater<>> far_;
    base::cycle_t next_ = base::never;
    std::uint64_t calls_ = 0;
};

template <class Enter>
void injection_queue::take(base::cycle_t t, Enter enter) {
    if (!far_.empty()) collect_far(t);
    const std::size_t place = t % wheel_cycles;
    transit* m = std::exchange(wheel_[place], {}).first;
    if ((filled_[place / 64] &= ~(std::uint64_t{1} << place % 64)) == 0)
        filled_words_ &= ~(std::uint32_t{1} << place / 64);
    next_ = next_near(t);
    if (!far_.empty() && far_.top().first < next_) next_ = far_.top().first;
    while (m != nullptr) {
        transit& taken = *std::exchange(m, m->next);
        enter(taken);
    }
}

// The first cycle of the wheel from `now` on, in one round.
inline base::cycle_t injection_queue::next_near(base::cycle_t now) const {
    const std::size_t first = now % wheel_cycles, word = first / 64;
    const std::uint64_t bits = filled_[word] >> first % 64;
    if (bits != 0) return now + static_cast<unsigned>(__builtin_ctzll(bits));
    if (filled_words_ == 0) return base::never;
    // The later words, then the earlier ones with the lower part of this one.
    const std::uint32_t later = filled_words_ >> word >> 1 << word << 1;
    const auto w = static_cast<unsigned>(__builtin_ctz(later != 0 ? later : filled_words_));
    const std::size_t place = w * 64 + static_cast<unsigned>(__builtin_ctzll(filled_[w]));
    return now + (place - first) % wheel_cycles;
}

}  // namespace knc::ring

#endif
