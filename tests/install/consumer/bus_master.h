// A minimal processor model of a foreign design: it makes TLM-2.0 accesses and nothing else.
#ifndef CONSUMER_BUS_MASTER_H
#define CONSUMER_BUS_MASTER_H

#include <cstdint>
#include <cstring>
#include <iostream>

#include <systemc>
#include <tlm>
#include <tlm_utils/simple_initiator_socket.h>

class bus_master : public sc_core::sc_module {
  public:
    tlm_utils::simple_initiator_socket<bus_master> socket{"socket"};

    explicit bus_master(sc_core::sc_module_name name) : sc_module(name) {}

    // `size` bytes at `address`; the answer's status. Waits the time the target asks for.
    tlm::tlm_response_status write(std::uint64_t address, std::uint64_t value, unsigned size) {
        return access(tlm::TLM_WRITE_COMMAND, address, value, size);
    }
    tlm::tlm_response_status read(std::uint64_t address, std::uint64_t& value, unsigned size) {
        value = 0;
        return access(tlm::TLM_READ_COMMAND, address, value, size);
    }

  private:
    tlm::tlm_response_status access(tlm::tlm_command command, std::uint64_t address,
                                    std::uint64_t& value, unsigned size) {
        unsigned char data[8] = {};
        std::memcpy(data, &value, size);
        tlm::tlm_generic_payload p;
        p.set_command(command);
        p.set_address(address);
        p.set_data_ptr(data);
        p.set_data_length(size);
        p.set_streaming_width(size);
        sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
        socket->b_transport(p, delay);
        wait(delay);
        std::memcpy(&value, data, size);
        return p.get_response_status();
    }
};

// Counts what was not as expected; the program's exit status.
inline int failures = 0;
inline void expect(bool holds, const char* what) {
    if (holds) return;
    std::cerr << "FAIL: " << what << " at " << sc_core::sc_time_stamp() << '\n';
    ++failures;
}

#endif
