// What a waveform shows of ring and memory controllers.
//
// Models: of each stop, ring and direction whether the slot that passed in the last clock went on
// with a message, and how many messages wait to leave; of each controller the requests it has not
// taken; all messages under way. Values are refreshed by sample() alone.
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

    // PREFIX.STOP.CHANNEL_DIRECTION (a bit for each parallel ring) and ..._waiting, where STOP is
    // sbox, controllerN or tileN; PREFIX.controllerN.requests_waiting; PREFIX.under_way.
    void list_signals(const std::string& prefix, base::signal_list&) const;
    // The state after the last clock run.
    void sample();

  private:
    struct values {
        std::uint64_t occupied[ring::channels][ring::directions] = {};
        std::uint64_t waiting[ring::channels][ring::directions] = {};
    };

    const line_places& fabric_;
    std::vector<values> stops_;
    std::vector<std::uint64_t> requests_;  // of each controller
    std::uint64_t under_way_ = 0;
};

}  // namespace knc::card

#endif
