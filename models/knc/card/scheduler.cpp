#include <knc/card/scheduler.h>

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace knc::card {

scheduler::scheduler(sc_core::sc_module_name name, const base::clock& clock,
                     const run_control& control, const lookaheads& l)
    : sc_module(name),
      clock_(clock),
      control_(control),
      lookahead_(l),
      trace_from_(control.trace_from),
      trace_to_(control.trace_to) {
    SC_HAS_PROCESS(scheduler);
    SC_THREAD(run);
}

void scheduler::end_of_elaboration() {
    std::vector<tile_if*> bound;
    for (int n = 0; n < tiles.size(); ++n) bound.push_back(tiles[n]);
    tiles_ = scheduled_tiles(std::move(bound));
    for (int n = 0; n < devices.size(); ++n) devices_.push_back(devices[n]);
    interrupts_ = interrupts.operator->();
    if (network.size() != 0) network_ = network.operator->();
    runner_.emplace(tiles_, *card.operator->(), control_.host_threads);
}

void scheduler::request_stop(stop_reason reason, std::uint32_t code, const std::string& detail) {
    if (stop_at_ != base::never) return;
    stop_at_ = clock_.cycle(sc_core::sc_time_stamp()) + lookahead_.device;
    requested_ = {reason, code, 0, detail};
}

void scheduler::request_reset() {
    reset_at_ = std::min(reset_at_, clock_.cycle(sc_core::sc_time_stamp()) + lookahead_.device);
    posted_ = true;
}

base::cycle_t scheduler::set_deadline(base::cycle_t at) {
    const base::cycle_t first = clock_.cycle(sc_core::sc_time_stamp()) + lookahead_.device;
    return deadline_ = std::max(at, first);
}

void scheduler::request_boot(base::cycle_t at) {
    boot_at_ = at;
    posted_ = true;
}

void scheduler::stop_now(stop_reason reason, const std::string& detail) {
    if (stop_at_ != base::never) return;
    stop_at_ = 0;
    requested_ = {reason, 0, 0, detail};
}

std::uint64_t scheduler::instructions() const {
    std::uint64_t n = 0;
    for (tile_if* const t : tiles_) n += t->instructions();
    return n;
}

void scheduler::run() {
    accessible_ = card->accessible();
    if (control_.restore) {
        if (!restore()) {
            sc_core::sc_stop();
            return;
        }
        if (control_.fast_forward.warm) begin_warm_up();
    } else {
        card->start();
        if (control_.fast_forward.until != fast_forward_control::end::none) begin_fast_forward();
    }
    while (!finished()) {
        if (std::exchange(ended_, false)) {
            tell_of_end();
            if (control_.fast_forward.warm) begin_warm_up();
        }
        if (now_ >= attention_at_) {
            attend();
            continue;
        }
        if (now_ >= observation_at_) {
            observe();
            continue;
        }
        if (level()) posted_ = false;
        const bool sampling = tracing() && !functional_;
        if (sampling && !samples_apart()) {
            run_all_to_now();
            card->begin_sample();
        }
        if (std::exchange(yielded_, false)) runner_->look_for_observers();
        // What came up while some tiles were ahead can have no effect before that cycle.
        const base::cycle_t horizon =
            std::max(functional_ ? functional_limit() : limit(), foremost_);
        step(horizon);
        if (overflow_watch_) look_for_overflows();
        if (level() && (posted_ || now_ >= horizon || (sampling && !samples_apart()))) {
            // No message may reach a device in SystemC's past.
            run_network_to_now();
            catch_up();
            if (control_.synchronised) control_.synchronised();
        }
        if (now_ >= warm_up_at_) look_at_warm_up();
        if (now_ >= switch_at_) switch_if_drained();
        if (now_ >= reset_at_) reset();
        if (now_ >= boot_at_) start_image();
    }
    if (!control_.ended) {
        sc_core::sc_stop();
        return;
    }
    catch_up();
    card->rest();
    control_.ended();
}

// Lets SystemC time reach the cycle that all tiles have reached.
void scheduler::catch_up() {
    wait(clock_.at(now_) - sc_core::sc_time_stamp());
    synchronised_ = now_;
    yielded_ = true;
}

// The reset comes after the devices' activity at this time.
void scheduler::reset() {
    run_all_to_now();
    wait(sc_core::SC_ZERO_TIME);
    reset_at_ = boot_at_ = sampled_at_ = base::never;
    const bool goes_on = functional_;
    if (functional_) leave_functional("reset");
    if (warm_up_at_ != base::never) end_warm_up();
    card->reset(now_);
    if (holding_ || goes_on) hold();
    if (goes_on) enter_functional();
}

void scheduler::start_image() {
    run_all_to_now();
    boot_at_ = sampled_at_ = base::never;
    card->start_image();
}

// A step that ends in this cycle, or a function of run_control, has let SystemC time reach it.
void scheduler::attend() {
    run_all_to_now();
    run_network_to_now();
    attention_at_ = sampled_at_ = base::never;
    yielded_ = true;
    if (control_.attended) control_.attended();
}

void scheduler::observe() {
    run_all_to_now();
    run_network_to_now();
    for (tile_if* const t : tiles_) t->settle();
    observation_at_ = sampled_at_ = base::never;
    yielded_ = true;
    if (control_.observed) control_.observed();
    // Whoever observes may have called sc_pause().
    wait(sc_core::SC_ZERO_TIME);
}

// The cycle that no tile may pass in the next step.
base::cycle_t scheduler::limit() const {
    base::cycle_t l =
        std::min({synchronised_ + control_.quantum, control_.max_cycles, stop_at_, reset_at_,
                  boot_at_, deadline_, attention_at_, observation_at_, switch_at_, warm_up_at_});
    const base::cycle_t act = accessible_ ? 0 : devices_pending_from();
    if (act < l) l = std::min(l, std::max(act, synchronised_) + lookahead_.device);
    l = std::min(l, (now_ / check_interval + 1) * check_interval);
    if (now_ < trace_from_) l = std::min(l, trace_from_);
    return tracing() ? std::min(l, trace_to_) : l;
}

// Somebody takes the samples, so that SystemC time need not follow each cycle. The other parts'
// signals show what their SystemC processes have done, and without a network, so does a thread that
// waits for a device.
bool scheduler::samples_apart() const {
    return control_.sampled && network_ != nullptr && card->samples_tiles_only();
}

void scheduler::sample() {
    run_all_to_now();
    run_network_to_now();
    card->sample();
    sampled_at_ = now_;
    if (control_.sampled) control_.sampled(now_, {});
}

// A step in cycles that are traced: of one cycle, unless no more than one tile changes its signals,
// and all others' have been sampled.
void scheduler::step_sampled(base::cycle_t horizon) {
    if (sampled_at_ == now_ && samples_apart()) {
        tile_if* only = nullptr;
        base::cycle_t rest = base::never;
        for (tile_if* const t : tiles_) {
            if (t->still()) {
                rest = std::min(rest, t->next_activity());
            } else if (only == nullptr) {
                only = t;
            } else {
                only = nullptr;
                break;
            }
        }
        if (only != nullptr && step_only(*only, rest, horizon)) return;
    }
    step_all(std::min(horizon, now_ + 1));
    sample();
}

// All other tiles are still, until cycle `rest` or a message. Returns false if one may arrive now.
// The network is no further ahead than in steps of one cycle: a thread that waits for a line would
// otherwise be shown as resumed before the line is there.
bool scheduler::step_only(tile_if& only, base::cycle_t rest, base::cycle_t horizon) {
    base::cycle_t until = std::min(rest, horizon);
    if (network_->next_activity() != base::never) {
        const base::cycle_t next = std::min(only.next_activity(), network_->next_delivery());
        until = std::min(until, std::max(next, now_ + 1));
        if (next <= now_) {
            network_->run(now_ + 1);
            for (tile_if* const t : tiles_)
                if (t != &only && t->next_activity() <= now_) return false;
        }
    }
    if (until <= now_) return false;
    tile_runner::run_until(only, now_);
    only.watch_overflows(true);
    only.run_sampled(until, control_.sampled);
    only.watch_overflows(static_cast<bool>(overflow_watch_));
    sampled_at_ = now_ = only.now();
    return true;
}

void scheduler::watch_overflows(std::function<bool(base::cycle_t)> f) {
    overflow_watch_ = std::move(f);
    for (tile_if* const t : tiles_) t->watch_overflows(static_cast<bool>(overflow_watch_));
}

// The cycle to which all tiles can run without missing an overflow. One tile that runs alone can be
// stopped at the overflow; several cannot, as none runs back.
base::cycle_t scheduler::watched_limit() const {
    if (network_ != nullptr && network_->next_activity() != base::never) return now_ + 1;
    const activity a = next_activity(false);
    if (a.second <= now_ + 1) return now_ + 1;
    base::cycle_t l = a.second - 1;
    if (a.only != nullptr) l = std::min(l, a.only->overflow_deadline());
    return std::max(l, now_ + 1);
}

void scheduler::look_for_overflows() {
    for (tile_if* const t : tiles_) {
        if (t->overflow_deadline() > now_) continue;
        tile_runner::run_until(*t, now_);
        t->settle();
    }
    if (!overflow_watch_(now_)) return;
    watch_overflows({});
    if (now_ != 0 && traced(now_ - 1)) sample();
}

scheduler::activity scheduler::next_activity(bool whether_now) const {
    activity a;
    for (std::size_t n = 0; n < tiles_.size(); ++n) {
        if (whether_now && a.first <= now_) break;
        const base::cycle_t next = tiles_.next_activity(n);
        if (next < a.first) {
            a.second = std::exchange(a.first, next);
            a.only = &tiles_[n];
        } else {
            a.second = std::min(a.second, next);
        }
    }
    return a;
}

void scheduler::step(base::cycle_t horizon) {
    base::cycle_t arbitration = interrupts_->next_arbitration();
    if (arbitration <= now_) {
        // A tile that sleeps may be behind; an observer would have let it run. It must not take the
        // message earlier for that.
        if (functional_) run_all_to_now();
        interrupts_->arbitrate(now_);
        if (posted_) return;  // the horizon may be nearer now
        arbitration = interrupts_->next_arbitration();
    }
    horizon = std::min(horizon, arbitration);
    if (functional_)
        step_functional(horizon);
    else if (tracing())
        step_sampled(horizon);
    else
        step_all(overflow_watch_ ? std::min(horizon, watched_limit()) : horizon);
}

void scheduler::step_all(base::cycle_t horizon) {
    if (network_ != nullptr)
        step_apart(horizon);
    else
        step_together(horizon);
}

void scheduler::step_together(base::cycle_t horizon) {
    const activity a = next_activity(false);
    base::cycle_t target = now_ + 1;
    if (a.first > now_) {
        target = std::min(a.first, horizon);
    } else if (a.second > target) {
        a.only->run(std::min(a.second, horizon));
        target = a.only->now();
    }
    for (tile_if* const t : tiles_) t->run(target);
    now_ = target;
}

void scheduler::step_apart(base::cycle_t horizon) {
    // No tile runs alone while messages are in flight.
    const bool alone = network_->next_activity() == base::never;
    const activity a = next_activity(!alone);
    // No tile acts before `next`. Until then, the network may run by itself.
    base::cycle_t next = std::min(a.first, horizon);
    if (!alone && next > now_) next = network_->run_to_delivery(next);
    if (next > now_) {
        now_ = next;
        if (now_ == horizon) return;
    }
    const bool idle = alone && !replies_pending();
    const base::cycle_t interval = idle ? lookahead_.idle : lookahead_.tile;
    const base::cycle_t end = std::min((now_ / interval + 1) * interval, horizon);
    if (alone && a.second > end) {
        // The tile sends a message before anything can reach it.
        tile_runner::run_until(*a.only, now_);
        a.only->run(std::min(a.second, horizon));
        now_ = a.only->now();
        return;
    }
    // Idle, it takes what the tiles send now in the next step.
    if (!idle) network_->run(end);
    const base::cycle_t far = std::min((now_ / lookahead_.idle + 1) * lookahead_.idle, horizon);
    step_end ends(end, tiles_.active_before(far));
    if (!idle) let_run_beyond(ends, far);
    // Nobody else can be called in cycles without samples and triggers.
    runner_->run(ends, end - now_, !tracing() && !overflow_watch_);
    now_ = end;
}

// Those that nothing can reach before cycle `far`, which is no later than if nothing were in
// flight. It takes as long to load a tile into the host's caches as to run it for some cycles.
void scheduler::let_run_beyond(step_end& ends, base::cycle_t far) {
    // A device may answer something that has reached it long ago.
    if (far <= ends.all || posted_) return;
    for (std::uint64_t rest = ends.active; rest != 0; rest &= rest - 1) {
        const auto n = static_cast<std::size_t>(__builtin_ctzll(rest));
        if (tiles_.next_activity(n) < ends.all && !tiles_[n].awaits_answers())
            ends.beyond |= rest & -rest;
    }
    if (ends.beyond == 0) return;
    ends.beyond &= ~network_->tiles_in_reach(far);
    if (ends.beyond == 0) return;
    ends.far = far;
    foremost_ = far;
}

void scheduler::run_all_to_now() const {
    for (tile_if* const t : tiles_) tile_runner::run_until(*t, now_);
}

void scheduler::run_network_to_now() const {
    if (network_ != nullptr) network_->run(now_);
}

bool scheduler::replies_pending() const {
    return std::any_of(tiles_.begin(), tiles_.end(),
                       [](const tile_if* t) { return t->replies_pending(); });
}

base::cycle_t scheduler::devices_pending_from() const {
    base::cycle_t first = base::never;
    for (const base::pending_if* d : devices_) first = std::min(first, d->pending_from());
    return first;
}

// Nothing is in flight that could wake a tile.
bool scheduler::quiet() const {
    // The network first: while all tiles sleep, it is the part most likely to be busy.
    return (network_ == nullptr || network_->next_activity() == base::never) && !accessible_ &&
           devices_pending_from() == base::never && interrupts_->next_arbitration() == base::never;
}

bool scheduler::finished() {
    const bool checks = checks_now();
    if (stop_at_ <= now_) {
        end(requested_.reason, requested_.code, requested_.detail);
    } else if (now_ >= deadline_) {
        end(stop_reason::deadline, 0, {});
    } else if (now_ >= control_.max_cycles) {
        end(stop_reason::limit, 0, fmt::format("{} clocks", control_.max_cycles));
    } else if (control_.max_instructions != ~std::uint64_t{0} && checks &&
               instructions() >= control_.max_instructions) {
        end(stop_reason::limit, 0, fmt::format("{} instructions", control_.max_instructions));
    } else if (checks && stop_at_ == base::never && reset_at_ == base::never &&
               switch_at_ == base::never && warm_up_at_ == base::never && boot_at_ == base::never &&
               attention_at_ == base::never && observation_at_ > now_ && asleep()) {
        if (input_has_come()) return finished();
        end(stop_reason::deadlock, 0, why_stopped());
    }
    return result_.reason != stop_reason::none;
}

// No tile will ever act again by itself.
bool scheduler::asleep() const {
    run_all_to_now();
    run_network_to_now();
    return quiet() && std::all_of(tiles_.begin(), tiles_.end(), [](const tile_if* t) {
               return t->next_activity() == base::never;
           });
}

// Where the user may wake the card, the run waits for that, at SystemC time.
bool scheduler::input_has_come() {
    if (!card->waits_for_input() ||
        std::none_of(tiles_.begin(), tiles_.end(),
                     [](const tile_if* t) { return t->interruptible(); }))
        return false;
    catch_up();
    control_.asleep();
    return true;
}

std::string scheduler::why_stopped() const {
    std::string why;
    for (tile_if* const t : tiles_) {
        const std::string w = t->why_stopped();
        if (!w.empty()) why += (why.empty() ? "" : "; ") + w;
    }
    return why;
}

void scheduler::end(stop_reason reason, std::uint32_t code, const std::string& detail) {
    run_all_to_now();
    run_network_to_now();
    for (tile_if* const t : tiles_) t->settle();
    if (functional_) close_record("end of the run");
    result_ = {reason, code, now_, detail};
}

}  // namespace knc::card
