// Debug accesses of any size by an initiator.
//
// Models: TLM-2.0 debug transactions of at most 1 MB each, one after the other.
// Source: IEEE 1666-2011, 11.3.
#ifndef KNC_BASE_DEBUG_TRANSFER_H
#define KNC_BASE_DEBUG_TRANSFER_H

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <tlm>

namespace knc::base {

// `socket`: an initiator socket. False where a target accepts less than all; what came before it
// has been transferred.
template <class Socket>
bool debug_transfer(Socket& socket, tlm::tlm_command command, std::uint64_t address,
                    unsigned char* data, std::size_t size) {
    constexpr std::size_t largest_transfer = 1 << 20;
    while (size != 0) {
        const std::size_t part = std::min(size, largest_transfer);
        tlm::tlm_generic_payload p;
        p.set_command(command);
        p.set_address(address);
        p.set_data_ptr(data);
        p.set_data_length(static_cast<unsigned>(part));
        p.set_streaming_width(static_cast<unsigned>(part));
        if (socket->transport_dbg(p) != part) return false;
        address += part;
        data += part;
        size -= part;
    }
    return true;
}

template <class Socket>
bool debug_read(Socket& socket, std::uint64_t address, void* to, std::size_t size) {
    return debug_transfer(socket, tlm::TLM_READ_COMMAND, address, static_cast<unsigned char*>(to),
                          size);
}

template <class Socket>
bool debug_write(Socket& socket, std::uint64_t address, const void* from, std::size_t size) {
    // A write does not change its data; the payload has no pointer to const.
    return debug_transfer(socket, tlm::TLM_WRITE_COMMAND, address,
                          const_cast<unsigned char*>(static_cast<const unsigned char*>(from)),
                          size);
}

}  // namespace knc::base

#endif
