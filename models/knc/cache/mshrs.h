// The miss status holding registers of an L2: the lines that it has requested from outside the
// tile.
//
// Models: the type of each request, the threads that wait for it, and the credit for the fill's
// event. Leaves out: time. Source: docs/hierarchy.md; the number of registers is a parameter.
#ifndef KNC_CACHE_MSHRS_H
#define KNC_CACHE_MSHRS_H

#include <algorithm>
#include <cstdint>
#include <vector>

#include <knc/base/clock.h>
#include <knc/cache/prefetcher.h>
#include <knc/coherence/message.h>

namespace knc::cache {

// The request to which the fill's event is credited. The first demand access takes the credit from
// the stream prefetcher; a store takes it from a prefetch instruction for reading.
enum class fill_credit : std::uint8_t { stream_prefetcher, prefetch, demand };

struct mshr {
    coherence::line_t line = 0;
    access_type type = access_type::read;
    fill_credit credit = fill_credit::demand;
    std::uint8_t thread = 0;     // to which the fill is credited, unless to the stream prefetcher
    bool by_vprefetch1 = false;  // VPREFETCH1 has requested it
    bool to_data = false, to_code = false;
    bool demand = false;       // an access has requested it, no prefetch and no page walk
    bool referenced = false;   // an access has counted it as a reference of the L3
    std::uint8_t waiting = 0;  // bit n: thread n
    base::cycle_t since = 0;

    // A demand access of the thread waits for the line and takes the credit for the fill.
    void take_fill(unsigned accessing, access_type t) {
        const bool promotes =
            t == access_type::write && type == access_type::read && credit == fill_credit::prefetch;
        if (credit != fill_credit::stream_prefetcher && !promotes) return;
        credit = fill_credit::demand;
        thread = static_cast<std::uint8_t>(accessing);
        type = t;
    }
};

class mshrs {
  public:
    explicit mshrs(std::size_t registers) : registers_(registers) { used_.reserve(registers); }

    bool full() const { return used_.size() == registers_; }
    std::size_t used() const { return used_.size(); }
    mshr* find(coherence::line_t line) {
        const auto m = std::find_if(used_.begin(), used_.end(),
                                    [line](const mshr& x) { return x.line == line; });
        return m != used_.end() ? &*m : nullptr;
    }
    const mshr* find(coherence::line_t line) const { return const_cast<mshrs*>(this)->find(line); }
    void add(const mshr& m, base::cycle_t now) {
        used_.push_back(m);
        used_.back().since = now;
    }
    const std::vector<mshr>& all() const { return used_; }
    void remove(mshr& m) {
        m = used_.back();
        used_.pop_back();
    }

  private:
    std::size_t registers_;
    std::vector<mshr> used_;
};

}  // namespace knc::cache

#endif
