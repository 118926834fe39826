#include <knc/sbox/sbox.h>

#include <algorithm>
#include <cstring>

#include <knc/base/access.h>

namespace knc::sbox {

namespace {

constexpr std::uint32_t width = sizeof(std::uint32_t);

}  // namespace

sbox::sbox(sc_core::sc_module_name name, const identity& card)
    : sc_module(name), clock_(card.clock_hz), registers_(card, *this) {
    target.register_b_transport(this, &sbox::b_transport);
    target.register_transport_dbg(this, &sbox::transport_dbg);
    SC_HAS_PROCESS(sbox);
    SC_METHOD(take_arrivals);
    sensitive << arrival_due_;
    dont_initialize();
    SC_METHOD(drive_line);
    sensitive << line_due_;
    dont_initialize();
}

void sbox::b_transport(tlm::tlm_generic_payload& p, sc_core::sc_time& delay) {
    const unsigned size = p.get_data_length();
    const auto* who = p.get_extension<base::access>();
    const base::cycle_t now =
        who != nullptr ? who->cycle : clock_.cycle(sc_core::sc_time_stamp() + delay);
    if (p.get_byte_enable_ptr() != nullptr)
        p.set_response_status(tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
    else if ((size != width && size != 2 * width) || p.get_address() % size != 0 ||
             p.get_streaming_width() < size)
        p.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
    else if (p.get_command() == tlm::TLM_IGNORE_COMMAND || access(p, now))
        p.set_response_status(tlm::TLM_OK_RESPONSE);
    else
        p.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    line_due_.notify(sc_core::SC_ZERO_TIME);
}

// Returns false and does nothing if a part of the access has no register.
bool sbox::access(tlm::tlm_generic_payload& p, base::cycle_t now) {
    const unsigned size = p.get_data_length();
    if (p.get_address() >= block_size) return false;
    const auto first = static_cast<std::uint32_t>(p.get_address());
    for (std::uint32_t n = 0; n < size; n += width)
        if (!register_table().find(first + n)) return false;
    for (std::uint32_t n = size; n > 0; n -= width) {
        unsigned char* const data = p.get_data_ptr() + n - width;
        std::uint32_t value = 0;
        if (p.is_write()) {
            std::memcpy(&value, data, width);
            registers_.write(first + n - width, value, now);
        } else {
            registers_.read(first + n - width, value, now);
            std::memcpy(data, &value, width);
        }
    }
    return true;
}

// Stops at the first byte without a register.
unsigned sbox::transport_dbg(tlm::tlm_generic_payload& p) {
    if (!p.is_read()) return 0;
    const base::cycle_t now = clock_.cycle(sc_core::sc_time_stamp());
    unsigned done = 0;
    for (; done < p.get_data_length(); ++done) {
        const std::uint64_t at = p.get_address() + done;
        std::uint32_t value = 0;
        if (at >= block_size ||
            !registers_.read(static_cast<std::uint32_t>(at / width * width), value, now))
            break;
        p.get_data_ptr()[done] = static_cast<unsigned char>(value >> 8 * (at % width));
    }
    return done;
}

void sbox::arrive(const arrival& a) {
    arrivals_.insert(a);
    schedule();
}

void sbox::reset() {
    arrivals_.clear();
    arrival_due_.cancel();
    registers_.reset(clock_.cycle(sc_core::sc_time_stamp()));
    line_due_.notify(sc_core::SC_ZERO_TIME);
}

void sbox::schedule() {
    if (arrivals_.empty()) return;
    const sc_core::sc_time at = clock_.at(arrivals_.begin()->at);
    arrival_due_.notify(at - std::min(at, sc_core::sc_time_stamp()));
}

void sbox::take_arrivals() {
    while (!arrivals_.empty() && clock_.at(arrivals_.begin()->at) <= sc_core::sc_time_stamp()) {
        const arrival a = *arrivals_.begin();
        arrivals_.erase(arrivals_.begin());
        if (a.edge) {
            registers_.set_pin(a.number, true, a.at);
            registers_.set_pin(a.number, false, a.at);
        } else {
            registers_.end_of_interrupt(a.number, a.at);
        }
    }
    schedule();
}

void sbox::drive_line() {
    if (host_interrupt.size() != 0) host_interrupt->write(registers_.host_interrupt());
}

}  // namespace knc::sbox
