// The card's physical address map: RAM with device pages over it.
//
// Models: routing by address to RAM or to the device mapped there, with addresses relative to the
// target. Devices lie in the hole that RAM has below 4 GB. An address without a target gets
// TLM_ADDRESS_ERROR_RESPONSE. Direct memory access is granted to RAM as a whole; its user must not
// use it for the hole. Leaves out: time.
#ifndef KNC_CARD_ROUTER_H
#define KNC_CARD_ROUTER_H

#include <cstdint>
#include <memory>
#include <vector>

#include <systemc>
#include <tlm>
#include <tlm_utils/multi_passthrough_target_socket.h>
#include <tlm_utils/simple_initiator_socket.h>

#include <knc/card/ports.h>

namespace knc::card {

class router : public sc_core::sc_module, public address_map_if {
  public:
    using target_socket = tlm::tlm_base_target_socket_b<>;

    tlm_utils::multi_passthrough_target_socket<router> in{"in"};

    // RAM is at 0 .. ram_size - 1, except [base::hole_start, base::hole_end).
    router(sc_core::sc_module_name, target_socket& ram, std::uint64_t ram_size);

    // `device` is at start .. start + size - 1, within the hole or beyond RAM. Called before
    // elaboration ends; a range that overlaps another is a fatal SystemC error.
    void map(std::uint64_t start, std::uint64_t size, target_socket& device);
    // The device at `of` is at `start`, too.
    void map_again(std::uint64_t start, std::uint64_t of);

    // address_map_if
    bool is_ram(std::uint64_t address, std::uint64_t size) const override;

  private:
    struct range {
        std::uint64_t start, end;  // [start, end)
        std::shared_ptr<tlm_utils::simple_initiator_socket<router>> out;
    };

    const range* find(std::uint64_t address) const;
    void check(std::uint64_t start, std::uint64_t end) const;
    void add(std::uint64_t start, std::uint64_t end, target_socket&);
    void b_transport(int, tlm::tlm_generic_payload&, sc_core::sc_time&);
    unsigned transport_dbg(int, tlm::tlm_generic_payload&);
    bool get_direct_mem_ptr(int, tlm::tlm_generic_payload&, tlm::tlm_dmi&);

    std::vector<range> ranges_;
};

}  // namespace knc::card

#endif
