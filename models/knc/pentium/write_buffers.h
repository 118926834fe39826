// The write buffers of a Pentium, shared by both pipes.
//
// Models: writes of up to 8 aligned bytes that wait for the bus, in program order; how long a write
// must wait for a free one, and a write into the data cache for all older ones. Leaves out: their
// data, which are in memory already. Source: Pentium Processor Family Developer's Manual, vol. 1;
// Intel's VTune help for the number; docs/p55c.md.
#ifndef KNC_PENTIUM_WRITE_BUFFERS_H
#define KNC_PENTIUM_WRITE_BUFFERS_H

#include <algorithm>
#include <cstdint>
#include <vector>

#include <knc/pentium/bus.h>

namespace knc::pentium {

class write_buffers {
  public:
    write_buffers(const parameters& p, bus& b) : size_(p.write_buffers), bus_(b) {}
    void reset() {
        ends_.clear();
        entered_ = older_ = 0;
    }

    // The first clock from `now` on in which one is free.
    base::cycle_t free_from(base::cycle_t now) {
        const auto over = [now](base::cycle_t end) { return end <= now; };
        ends_.erase(std::remove_if(ends_.begin(), ends_.end(), over), ends_.end());
        return ends_.size() < size_ ? now : ends_[ends_.size() - size_];
    }
    // A write of [paddr, paddr + size) takes one for each 8 aligned bytes that it touches. More
    // than are free wait outside: who asks looks at free_from() before.
    void enter(std::uint64_t paddr, unsigned size, base::cycle_t now) {
        if (entered_ != now) older_ = ends_.empty() ? 0 : ends_.back();
        entered_ = now;
        const std::uint64_t parts = (paddr + size - 1) / bus_bytes - paddr / bus_bytes + 1;
        for (std::uint64_t n = 0; n < parts; ++n) ends_.push_back(bus_.write(1, now).end);
    }
    // The first clock in which the bus has made all writes that were entered in clocks before
    // `now`.
    base::cycle_t older_until(base::cycle_t now) const {
        if (entered_ == now) return older_;
        return ends_.empty() ? 0 : ends_.back();
    }
    // For a waveform: those in use.
    std::size_t used(base::cycle_t now) const {
        return static_cast<std::size_t>(
            std::count_if(ends_.begin(), ends_.end(), [now](base::cycle_t e) { return e > now; }));
    }

  private:
    const std::size_t size_;
    bus& bus_;
    std::vector<base::cycle_t> ends_;        // of their cycles on the bus, in order
    base::cycle_t entered_ = 0, older_ = 0;  // the last entry's clock; the end of those before it
};

}  // namespace knc::pentium

#endif
