#include <knc/card/conductor.h>

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace knc::card {

namespace {

// max_instructions is compared at multiples of this clock, so that where a run ends does not depend
// on the window.
constexpr base::cycle_t instruction_check_interval = 10'000;

}  // namespace

conductor::conductor(sc_core::sc_module_name name, const base::clock& clock,
                     const run_control& control, base::cycle_t lookahead,
                     std::vector<std::unique_ptr<tile>>& tiles, outside o)
    : sc_module(name),
      clock_(clock),
      control_(control),
      lookahead_(lookahead),
      tiles_(tiles),
      outside_(std::move(o)) {
    SC_HAS_PROCESS(conductor);
    SC_THREAD(run);
}

void conductor::request_stop(stop_reason reason, std::uint32_t code) {
    if (stop_at_ != base::never) return;
    stop_at_ = clock_.cycle(sc_core::sc_time_stamp()) + lookahead_;
    requested_ = {reason, code, 0, {}};
}

void conductor::stop_now(stop_reason reason, const std::string& detail) {
    if (stop_at_ != base::never) return;
    stop_at_ = 0;
    requested_ = {reason, 0, 0, detail};
}

std::uint64_t conductor::instructions() const {
    std::uint64_t n = 0;
    for (const auto& t : tiles_) n += t->cpu().instructions();
    return n;
}

void conductor::run() {
    outside_.start();
    while (!finished()) {
        posted_ = false;
        const bool sampling = tracing();
        const base::cycle_t horizon = limit();
        step(horizon);
        if (sampling) outside_.sample();
        if (sampling || posted_ || now_ >= horizon) {
            wait(clock_.at(now_) - sc_core::sc_time_stamp());
            synchronised_ = now_;
        }
    }
    sc_core::sc_stop();
}

// The clock no tile may pass in the next step.
base::cycle_t conductor::limit() const {
    const base::cycle_t ahead =
        outside_.device_pending() ? std::min(lookahead_, control_.window) : control_.window;
    base::cycle_t l = std::min({synchronised_ + ahead, control_.max_cycles, stop_at_});
    if (control_.max_instructions != ~std::uint64_t{0})
        l = std::min(l, (now_ / instruction_check_interval + 1) * instruction_check_interval);
    if (now_ < control_.trace_from) l = std::min(l, control_.trace_from);
    return tracing() ? std::min(l, now_ + 1) : l;
}

void conductor::step(base::cycle_t horizon) {
    tile* only = nullptr;
    base::cycle_t first = base::never, second = base::never;
    for (const auto& t : tiles_) {
        const base::cycle_t a = t->cpu().next_activity();
        if (a < first) {
            second = std::exchange(first, a);
            only = t.get();
        } else {
            second = std::min(second, a);
        }
    }
    base::cycle_t target = now_ + 1;
    if (first > now_) {
        target = std::min(first, horizon);
    } else if (second > target) {
        only->cpu().run(std::min(second, horizon));
        target = only->cpu().now();
    }
    for (const auto& t : tiles_) t->cpu().run(target);
    now_ = target;
}

bool conductor::finished() {
    if (stop_at_ <= now_) {
        end(requested_.reason, requested_.code, requested_.detail);
    } else if (now_ >= control_.max_cycles) {
        end(stop_reason::limit, 0, fmt::format("{} clocks", control_.max_cycles));
    } else if (control_.max_instructions != ~std::uint64_t{0} &&
               now_ % instruction_check_interval == 0 &&
               instructions() >= control_.max_instructions) {
        end(stop_reason::limit, 0, fmt::format("{} instructions", control_.max_instructions));
    } else if (stop_at_ == base::never && !outside_.device_pending() &&
               std::all_of(tiles_.begin(), tiles_.end(),
                           [](const auto& t) { return t->cpu().next_activity() == base::never; })) {
        std::string why;
        for (const auto& t : tiles_) {
            const std::string w = t->cpu().why_stopped();
            if (!w.empty()) why += (why.empty() ? "" : "; ") + w;
        }
        end(stop_reason::deadlock, 0, why);
    }
    return result_.reason != stop_reason::none;
}

void conductor::end(stop_reason reason, std::uint32_t code, const std::string& detail) {
    for (const auto& t : tiles_) t->cpu().settle();
    result_ = {reason, code, now_, detail};
}

}  // namespace knc::card
