// The L1 code cache of a tile as a module.
//
// Models: the connections of l1_code, which has the logic. Leaves out: the same as l1_code. Source:
// docs/hierarchy.md.
#ifndef KNC_CACHE_L1I_H
#define KNC_CACHE_L1I_H

#include <systemc>

#include <knc/cache/l1_code.h>
#include <knc/cache/l1_module.h>

namespace knc::cache {

class l1i final : public l1_module<l1_code> {
  public:
    // Towards the core.
    sc_core::sc_export<l1i_if> core{"core"};
    // Towards the L1 data cache.
    sc_core::sc_export<l1i_copies_if> copies{"copies"};
    sc_core::sc_port<l1d_stores_if> data{"data"};

    // See l1_module.
    l1i(sc_core::sc_module_name, const parameters&, base::ledger&, line_pins& pins,
        const base::clock&);

    // The state after power-on: all lines are lost. Called after elaboration, and after
    // l1d::reset().
    void reset();

  private:
    void end_of_elaboration() override { connect(); }
    void connect() { logic_->connect(*client.operator->(), link_, *data.operator->()); }
    bool execute(level_message&, tlm::tlm_generic_payload&) override;
};

}  // namespace knc::cache

#endif
