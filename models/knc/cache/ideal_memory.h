// Memory that responds in the cycle of the access, instead of caches, as a module.
//
// Models: the connections of direct_memory, which has the logic. Leaves out: the same as
// direct_memory. Source: docs/architecture.md, "Decisions".
#ifndef KNC_CACHE_IDEAL_MEMORY_H
#define KNC_CACHE_IDEAL_MEMORY_H

#include <systemc>
#include <tlm_utils/simple_initiator_socket.h>

#include <knc/cache/direct_memory.h>
#include <knc/cache/l1_if.h>

namespace knc::cache {

class ideal_memory final : public sc_core::sc_module {
  public:
    // The core's side.
    sc_core::sc_export<l1d_if> l1d{"l1d"};
    sc_core::sc_export<l1i_if> l1i{"l1i"};
    sc_core::sc_port<l1_client_if> client{"client"};
    // Physical addresses. The target must grant direct access to address 0; a refusal is a fatal
    // SystemC error.
    tlm_utils::simple_initiator_socket<ideal_memory> memory{"memory"};

    explicit ideal_memory(sc_core::sc_module_name);

  private:
    void start_of_simulation() override;

    direct_memory logic_;
};

}  // namespace knc::cache

#endif
