// Counts of events as waveform signals.
//
// Models: for each chosen event its count since the start of the run, over all threads of a core
// and both privilege levels. Leaves out: which thread caused it. Source: knc/base/events.def.
#ifndef KNC_CARD_EVENT_PROBE_H
#define KNC_CARD_EVENT_PROBE_H

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <knc/base/event.h>
#include <knc/base/signal.h>

namespace knc::card {

class event_probe {
  public:
    explicit event_probe(std::vector<base::event> shown)
        : shown_(std::move(shown)), counts_(shown_.size()) {}
    event_probe(const event_probe&) = delete;
    event_probe& operator=(const event_probe&) = delete;

    // Copies the present counts; the ledger is settled.
    void sample(const base::ledger&);
    // One signal for each event, named `prefix` + the event's name.
    void list_signals(const std::string& prefix, base::signal_list&) const;

  private:
    const std::vector<base::event> shown_;
    std::vector<std::uint64_t> counts_;
};

}  // namespace knc::card

#endif
