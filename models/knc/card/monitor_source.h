// A monitor inside the program that simulates the card.
//
// Models no hardware. A call of read() simulates up to the cycle of its snapshot by sc_start() and
// stops there, so that it must not be made by a SystemC process. Source: docs/monitor.md.
#ifndef KNC_CARD_MONITOR_SOURCE_H
#define KNC_CARD_MONITOR_SOURCE_H

#include <cstdint>
#include <functional>
#include <optional>

#include <knc/card/card.h>
#include <knc/monitor/source.h>

namespace knc::card {

class monitor_source final : public monitor::source_if {
  public:
    // For run_control::observed of the card.
    std::function<void()> observer();
    // The card, which outlives the source's use.
    void watch(card&);

    // monitor::source_if. Whether a snapshot is to hold the simulation makes no difference.
    const monitor::platform_shape& shape() const override { return shape_; }
    monitor::snapshot read(std::uint64_t cycle, bool hold) override;
    monitor::snapshot read_at_mark(std::uint32_t number) override;
    // For run_control::marker of the card.
    std::function<void(std::uint32_t, base::cycle_t)> marker();
    std::optional<std::uint64_t> read_msr(unsigned thread, std::uint32_t number) override;
    bool write_msr(unsigned thread, std::uint32_t number, std::uint64_t value) override;

  private:
    monitor::snapshot simulate();

    card* card_ = nullptr;
    monitor::platform_shape shape_;
    std::optional<monitor::snapshot> taken_;
    std::optional<std::uint32_t> awaited_;  // the mark
};

}  // namespace knc::card

#endif
