// The ring and the memory controllers as waveform signals.
//
// Models: per stop, ring and direction whether the slot that passed in the last cycle carried a
// message on, and how many messages wait to leave; per controller the requests that it has not
// accepted, its queues, banks and rows; the number of messages in flight. Only sample() updates the
// values. Leaves out: the content of messages. Source: docs/waveforms.md.
#ifndef KNC_CARD_FABRIC_PROBE_H
#define KNC_CARD_FABRIC_PROBE_H

#include <cstdint>
#include <string>
#include <vector>

#include <knc/base/signal.h>
#include <knc/card/line_places.h>

namespace knc::card {

class fabric_probe {
  public:
    explicit fabric_probe(const line_places&);

    // PREFIX.STOP.CHANNEL_DIRECTION (one bit per parallel ring) and ..._waiting, where STOP is
    // sbox, controllerN or tileN; PREFIX.controllerN.requests_waiting; PREFIX.under_way;
    // controllerN.reads and so on.
    void list_signals(const std::string& prefix, base::signal_list&) const;
    // Copies the state after the last cycle.
    void sample();

  private:
    struct values {
        std::uint64_t occupied[ring::channels][ring::directions] = {};
        std::uint64_t waiting[ring::channels][ring::directions] = {};
    };

    const line_places& fabric_;
    std::vector<values> stops_;
    // One per controller.
    struct controller_values {
        std::uint64_t waiting = 0, reads = 0, writes = 0, open_banks = 0, writing = 0;
        std::uint64_t row_hits = 0, row_closed = 0, row_conflicts = 0, refreshes = 0;
        std::uint64_t lines_read = 0, lines_written = 0;
    };
    void list_controller(unsigned n, const controller_values&, base::signal_list&) const;

    std::vector<controller_values> controllers_;
    std::uint64_t under_way_ = 0;
};

}  // namespace knc::card

#endif
