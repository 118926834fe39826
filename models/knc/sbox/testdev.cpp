#include <knc/sbox/testdev.h>

#include <cstring>

#include <knc/sbox/uart_registers.h>

namespace knc::sbox {

testdev::testdev(sc_core::sc_module_name name) : sc_module(name) {
    target.register_b_transport(this, &testdev::b_transport);
    target.register_transport_dbg(this, &testdev::transport_dbg);
}

void testdev::b_transport(tlm::tlm_generic_payload& p, sc_core::sc_time&) {
    const std::uint64_t offset = p.get_address();
    const unsigned size = p.get_data_length();
    if (p.get_byte_enable_ptr() != nullptr) {
        p.set_response_status(tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
        return;
    }
    if (offset < uart_registers::count) {
        if (size != 1) {
            p.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
            return;
        }
        if (p.is_write())
            uart->write(static_cast<unsigned>(offset), *p.get_data_ptr());
        else
            *p.get_data_ptr() = uart->read(static_cast<unsigned>(offset));
        p.set_response_status(tlm::TLM_OK_RESPONSE);
        return;
    }
    if (offset != exit_register && offset != marker_register && offset != fast_forward_register) {
        p.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
        return;
    }
    std::uint32_t value = 0;
    if (size != sizeof value || !p.is_write()) {
        p.set_response_status(p.is_write() ? tlm::TLM_BURST_ERROR_RESPONSE
                                           : tlm::TLM_COMMAND_ERROR_RESPONSE);
        return;
    }
    std::memcpy(&value, p.get_data_ptr(), sizeof value);
    if (offset == exit_register) {
        run->exit(value);
    } else if (offset == fast_forward_register) {
        run->fast_forward(value != 0);
    } else {
        marker_ = value;
        ++markers_;
        run->marker(value);
    }
    p.set_response_status(tlm::TLM_OK_RESPONSE);
}

unsigned testdev::transport_dbg(tlm::tlm_generic_payload& p) {
    if (!p.is_read()) return 0;
    unsigned n = 0;
    for (; n < p.get_data_length() && p.get_address() + n < uart_registers::count; ++n)
        p.get_data_ptr()[n] = uart->peek(static_cast<unsigned>(p.get_address() + n));
    return n;
}

}  // namespace knc::sbox
