// A GDDR5 memory controller at its stop of the ring, as a module.
//
// Models: memory_stop, with a socket towards the ring (knc/coherence/types.h). The ring runs its
// cycles (ring::ring::clocked). Leaves out: the same as memory_stop. Source: docs/hierarchy.md.
#ifndef KNC_CARD_CONTROLLER_H
#define KNC_CARD_CONTROLLER_H

#include <string>

#include <systemc>

#include <knc/base/archive_forward.h>
#include <knc/base/clock.h>
#include <knc/base/clocked_if.h>
#include <knc/card/memory_stop.h>
#include <knc/coherence/endpoint.h>
#include <knc/coherence/network_if.h>

namespace knc::card {

class controller : public sc_core::sc_module, coherence::endpoint::owner {
  public:
    coherence::endpoint network;
    sc_core::sc_export<base::clocked_if> clocked{"clocked"};
    coherence::error_port errors{"errors"};

    // `number` is its index. The store has the bytes of the memory.
    controller(sc_core::sc_module_name, unsigned number, const memory::controller_parameters&,
               const coherence::address_hash&, coherence::line_store&, const base::clock&);

    void reset() { memory_.reset(); }
    void serialize(base::archive& a) { memory_.serialize(a); }

    memory_stop& logic() { return memory_; }
    const memory_stop& logic() const { return memory_; }

  private:
    // coherence::endpoint::owner
    void receive(const coherence::message& m, base::cycle_t t) override { memory_.receive(m, t); }
    void expect(const coherence::message& m) const override { memory_.expect(m.line); }
    void protocol_error(const std::string&) override;

    memory_stop memory_;
};

}  // namespace knc::card

#endif
