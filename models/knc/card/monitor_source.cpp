#include <knc/card/monitor_source.h>

#include <knc/card/snapshot.h>

namespace knc::card {

std::function<void()> monitor_source::observer() {
    return [this] {
        taken_ = snapshot_of(*card_);
        sc_core::sc_pause();
    };
}

void monitor_source::watch(card& c) {
    card_ = &c;
    shape_ = shape_of(c);
}

std::function<void(std::uint32_t, base::cycle_t)> monitor_source::marker() {
    return [this](std::uint32_t number, base::cycle_t at) {
        if (awaited_ != number) return;
        awaited_.reset();
        card_->request_observation(at + card_->config().core.device_cycles);
    };
}

monitor::snapshot monitor_source::read(std::uint64_t cycle, bool) {
    card_->request_observation(cycle);
    return simulate();
}

monitor::snapshot monitor_source::read_at_mark(std::uint32_t number) {
    awaited_ = number;
    return simulate();
}

// Up to the snapshot that is awaited.
monitor::snapshot monitor_source::simulate() {
    if (card_->result().reason != stop_reason::none) return snapshot_of(*card_);
    taken_.reset();
    // Somebody else may pause the simulation, or nothing may be left to simulate.
    while (!taken_ && sc_core::sc_get_status() != sc_core::SC_STOPPED) {
        sc_core::sc_start();
        if (!sc_core::sc_pending_activity()) break;
    }
    return taken_ ? *taken_ : snapshot_of(*card_);
}

std::optional<std::uint64_t> monitor_source::read_msr(unsigned thread, std::uint32_t number) {
    std::uint64_t value = 0;
    if (!card_->read_msr(thread, number, value)) return {};
    return value;
}

bool monitor_source::write_msr(unsigned thread, std::uint32_t number, std::uint64_t value) {
    return card_->write_msr(thread, number, value);
}

}  // namespace knc::card
