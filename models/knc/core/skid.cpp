#include <knc/core/skid.h>

#include <algorithm>

namespace knc::core {

void skid_records::add(std::uint64_t number, const skid_record& r) {
    if (number % stride != 0) return;
    if (kept.size() == most) {
        // `number` is most * stride, which is a multiple of the new stride too.
        stride *= 2;
        for (std::size_t n = 0; n < most / 2; ++n) kept[n] = kept[2 * n];
        kept.resize(most / 2);
    }
    kept.push_back(r);
}

void skid_meter::requested(request r, bool stands, base::cycle_t overflow, std::uint64_t retired,
                           base::cycle_t now) {
    const auto same = std::find_if(waiting_.begin(), waiting_.end(),
                                   [r](const measurement& m) { return m.asked == r; });
    const measurement m{r, overflow, now, 0, retired};
    if (same == waiting_.end()) {
        waiting_.push_back(m);
    } else if (!stands) {
        *same = m;
    }
}

void skid_meter::taken(request r, std::uint64_t retired, base::cycle_t now) {
    const auto same = std::find_if(waiting_.begin(), waiting_.end(),
                                   [r](const measurement& m) { return m.asked == r; });
    if (same == waiting_.end()) return;
    present_ = *same;
    waiting_.erase(same);
    present_.taken = now;
    present_.retired = retired - present_.retired;
    stage_ = stage::entry;
}

void skid_meter::entered(bool as_asked) {
    stage_ = as_asked ? stage::due : stage::none;
}

void skid_meter::interrupted(std::uint64_t ip, std::uint64_t sp) {
    if (stage_ != stage::due) return;
    stage_ = stage::suspended;
    ip_ = ip;
    sp_ = sp;
}

void skid_meter::resumed(std::uint64_t ip, std::uint64_t sp) {
    if (stage_ == stage::suspended && ip == ip_ && sp == sp_) stage_ = stage::due;
}

void skid_meter::issued(base::cycle_t now) {
    if (stage_ != stage::due) return;
    stage_ = stage::none;
    skid_statistics& s = statistics_;
    const base::cycle_t total = now - present_.overflow;
    add(s.total, total);
    add(s.delivery, present_.requested - present_.overflow);
    add(s.boundary, present_.taken - present_.requested);
    add(s.entry, now - present_.taken);
    add(s.instructions, present_.retired);
    std::size_t bin = 0;
    while (bin + 1 < s.bins && total >= s.lowest(bin + 1)) ++bin;
    ++s.histogram[bin];
    records_.add(s.count, {present_.overflow, present_.requested, present_.taken, now});
    ++s.count;
}

void skid_meter::abandon() {
    waiting_.clear();
    stage_ = stage::none;
}

void skid_meter::add(spread& s, std::uint64_t value) const {
    s.min = statistics_.count == 0 ? value : std::min(s.min, value);
    s.max = std::max(s.max, value);
    s.sum += value;
}

}  // namespace knc::core
