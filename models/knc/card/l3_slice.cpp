#include <knc/card/l3_slice.h>

#include <vector>

namespace knc::card {

base::cycle_t l3_slice::flush(base::cycle_t t) {
    free_ = std::max(t, free_);
    std::vector<coherence::line_t> lines;
    logic_.each_line([&lines](coherence::line_t l) { lines.push_back(l); });
    for (const coherence::line_t l : lines) {
        leaves_ = free_ + p_.cycles;
        if (logic_.evict(l)) free_ += p_.interval;
    }
    return free_;
}

}  // namespace knc::card
