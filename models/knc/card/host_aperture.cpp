#include <knc/card/host_aperture.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include <knc/base/payload.h>
#include <knc/card/each_line.h>

namespace knc::card {

using coherence::line_bytes;
using coherence::line_t;

host_aperture::host_aperture(sc_core::sc_module_name name, const base::clock& clock,
                             base::cycle_t latency, base::cycle_t interval,
                             const coherence::address_hash& hash)
    : sc_module(name),
      network("network", clock, *this),
      clock_(clock),
      latency_(latency),
      interval_(interval),
      agent_(coherence::first_agent, hash, *this, *this) {
    target.register_b_transport(this, &host_aperture::b_transport);
    target.register_transport_dbg(this, &host_aperture::transport_dbg);
}

void host_aperture::b_transport(tlm::tlm_generic_payload& p, sc_core::sc_time& delay) {
    const std::uint64_t length = p.get_data_length();
    if (!base::plain_access(p, addresses->is_ram(p.get_address(), length))) return;
    if (p.get_command() != tlm::TLM_IGNORE_COMMAND) {
        wait(std::exchange(delay, sc_core::SC_ZERO_TIME));
        transfer t{resets_};
        if (closed_ || !carry_out(p, t)) {
            p.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
            return;
        }
    }
    p.set_response_status(tlm::TLM_OK_RESPONSE);
}

// Returns false if a reset has lost the transfer.
bool host_aperture::carry_out(tlm::tlm_generic_payload& p, transfer& t) {
    each_line(p.get_address(), p.get_data_length(),
              [&](line_t line, unsigned offset, unsigned size, std::uint64_t done) {
                  if (wait_for(line, t))
                      start(line, {&t, p.get_data_ptr() + done, offset, size}, p.is_write());
              });
    while (t.left != 0 && !lost(t)) wait(progress_);
    if (lost(t)) return false;
    const sc_core::sc_time end = clock_.at(t.until);
    wait(end - std::min(end, sc_core::sc_time_stamp()));
    return true;
}

// Waits until it is this process's turn for the line. Returns false if the transfer is lost.
bool host_aperture::wait_for(line_t line, const transfer& t) {
    if (lost(t)) return false;
    const auto mine = queue_.insert(queue_.end(), line);
    while (!lost(t) && (agent_.busy(line) || std::find(queue_.begin(), queue_.end(), line) != mine))
        wait(progress_);
    queue_.erase(mine);
    return !lost(t);
}

void host_aperture::reset() {
    ++resets_;
    agent_.restore({});
    under_way_.clear();
    next_ = 0;
    progress_.notify(sc_core::SC_ZERO_TIME);
}

void host_aperture::close() {
    reset();
    closed_ = true;
}

void host_aperture::start(line_t line, const piece& p, bool write) {
    next_ = std::max(next_, clock_.cycle(sc_core::sc_time_stamp()));
    leaves_ = next_ + latency_;
    next_ += interval_;
    under_way_[line] = p;
    ++p.of->left;
    if (!write) {
        agent_.read(line);
        return;
    }
    coherence::line_data data{};
    std::memcpy(data.data() + p.offset, p.data, p.size);
    agent_.write(line, data, coherence::all_bytes >> (line_bytes - p.size) << p.offset);
}

void host_aperture::receive(const coherence::message& m, base::cycle_t clock) {
    arrived_ = clock;
    agent_.receive(m);
}

void host_aperture::end(line_t line, const coherence::line_data* read) {
    const auto i = under_way_.find(line);
    const piece p = i->second;
    under_way_.erase(i);
    if (read != nullptr) std::memcpy(p.data, read->data() + p.offset, p.size);
    p.of->until = std::max(p.of->until, arrived_ + latency_);
    --p.of->left;
    progress_.notify(sc_core::SC_ZERO_TIME);
}

}  // namespace knc::card
