#include <knc/sbox/pc_ports.h>

#include <cstring>

#include <knc/sbox/uart_registers.h>

namespace knc::sbox {

pc_ports::pc_ports(sc_core::sc_module_name name) : sc_module(name) {
    target.register_b_transport(this, &pc_ports::b_transport);
}

void pc_ports::b_transport(tlm::tlm_generic_payload& p, sc_core::sc_time&) {
    const std::uint64_t port = p.get_address();
    const unsigned size = p.get_data_length();
    if (p.get_byte_enable_ptr() != nullptr) {
        p.set_response_status(tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
    } else if (size != 1 && size != 2 && size != 4) {
        p.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
    } else if (port == exit_port) {
        p.set_response_status(access_exit(p));
    } else if (port >= sleep_port && port + size <= sleep_port + 2) {
        p.set_response_status(access_sleep(p));
    } else if (size == 1 && (port == clock_port || port == clock_port + 1)) {
        p.set_response_status(access_clock(p));
    } else if (port >= uart_port && port + size <= uart_port + uart_registers::count) {
        p.set_response_status(access_uart(p));
    } else {
        p.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    }
}

tlm::tlm_response_status pc_ports::access_uart(tlm::tlm_generic_payload& p) {
    const auto first = static_cast<unsigned>(p.get_address() - uart_port);
    for (unsigned n = 0; n < p.get_data_length(); ++n) {
        if (p.is_write())
            uart->write(first + n, p.get_data_ptr()[n]);
        else
            p.get_data_ptr()[n] = uart->read(first + n);
    }
    return tlm::TLM_OK_RESPONSE;
}

tlm::tlm_response_status pc_ports::access_exit(tlm::tlm_generic_payload& p) {
    if (!p.is_write()) return tlm::TLM_COMMAND_ERROR_RESPONSE;
    std::uint32_t value = 0;
    std::memcpy(&value, p.get_data_ptr(), p.get_data_length());
    run->exit(2 * value + 1);
    return tlm::TLM_OK_RESPONSE;
}

// Both registers read 0: the machine never wakes.
tlm::tlm_response_status pc_ports::access_sleep(tlm::tlm_generic_payload& p) {
    if (p.is_read()) {
        std::memset(p.get_data_ptr(), 0, p.get_data_length());
    } else if (p.get_address() == sleep_port) {
        const std::uint8_t value = *p.get_data_ptr();
        if ((value & sleep_enable) != 0 && (value & sleep_type) == soft_off) run->exit(0);
    }
    return tlm::TLM_OK_RESPONSE;
}

// The index can only be written. Data that are written are lost: nobody sets the clock.
tlm::tlm_response_status pc_ports::access_clock(tlm::tlm_generic_payload& p) {
    std::uint8_t& data = *p.get_data_ptr();
    const bool index = p.get_address() == clock_port;
    if (p.is_write()) {
        if (index) clock_.select(data);
    } else {
        data = index
                   ? 0xff
                   : clock_.read(static_cast<std::uint64_t>(sc_core::sc_time_stamp().to_seconds()));
    }
    return tlm::TLM_OK_RESPONSE;
}

}  // namespace knc::sbox
