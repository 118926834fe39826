// A ring whose messages have numbers: it keeps them while they are on their way.
#ifndef KNC_TESTS_UNIT_RING_NUMBERED_RING_H
#define KNC_TESTS_UNIT_RING_NUMBERED_RING_H

#include <cstdint>
#include <deque>

#include <knc/ring/interconnect.h>

namespace ring_test {

using namespace knc;

struct delivery {
    base::cycle_t clock;  // of the arrival
    std::uint32_t id;
    std::uint16_t from, to;
    knc::ring::channel what;
};

class numbered_ring : public knc::ring::interconnect {
  public:
    using interconnect::interconnect;

    void offer(knc::ring::channel what, unsigned from, unsigned to, std::uint32_t id,
               base::cycle_t clock) {
        if (free_ == nullptr) free_ = &messages_.emplace_back();
        auto& m = static_cast<numbered&>(*free_);
        knc::ring::transit* const others = m.next;
        m.clock = clock;
        m.from = static_cast<std::uint16_t>(from);
        m.to = static_cast<std::uint16_t>(to);
        m.what = what;
        m.id = id;
        interconnect::offer(m);
        free_ = others;
    }
    // Calls sink(const delivery&), which may offer more.
    template <class Sink>
    void run(base::cycle_t until, Sink sink) {
        interconnect::run(until, [&](knc::ring::transit& t) {
            auto& m = static_cast<numbered&>(t);
            const delivery d{m.clock, m.id, m.from, m.to, m.what};
            m.next = free_;
            free_ = &m;
            sink(d);
        });
    }

  private:
    struct numbered : knc::ring::transit {
        std::uint32_t id = 0;
    };

    std::deque<numbered> messages_;
    knc::ring::transit* free_ = nullptr;  // the list of those that are not on their way
};

}  // namespace ring_test

#endif
