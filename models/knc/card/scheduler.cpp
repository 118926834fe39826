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
