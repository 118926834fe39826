#include <platform/tracing.h>

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

#include <platform/input_error.h>
#include <platform/signal_filter.h>

namespace platform {

namespace base = knc::base;

namespace {

constexpr std::size_t threads = base::threads_per_core;

base::cycle_t after(base::cycle_t from, base::cycle_t clocks) {
    return from + std::min(clocks, base::never - from);
}

}  // namespace

trace_trigger tracing::trigger_of(const image& i) {
    if (settings_.mark != base::never) return {settings_.mark, {}, {}};
    if (settings_.trigger.empty()) return {};
    trigger_sources from;
    from.threads = card_.tiles() * threads;
    from.signals = card_.signals();
    from.counters = card_[0].pmu().counter_names();
    from.pmi = [this](std::size_t n) { return &card_[n / threads].cpu().pmi_rises(n % threads); };
    from.overflows = [this](std::size_t n, std::size_t c) {
        return &overflows_.emplace_back(overflow_count{n, c}).value;
    };
    from.address = [&i](std::string_view name) -> std::optional<std::uint64_t> {
        const symbol* const found = i.find(name);
        if (found == nullptr) return {};
        return found->address;
    };
    return parse_trigger(settings_.trigger, from);
}

tracing::tracing(const settings& s, knc::card::card& card, const image& i)
    : settings_(s.trace),
      card_(card),
      clock_(s.card.clock_hz),
      signals_(select_signals(card.signals(), s.trace.scopes)),
      windows_(s.trace.windows) {
    trigger_ = trigger_of(i);
    check_available(settings_.format);
}

void tracing::begin(const std::string& directory) {
    file_ = std::make_unique<trace_file>(directory, settings_.format);
    writer_ = std::make_unique<vcd_writer>(
        signals_, [this](std::string_view text) { file_->write(text); }, settings_.max_bytes);
    recorder_ = std::make_unique<trace_recorder>(signals_, *writer_, clock_, settings_.before);
    base::signal_list needed = signals_;
    needed.insert(needed.end(), trigger_.signals.begin(), trigger_.signals.end());
    records_cycles_ = card_.sample_only(needed);
    for (trace_condition& c : trigger_.conditions) c.arm();
    if (triggered())
        arm();
    else
        fire(0);
}

tracing::~tracing() {
    if (!file_) return;
    try {
        writer_->end(0);
        file_->close();
    } catch (const std::runtime_error&) {
        // The failure of the run is reported already.
    }
}

// Waits for the trigger. Without signals to look at, nothing is sampled meanwhile.
void tracing::arm() {
    armed_ = true;
    const bool by_overflow = !trigger_.conditions.empty();
    if (settings_.before != 0 || !trigger_.signals.empty() || (by_overflow && records_cycles_)) {
        card_.set_trace_window(0, base::never);
        return;
    }
    card_.set_trace_window(base::never, base::never);
    if (!by_overflow) return;
    card_.watch_overflows([this](base::cycle_t now) {
        look(now);
        return !armed_;
    });
}

bool tracing::conditions_met() {
    for (overflow_count& o : overflows_)
        o.value = card_[o.thread / threads].pmu().overflows(o.thread % threads, o.counter);
    bool met = false;
    for (trace_condition& c : trigger_.conditions) met |= c.met();
    return met;
}

// All parts are at clock `now`.
void tracing::look(base::cycle_t now) {
    if (conditions_met() && armed_) fire(now - 1);
}

void tracing::fire(base::cycle_t at) {
    const base::cycle_t from =
        settings_.before != 0 ? at - std::min(at, settings_.before) : after(at, settings_.from);
    const base::cycle_t to =
        after(at, settings_.after != base::never ? settings_.after : settings_.to);
    armed_ = false;
    fired_ = true;
    --windows_;
    recorder_->open(after(from, 1), to);
    card_.set_trace_window(from, to);
    if (!recorder_->is_open()) window_ends();
}

void tracing::window_ends() {
    if (recorder_->full_at() == base::never && triggered() && windows_ != 0) {
        recorder_->pause();
        arm();
    } else {
        card_.set_trace_window(base::never, base::never);
    }
}

void tracing::sampled(base::cycle_t now, const base::value_range& changed) {
    const bool open = recorder_->is_open();
    recorder_->sample(now, changed);
    if (open && !recorder_->is_open()) window_ends();
    look(now);
}

void tracing::marked(std::uint32_t number, base::cycle_t seen) {
    if (armed_ && trigger_.mark == number) fire(seen);
}

void tracing::switch_on(base::cycle_t now) {
    armed_ = false;
    if (recorder_->is_open()) return;
    // Values are unknown in one clock at least after another window.
    const base::cycle_t from = fired_ ? std::max(now, recorder_->last() + 1) : now;
    fired_ = true;
    windows_ = 0;
    recorder_->open(after(from, 1), base::never);
    card_.set_trace_window(from, base::never);
}

void tracing::switch_off(base::cycle_t now) {
    armed_ = false;
    windows_ = 0;
    if (!recorder_->is_open()) return;
    recorder_->end_window(now);
    recorder_->pause();
    card_.set_trace_window(base::never, base::never);
}

std::vector<std::string> tracing::finish(base::cycle_t end) {
    end_ = end;
    recorder_->finish(end);
    file_->close();
    file_.reset();
    std::vector<std::string> notes;
    if (!fired_)
        notes.push_back(
            fmt::format("the trigger of the trace never came ({}); {} holds no clock",
                        trigger_.mark ? fmt::format("mark {}", *trigger_.mark) : settings_.trigger,
                        name_of(settings_.format)));
    if (recorder_->full_at() != base::never)
        notes.push_back(
            fmt::format("{} has reached its size (trace.max_bytes): it ends at clock {}",
                        name_of(settings_.format), recorder_->full_at()));
    return notes;
}

base::cycle_t tracing::from() const {
    return recorder_->first() == base::never ? end_ : recorder_->first() - 1;
}

base::cycle_t tracing::to() const {
    return recorder_->first() == base::never ? end_ : recorder_->last();
}

}  // namespace platform
