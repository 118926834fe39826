// The host's memory, which the cards reach through their windows.
//
// Models: one port for each card, a fixed latency, and the number of accesses of each port. Leaves
// out: the links of PCI Express, and contention between the cards.
#ifndef SOC_HOST_MEMORY_H
#define SOC_HOST_MEMORY_H

#include <array>
#include <cstdint>
#include <cstring>
#include <vector>

#include <systemc>
#include <tlm>
#include <tlm_utils/simple_target_socket.h>

class host_memory : public sc_core::sc_module {
  public:
    static constexpr std::size_t ports = 2, bytes = 64 << 10;

    // What a card's socket `system` is bound to.
    struct port {
        port(host_memory& of, const char* name) : memory(of), socket(name) {
            socket.register_b_transport(this, &port::b_transport);
            socket.register_transport_dbg(this, &port::transport_dbg);
        }
        void b_transport(tlm::tlm_generic_payload& p, sc_core::sc_time& delay) {
            ++(p.is_write() ? writes : reads);
            delay += sc_core::sc_time(400, sc_core::SC_NS);
            memory.access(p);
        }
        unsigned transport_dbg(tlm::tlm_generic_payload& p) {
            memory.access(p);
            return p.is_response_ok() ? p.get_data_length() : 0;
        }
        host_memory& memory;
        tlm_utils::simple_target_socket<port> socket;
        std::uint64_t reads = 0, writes = 0;
    };
    std::array<port, ports> port_of;

    explicit host_memory(sc_core::sc_module_name name)
        : sc_module(name), port_of{{{*this, "port0"}, {*this, "port1"}}}, data_(bytes) {}

    std::uint32_t word(std::uint64_t address) const {
        std::uint32_t v = 0;
        std::memcpy(&v, &data_.at(address), sizeof v);
        return v;
    }

  private:
    void access(tlm::tlm_generic_payload& p) {
        const std::uint64_t at = p.get_address(), n = p.get_data_length();
        if (at >= bytes || n > bytes - at) {
            p.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
            return;
        }
        if (p.get_byte_enable_ptr() != nullptr || p.get_streaming_width() < n) {
            p.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
            return;
        }
        if (p.is_write()) std::memcpy(&data_[at], p.get_data_ptr(), n);
        if (p.is_read()) std::memcpy(p.get_data_ptr(), &data_[at], n);
        p.set_response_status(tlm::TLM_OK_RESPONSE);
    }

    std::vector<unsigned char> data_;
};

#endif
