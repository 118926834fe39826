// The common base of the two L1 modules of a tile.
//
// Models: the socket to the L2, and the logic, which a reset replaces. Leaves out: the connections
// to the core and to the other L1; each module has its own.
#ifndef KNC_CACHE_L1_MODULE_H
#define KNC_CACHE_L1_MODULE_H

#include <optional>

#include <systemc>

#include <knc/cache/l1_if.h>
#include <knc/cache/l2_link.h>
#include <knc/cache/line_pins.h>
#include <knc/cache/parameters.h>

namespace knc::cache {

// Its interfaces are not private: the modules destroy the virtual bases of one, and the L2 asks the
// object behind its socket for the other.
template <class Logic>
class l1_module : public sc_core::sc_module, public level_backward_if, public level_end_if {
  public:
    level_initiator_socket l2{"l2"};
    // The core.
    sc_core::sc_port<l1_client_if> client{"client"};

    Logic& logic() { return *logic_; }
    const Logic& logic() const { return *logic_; }

  protected:
    // The parameters must be possible; see impossible(). `pins` are those of the tile.
    l1_module(sc_core::sc_module_name name, const parameters& p, base::ledger& ledger,
              line_pins& pins, const base::clock& clock)
        : sc_module(name), link_(l2, clock), p_(p), ledger_(ledger), pins_(pins) {
        renew();
        l2.bind(*this);
    }
    void renew() { logic_.emplace(p_, ledger_, pins_); }

    l2_link link_;
    std::optional<Logic> logic_;  // its address never changes

  private:
    void start_of_simulation() override { link_.start(); }
    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& p, tlm::tlm_phase&,
                                       sc_core::sc_time&) override {
        level_message* const m = message_of(p);
        if (m != nullptr && !execute(*m, p)) p.set_response_status(tlm::TLM_COMMAND_ERROR_RESPONSE);
        return tlm::TLM_COMPLETED;
    }
    void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}

    const parameters p_;
    base::ledger& ledger_;
    line_pins& pins_;
};

}  // namespace knc::cache

#endif
