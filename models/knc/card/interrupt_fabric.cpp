#include <knc/card/interrupt_fabric.h>

#include <algorithm>
#include <cstring>
#include <tuple>

namespace knc::card {

namespace {

// The local APICs are attached in the order of their threads.
base::thread_number number_of(std::size_t apic) {
    return {static_cast<std::uint16_t>(apic / base::threads_per_core),
            static_cast<std::uint8_t>(apic % base::threads_per_core)};
}

}  // namespace

interrupt_fabric::interrupt_fabric(sc_core::sc_module_name name, base::cycle_t latency,
                                   base::cycle_t interval, base::cycle_t sbox_latency)
    : sc_module(name), latency_(latency), interval_(interval), sbox_latency_(sbox_latency) {
    in.register_b_transport(this, &interrupt_fabric::b_transport);
}

void interrupt_fabric::attach(apic::apic& a) {
    apics_.push_back(&a.logic());
    kept_.resize((apics_.size() + base::threads_per_core - 1) / base::threads_per_core);
    a.bus_out.bind(in);
    out.bind(a.bus_in);
}

void interrupt_fabric::b_transport(int source, tlm::tlm_generic_payload& p, sc_core::sc_time&) {
    std::uint64_t code = 0;
    const auto* access = p.get_extension<base::access>();
    if (!p.is_write() || p.get_data_length() != sizeof code || access == nullptr) {
        p.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
        return;
    }
    p.set_response_status(tlm::TLM_OK_RESPONSE);
    std::memcpy(&code, p.get_data_ptr(), sizeof code);
    const sort what = p.get_address() == apic::fabric::eoi ? sort::eoi : sort::interrupt;
    const sent message{access->cycle, source, what, apic::decode(code)};
    if (departures_ != nullptr && departures_->kept) {
        kept_[static_cast<std::size_t>(source) / base::threads_per_core].push_back(message);
        departures_->note();
    } else if (interval_ == 0 && what == sort::interrupt) {
        deliver(message);
    } else {
        waiting_.push_back(message);
    }
}

void interrupt_fabric::release() {
    for (std::vector<sent>& of_tile : kept_) {
        waiting_.insert(waiting_.end(), of_tile.begin(), of_tile.end());
        of_tile.clear();
    }
}

void interrupt_fabric::send(const sbox::interrupt& i, base::cycle_t now) {
    apic::interrupt_message m;
    m.mode = static_cast<apic::delivery_mode>(i.mode);
    m.vector = i.vector;
    m.level_triggered = i.level;
    m.logical = i.logical;
    m.destination = i.destination;
    waiting_.push_back({now + sbox_latency_, from_sbox, sort::interrupt, m});
}

// Only a core of a card without other tiles has such a wire.
void interrupt_fabric::pin_rises(base::cycle_t at) {
    waiting_.push_back({at, 0, sort::edge, {}});
}

base::cycle_t interrupt_fabric::next_arbitration() const {
    const base::cycle_t interval = std::max<base::cycle_t>(interval_, 1);
    base::cycle_t first = base::never;
    for (const sent& s : waiting_) first = std::min(first, (s.clock / interval + 1) * interval);
    return first;
}

void interrupt_fabric::arbitrate(base::cycle_t now) {
    const auto due = std::stable_partition(waiting_.begin(), waiting_.end(),
                                           [now](const sent& s) { return s.clock < now; });
    std::vector<sent> ready(waiting_.begin(), due);
    waiting_.erase(waiting_.begin(), due);
    std::stable_sort(ready.begin(), ready.end(), [](const sent& a, const sent& b) {
        return std::tie(a.clock, a.source) < std::tie(b.clock, b.source);
    });
    for (const sent& s : ready) deliver(s);
}

void interrupt_fabric::deliver(const sent& s) {
    const apic::interrupt_message& m = s.content;
    const base::cycle_t at = s.clock + latency_;
    if (s.what != sort::interrupt) {
        if (s.what == sort::eoi)
            io_apic->end_of_interrupt(m.vector, at);
        else
            io_apic->pulse_pin(pmu_input_, at);
        scheduler->synchronize();
        return;
    }
    const auto accepts = [&](std::size_t i) {
        return apics_[i]->accepts(m, s.source == static_cast<int>(i));
    };
    if (apic::arbitrated(m)) {
        std::vector<apic::local_apic*> candidates;
        for (std::size_t i = 0; i < apics_.size(); ++i)
            if (accepts(i)) candidates.push_back(apics_[i]);
        const apic::local_apic* winner = apic::lowest_priority_target(candidates);
        for (std::size_t i = 0; i < apics_.size(); ++i)
            if (apics_[i] == winner) forward(i, s, at);
        return;
    }
    for (std::size_t i = 0; i < apics_.size(); ++i)
        if (accepts(i)) forward(i, s, at);
}

void interrupt_fabric::forward(std::size_t target, const sent& s, base::cycle_t at) {
    std::uint64_t code = apic::encode(s.content);
    while (!forwarded_.empty() && forwarded_.front().at <= s.clock) forwarded_.pop_front();
    forwarded_.push_back({s.source, target, s.content, at});
    if (recorder_ != nullptr)
        recorder_->message_sent(
            s.source == from_sbox ? base::no_thread : number_of(static_cast<std::size_t>(s.source)),
            number_of(target), code, s.clock, at);
    base::access access;
    access.cycle = at;
    tlm::tlm_generic_payload p;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    p.set_command(tlm::TLM_WRITE_COMMAND);
    p.set_address(apic::fabric::interrupt);
    p.set_data_ptr(reinterpret_cast<unsigned char*>(&code));
    p.set_data_length(sizeof code);
    p.set_streaming_width(sizeof code);
    p.set_extension(&access);
    out[static_cast<int>(target)]->b_transport(p, delay);
    p.clear_extension(&access);
}

std::vector<interrupt_fabric::under_way> interrupt_fabric::messages(base::cycle_t now) const {
    std::vector<under_way> all;
    for (const under_way& m : forwarded_)
        if (m.at > now) all.push_back(m);
    for (const sent& s : waiting_)
        if (s.what == sort::interrupt)
            all.push_back({s.source, std::nullopt, s.content, next_arbitration()});
    return all;
}

}  // namespace knc::card
