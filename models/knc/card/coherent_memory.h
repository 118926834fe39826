// The card's memory for agents without a cache: host, loader, debugger, report.
//
// Models: access to the present value of each line, wherever it is (caches, messages in flight,
// memory), without any effect on state, events or time. A write changes every copy and invalidates
// the code decoded from it. Leaves out: the time of a host's access on the ring; b_transport
// completes at once. Source: docs/coherence.md, "Debug accesses".
#ifndef KNC_CARD_COHERENT_MEMORY_H
#define KNC_CARD_COHERENT_MEMORY_H

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include <systemc>
#include <tlm>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <knc/card/network.h>
#include <knc/card/tile.h>
#include <knc/isa/code_map.h>

namespace knc::card {

class coherent_memory : public sc_core::sc_module {
  public:
    // Physical addresses 0 .. size of the memory - 1; beyond them: TLM_ADDRESS_ERROR_RESPONSE.
    tlm_utils::simple_target_socket<coherent_memory> target{"target"};
    // To the memory itself.
    tlm_utils::simple_initiator_socket<coherent_memory> store{"store"};

    // `size` of the memory in bytes.
    coherent_memory(sc_core::sc_module_name, std::uint64_t size, network&,
                    std::vector<std::unique_ptr<tile>>&, isa::code_map&);

    // Writes the present values of these lines to the memory, behind all caches.
    void write_back(const std::vector<coherence::line_t>&);

  private:
    void end_of_elaboration() override;
    void b_transport(tlm::tlm_generic_payload&, sc_core::sc_time&);
    unsigned transport_dbg(tlm::tlm_generic_payload&);
    bool get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi&);
    // [address, address + size) must lie in the memory.
    void access(std::uint64_t address, std::uint64_t size, std::uint8_t* data, bool write);
    void access_store(std::uint64_t address, unsigned size, std::uint8_t* data, bool write);
    void access_line(coherence::line_t, unsigned offset, unsigned size, std::uint8_t* data,
                     bool write);

    const std::uint64_t size_;
    network& network_;
    std::vector<std::unique_ptr<tile>>& tiles_;
    isa::code_map& code_;
    bool past_network_ = false;  // an L2 without a socket to the network has lines
};

}  // namespace knc::card

#endif
