#include <platform/trace_recorder.h>

#include <algorithm>
#include <cstring>

namespace platform {

namespace base = knc::base;

namespace {

constexpr std::uint64_t ps_per_s = 1'000'000'000'000;

// Values that are compared at once.
constexpr std::size_t group = 4;
bool same(const std::uint64_t* a, const std::uint64_t* b) {
    return ((a[0] ^ b[0]) | (a[1] ^ b[1]) | (a[2] ^ b[2]) | (a[3] ^ b[3])) == 0;
}

}  // namespace

trace_recorder::trace_recorder(const base::signal_list& signals, vcd_writer& w,
                               const base::clock& clock, base::cycle_t before)
    : writer_(w),
      clock_(clock),
      ps_per_clock_(ps_per_s / clock.hz()),
      rest_per_clock_(ps_per_s % clock.hz()),
      before_(before),
      values_(signals.size()) {
    for (std::size_t n = 0; n < signals.size(); ++n) {
        const std::uint64_t* const value = signals[n].value;
        if (!blocks_.empty() && blocks_.back().values + blocks_.back().count == value)
            ++blocks_.back().count;
        else
            blocks_.push_back({value, n, 1});
    }
}

// As base::clock::at(), with one division of 64 bits where that is enough.
std::uint64_t trace_recorder::time(base::cycle_t c) const {
    if (c >= std::uint64_t{1} << 30) return clock_.at(c).value();
    return c * ps_per_clock_ + (c * rest_per_clock_ + clock_.hz() - 1) / clock_.hz();
}

void trace_recorder::sample(base::cycle_t c, const base::value_range& changed) {
    if (now_ == base::never) {
        for (const block& b : blocks_)
            std::memcpy(&values_[b.first], b.values, b.count * sizeof *b.values);
        history_.reset(values_);
        kept_from_ = c;
        first_ = std::max(first_, c);
    }
    if (state_ == state::awaited && c > first_) begin(first_, values_);
    if (state_ == state::open && c > last_) close(last_);
    record_changes(c, changed);
    now_ = c;
    if (state_ == state::awaited && c == first_) begin(c, values_);
    if (state_ == state::open && c >= last_) close(last_);
    if (state_ == state::closed && before_ != 0 && c > before_) history_.forget_before(c - before_);
}

// The block in which all of `changed` lies, or nullptr: values of which some are traced lie in
// several blocks, and an empty range stands for all values.
const trace_recorder::block* trace_recorder::block_of(const base::value_range& changed) {
    if (changed.first == nullptr) return nullptr;
    if (recent_ != nullptr && recent_->contains(changed)) return recent_;
    const auto found = std::find_if(blocks_.begin(), blocks_.end(),
                                    [&changed](const block& b) { return b.contains(changed); });
    if (found == blocks_.end()) return nullptr;
    recent_ = &*found;
    return recent_;
}

void trace_recorder::record_changes(base::cycle_t c, const base::value_range& changed) {
    begun_ = false;
    if (const block* const of = block_of(changed)) {
        const auto first = static_cast<std::size_t>(changed.first - of->values);
        record_changes(c, {changed.first, of->first + first,
                           static_cast<std::size_t>(changed.last - changed.first)});
    } else {
        for (const block& b : blocks_) record_changes(c, b);
    }
    if (begun_) commit(c);
}

void trace_recorder::record_changes(base::cycle_t c, const block& b) {
    const bool writes = state_ == state::open, keeps = !writes && before_ != 0;
    std::uint64_t* const before = &values_[b.first];
    for (std::size_t n = 0; n < b.count; ++n) {
        // memcmp() costs more: these values have just been written, in other widths.
        while (n + group <= b.count && same(before + n, b.values + n)) n += group;
        if (n == b.count) break;
        if (before[n] == b.values[n]) continue;
        before[n] = b.values[n];
        if (keeps) history_.add({c, b.first + n, before[n]});
        if (!writes) continue;
        if (!begun_) writer_.begin(time(c));
        begun_ = true;
        writer_.change(b.first + n, before[n]);
    }
}

void trace_recorder::open(base::cycle_t first, base::cycle_t last) {
    if (full_at_ != base::never || last < first) return;
    last_ = last;
    first_ = first;
    state_ = state::awaited;
    if (now_ == base::never || first > now_) return;
    if (before_ == 0) {
        begin(now_, values_);
    } else {
        first_ = std::max(first, kept_from_);
        history_.forget_before(first_);
        begin(first_, history_.values());
        replay();
    }
    if (state_ == state::open && now_ >= last_) close(last_);
}

void trace_recorder::begin(base::cycle_t first, const std::vector<std::uint64_t>& values) {
    state_ = state::open;
    shown_from_ = std::min(shown_from_, first);
    end_if(!writer_.dump(time(first), values.data()), first);
}

// Writes the kept changes after the beginning of the window.
void trace_recorder::replay() {
    base::cycle_t at = base::never;
    for (const trace_history::change& c : history_.changes()) {
        if (c.at > last_ || full_at_ != base::never) break;
        if (c.at != at) {
            if (at != base::never) commit(at);
            at = c.at;
            if (full_at_ != base::never) break;
            writer_.begin(time(at));
        }
        writer_.change(c.signal, c.value);
    }
    if (at != base::never && full_at_ == base::never) commit(at);
}

void trace_recorder::commit(base::cycle_t c) {
    end_if(!writer_.commit(), c);
}

// The step at `c` was written, or was too much.
void trace_recorder::end_if(bool full, base::cycle_t c) {
    shown_to_ = c;
    if (!full) return;
    full_at_ = c;
    writer_.end(time(c));
    state_ = state::closed;
}

void trace_recorder::close(base::cycle_t at) {
    shown_to_ = at;
    writer_.end(time(at));
    state_ = state::closed;
    history_.reset(values_);
    kept_from_ = std::max(at, now_) + 1;
}

void trace_recorder::end_window(base::cycle_t at) {
    if (state_ == state::open) close(at);
    state_ = state::closed;
}

void trace_recorder::pause() {
    if (full_at_ == base::never) writer_.pause(time(shown_to_ + 1));
}

void trace_recorder::finish(base::cycle_t end) {
    if (state_ == state::awaited && now_ != base::never && end >= first_) begin(first_, values_);
    if (state_ == state::open) close(std::min(last_, end));
    writer_.end(0);
}

}  // namespace platform
