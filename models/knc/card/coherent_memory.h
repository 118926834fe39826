// The card's memory as seen by whoever has no cache: host, loader, debugger, report.
//
// Models: the value of each line wherever it is - caches, messages under way, memory - read and
// written without the machine noticing: no state, event or time changes. A write reaches every
// copy, and what was decoded from it is void. Leaves out: time and the ring's part in an access of
// the host, whose b_transport is answered at once.
// Source: docs/coherence.md, "Debug accesses".
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
    // Physical addresses 0 .. size of the memory - 1; beyond: TLM_ADDRESS_ERROR_RESPONSE.
    tlm_utils::simple_target_socket<coherent_memory> target{"target"};
    // To the memory proper.
    tlm_utils::simple_initiator_socket<coherent_memory> store{"store"};

    // `size` of the memory in bytes.
    coherent_memory(sc_core::sc_module_name, std::uint64_t size, network&,
                    std::vector<std::unique_ptr<tile>>&, isa::code_map&);

  private:
    void end_of_elaboration() override;
    void b_transport(tlm::tlm_generic_payload&, sc_core::sc_time&);
    unsigned transport_dbg(tlm::tlm_generic_payload&);
    bool get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi&);
    // The bytes [address, address + size) lie in the memory.
    void access(std::uint64_t address, std::uint64_t size, std::uint8_t* data, bool write);
    void access_line(coherence::line_t, unsigned offset, unsigned size, std::uint8_t* data,
                     bool write);

    const std::uint64_t size_;
    network& network_;
    std::vector<std::unique_ptr<tile>>& tiles_;
    isa::code_map& code_;
    bool past_network_ = false;  // some L2 has lines that the network knows nothing of
};

}  // namespace knc::card

#endif
