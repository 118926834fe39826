// An initiator socket with functions that read and write, and wait until the access has ended.
#ifndef SOC_LINK_H
#define SOC_LINK_H

#include <cstdint>
#include <cstring>

#include <systemc>
#include <tlm>
#include <tlm_utils/simple_initiator_socket.h>

class link {
  public:
    explicit link(const char* name) : socket_(name) {}

    template <typename Target>
    void bind(Target& target) {
        socket_.bind(target);
    }
    // Whether the target has carried it out.
    bool write(std::uint64_t address, std::uint64_t v, unsigned size) {
        return write_block(address, &v, size);
    }
    bool read(std::uint64_t address, std::uint64_t& v, unsigned size) {
        v = 0;
        return access(tlm::TLM_READ_COMMAND, address, &v, size);
    }
    bool write_block(std::uint64_t address, const void* data, std::size_t size) {
        return access(tlm::TLM_WRITE_COMMAND, address, const_cast<void*>(data), size);
    }
    bool read_block(std::uint64_t address, void* data, std::size_t size) {
        return access(tlm::TLM_READ_COMMAND, address, data, size);
    }

  private:
    bool access(tlm::tlm_command command, std::uint64_t address, void* data, std::size_t size) {
        tlm::tlm_generic_payload p;
        p.set_command(command);
        p.set_address(address);
        p.set_data_ptr(static_cast<unsigned char*>(data));
        p.set_data_length(static_cast<unsigned>(size));
        p.set_streaming_width(static_cast<unsigned>(size));
        sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
        socket_->b_transport(p, delay);
        sc_core::wait(delay);
        return p.is_response_ok();
    }

    tlm_utils::simple_initiator_socket<link> socket_;
};

#endif
