#include <knc/card/device_requester.h>

#include <knc/card/device_messages.h>

namespace knc::card {

device_requester::device_requester(sc_core::sc_module_name name, const base::clock& clock,
                                   base::cycle_t latency)
    : sc_module(name), network("network", clock, *this), latency_(latency) {
    requests.bind(*this);
}

void device_requester::post(const core::device_request& r) {
    network.send(request_message(r), r.issued + latency_);
}

void device_requester::receive(const coherence::message& m, base::cycle_t cycle) {
    core->device_done(answer_of(m), cycle);
}

}  // namespace knc::card
