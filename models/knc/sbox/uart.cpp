#include <knc/sbox/uart.h>

#include <algorithm>

namespace knc::sbox {

uart::uart(sc_core::sc_module_name name, const base::clock& clock, const uart_parameters& p)
    : sc_module(name), clock_(clock), registers_(p, *this) {
    SC_HAS_PROCESS(uart);
    SC_METHOD(run);
    sensitive << due_;
}

std::uint8_t uart::read(unsigned offset) {
    const std::uint8_t value = registers_.read(offset, now());
    schedule();
    return value;
}

void uart::write(unsigned offset, std::uint8_t value) {
    registers_.write(offset, value, now());
    schedule();
}

void uart::input_ready() {
    registers_.input_ready(now());
    schedule();
}

void uart::reset() {
    registers_.reset(now());
    schedule();
}

void uart::run() {
    registers_.run(now());
    schedule();
}

void uart::schedule() {
    const base::cycle_t next = registers_.next_activity();
    if (next == scheduled_) return;
    scheduled_ = next;
    due_.cancel();
    if (next == base::never) return;
    const sc_core::sc_time at = clock_.at(next);
    due_.notify(at - std::min(at, sc_core::sc_time_stamp()));
}

}  // namespace knc::sbox
