// The caches of a Pentium on a bus to memory, in the place of a tile's caches, as a module.
//
// Models: the connections of data_cache, code_cache and bus, which have the logic. Leaves out: the
// same as these. Source: docs/p55c.md.
#ifndef KNC_PENTIUM_MEMORY_SYSTEM_H
#define KNC_PENTIUM_MEMORY_SYSTEM_H

#include <systemc>
#include <tlm_utils/simple_initiator_socket.h>

#include <knc/base/signal.h>
#include <knc/pentium/code_cache.h>
#include <knc/pentium/data_cache.h>

namespace knc::pentium {

class memory_system final : public sc_core::sc_module {
  public:
    // The core's side.
    sc_core::sc_export<cache::l1d_if> l1d{"l1d"};
    sc_core::sc_export<cache::l1i_if> l1i{"l1i"};
    sc_core::sc_port<cache::l1_client_if> client{"client"};
    // Physical addresses. The target must grant direct access to address 0; a refusal is a fatal
    // SystemC error.
    tlm_utils::simple_initiator_socket<memory_system> memory{"memory"};

    memory_system(sc_core::sc_module_name, const parameters&, base::ledger&);

    // The state after power-on: the caches are empty, nothing is under way.
    void reset();
    // Somebody outside reads or writes [paddr, paddr + size), in clock `now` of the core.
    void inquire(std::uint64_t paddr, std::uint64_t size, bool write, base::cycle_t now);

    const bus& front_side_bus() const { return bus_; }
    // When the caches are empty and nothing is under way.
    void serialize(base::archive&);

    void list_signals(const std::string& prefix, base::signal_list&) const;
    // Updates the signals to the state in clock `now`.
    void sample(base::cycle_t now);

  private:
    void start_of_simulation() override;

    const parameters p_;
    bus bus_;
    data_cache data_;
    code_cache code_;
    std::uint64_t busy_ = 0, buffered_ = 0;  // signals
};

}  // namespace knc::pentium

#endif
