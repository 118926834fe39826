#include <knc/card/device_agent.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include <knc/base/access.h>

namespace knc::card {

bool device_agent::earlier::operator()(const core::device_request& a,
                                       const core::device_request& b) const {
    return std::tie(a.issued, a.core, a.thread, a.ticket) <
           std::tie(b.issued, b.core, b.thread, b.ticket);
}

device_agent::device_agent(sc_core::sc_module_name name, const base::clock& clock,
                           base::cycle_t latency, callbacks c)
    : sc_module(name), clock_(clock), latency_(latency), callbacks_(std::move(c)) {
    SC_HAS_PROCESS(device_agent);
    SC_THREAD(run);
}

void device_agent::post(const core::device_request& r) {
    queue_.insert(r);
    schedule();
}

void device_agent::schedule() {
    if (queue_.empty()) return;
    const sc_core::sc_time at = clock_.at(queue_.begin()->issued + latency_);
    due_.notify(at - std::min(at, sc_core::sc_time_stamp()));
}

void device_agent::run() {
    for (;;) {
        wait(due_);
        while (!queue_.empty() &&
               clock_.at(queue_.begin()->issued + latency_) <= sc_core::sc_time_stamp()) {
            core::device_request r = *queue_.begin();
            queue_.erase(queue_.begin());
            transporting_ = true;
            transport(r);
            transporting_ = false;
        }
        schedule();
    }
}

void device_agent::transport(core::device_request& r) {
    base::access access;
    access.core = r.core;
    access.thread = r.thread;
    access.cycle = r.issued + latency_;
    tlm::tlm_generic_payload p;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    p.set_command(r.write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
    p.set_address(r.address);
    p.set_data_ptr(r.data.data());
    p.set_data_length(r.size);
    p.set_streaming_width(r.size);
    p.set_extension(&access);
    if (r.space == core::address_space::memory)
        devices->b_transport(p, delay);
    else if (ports.size() != 0)
        ports->b_transport(p, delay);
    p.clear_extension(&access);
    if (!p.is_response_ok()) {
        r.data.fill(0xff);
        if (r.space == core::address_space::memory)
            callbacks_.warning(fmt::format(
                "core {} thread {}: {} of {} bytes at {:#x} refused by the device ({})", r.core,
                r.thread, r.write ? "write" : "read", r.size, r.address, p.get_response_string()));
    }
    const base::cycle_t reached =
        std::max(access.cycle, clock_.cycle(sc_core::sc_time_stamp() + delay));
    callbacks_.done(r, reached + latency_);
}

}  // namespace knc::card
