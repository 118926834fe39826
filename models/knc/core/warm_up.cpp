#include <knc/core/warm_up.h>

#include <algorithm>
#include <utility>

#include <knc/core/rooms.h>

namespace knc::core {

void warm_up::begin(std::vector<cache::used_line> lines) {
    lines_ = std::move(lines);
    taken_ = 0;
    of_ = {};
}

bool warm_up::done() const {
    return taken_ == lines_.size() &&
           std::none_of(of_.begin(), of_.end(), [](const work& w) { return w.any(); });
}

void warm_up::attempt(bool changed) {
    for (auto& t : rooms_.threads) {
        work& w = of_[t->index()];
        if (!w.any() && taken_ < lines_.size()) {
            const cache::used_line& l = lines_[taken_++];
            w = {l.fetched, l.loaded || l.stored, l, 0};
        }
        const bool waits = w.retry_at == base::never ? !changed : w.retry_at > rooms_.time.now();
        if (w.any() && !waits && access(*t, w)) rooms_.memory.release(*t);
    }
}

// Returns false if the thread must wait.
bool warm_up::access(thread& t, work& w) {
    const std::uint64_t paddr = w.of.line * coherence::line_bytes;
    std::uint8_t* host = nullptr;
    const auto of_data = w.of.stored ? isa::access_kind::walk_update : isa::access_kind::walk;
    const isa::status st =
        w.fetch ? rooms_.fetch.line(t, paddr, host) : rooms_.memory.line(t, paddr, of_data, host);
    if (st != isa::status::ok) {
        // As one that waits for a device, which the caches do not wake: it must not issue.
        w.retry_at = t.lines.begin_wait(true);
        return false;
    }
    (w.fetch ? w.fetch : w.data) = false;
    w.retry_at = 0;
    return true;
}

base::cycle_t warm_up::next() const {
    base::cycle_t first = base::never;
    for (const auto& t : rooms_.threads) {
        const work& w = of_[t->index()];
        if (w.any() || taken_ != lines_.size())
            first = std::min(first, std::max(w.any() ? w.retry_at : 0, rooms_.time.now()));
    }
    return first;
}

}  // namespace knc::core
