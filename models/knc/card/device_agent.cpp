#include <knc/card/device_agent.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include <knc/base/access.h>
#include <knc/card/device_messages.h>

namespace knc::card {

bool device_agent::entry::operator<(const entry& o) const {
    return std::tie(at, request.core, request.thread, request.ticket) <
           std::tie(o.at, o.request.core, o.request.thread, o.request.ticket);
}

device_agent::device_agent(sc_core::sc_module_name name, const base::clock& clock,
                           base::cycle_t latency, bool ring)
    : sc_module(name), clock_(clock), latency_(latency) {
    SC_HAS_PROCESS(device_agent);
    SC_THREAD(run);
    requests.bind(*this);
    if (!ring) return;
    coherence::endpoint::owner& self = *this;
    network = std::make_unique<coherence::endpoint>("network", clock, self);
}

void device_agent::receive(const coherence::message& m, base::cycle_t cycle) {
    if (m.kind == coherence::message_kind::register_read ||
        m.kind == coherence::message_kind::register_write) {
        core::device_request r = request_of(m);
        registers->access(r, cycle);
        network->send(answer_message(m, r), cycle + latency_);
        return;
    }
    if (m.kind == coherence::message_kind::wbinvd) {
        const base::cycle_t walked = shared_cache.size() != 0 ? shared_cache->flush(cycle) : cycle;
        network->send(answer_message(m, request_of(m)), walked + latency_);
        return;
    }
    enter(request_of(m), m, cycle);
}

void device_agent::post(const core::device_request& r) {
    enter(r, {}, r.issued + latency_);
}

void device_agent::enter(const core::device_request& r, const coherence::message& m,
                         base::cycle_t at) {
    queue_.insert({at, r, m});
    schedule();
    scheduler->synchronize();
}

void device_agent::answer(const entry& a, base::cycle_t at) {
    if (!network)
        cores[a.request.core]->device_done(a.request, at);
    else
        network->send(answer_message(a.message, a.request), at);
}

void device_agent::schedule() {
    if (queue_.empty()) return;
    const sc_core::sc_time at = clock_.at(queue_.begin()->at);
    due_.notify(at - std::min(at, sc_core::sc_time_stamp()));
}

void device_agent::reset() {
    queue_.clear();
    due_.cancel();
    answer_lost_ = transporting_;
}

void device_agent::run() {
    for (;;) {
        wait(due_);
        while (!queue_.empty() && clock_.at(queue_.begin()->at) <= sc_core::sc_time_stamp()) {
            entry e = *queue_.begin();
            queue_.erase(queue_.begin());
            transporting_ = true;
            const base::cycle_t reached = transport(e.request, e.at);
            transporting_ = false;
            if (!std::exchange(answer_lost_, false)) answer(e, reached + latency_);
        }
        schedule();
    }
}

void device_agent::access(core::device_request& r, base::cycle_t now) {
    if (r.space == core::address_space::registers) {
        registers->access(r, now);
        return;
    }
    // In a fast-forward, every cache is empty.
    if (r.space == core::address_space::shared_cache) return;
    const sc_core::sc_time at = clock_.at(now);
    wait(at - std::min(at, sc_core::sc_time_stamp()));
    transport(r, now);
}

// Returns the cycle in which the device has done with the access, which reaches it in cycle `at`.
base::cycle_t device_agent::transport(core::device_request& r, base::cycle_t at) {
    base::access extension;
    extension.core = r.core;
    extension.thread = r.thread;
    extension.cycle = at;
    tlm::tlm_generic_payload p;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    p.set_command(r.write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
    p.set_address(r.address);
    p.set_data_ptr(r.data.data());
    p.set_data_length(r.size);
    p.set_streaming_width(r.size);
    p.set_extension(&extension);
    if (r.space == core::address_space::memory)
        devices->b_transport(p, delay);
    else if (ports.size() != 0)
        ports->b_transport(p, delay);
    p.clear_extension(&extension);
    if (!p.is_response_ok() && !answer_lost_) {
        r.data.fill(0xff);
        if (r.space == core::address_space::memory)
            diagnostics.warn(fmt::format(
                "core {} thread {}: {} of {} bytes at {:#x} refused by the device ({})", r.core,
                r.thread, r.write ? "write" : "read", r.size, r.address, p.get_response_string()));
    }
    return std::max(extension.cycle, clock_.cycle(sc_core::sc_time_stamp() + delay));
}

}  // namespace knc::card
