// The interface between the scheduler of a card and the parts that run on the card's clock.
//
// Models no hardware. A part runs in temporal decoupling: it keeps a cycle of its own, and the
// scheduler limits how far it may run.
#ifndef KNC_BASE_CLOCKED_IF_H
#define KNC_BASE_CLOCKED_IF_H

#include <systemc>

#include <knc/base/clock.h>

namespace knc::base {

// A next activity that has to be computed anew.
inline constexpr cycle_t not_known = never - 1;

struct clocked_if : virtual sc_core::sc_interface {
    // The first cycle from now() on in which the part may act without a message from outside;
    // base::never if there is none.
    virtual cycle_t next_activity() const = 0;
    // Runs the cycles [now(), until). A part that sends something outside may stop earlier.
    virtual void run(cycle_t until) = 0;
    // The first cycle that has not been run.
    virtual cycle_t now() const = 0;
};

// Asks the scheduler to let SystemC time catch up with the parts that run ahead of it.
struct synchronize_if : virtual sc_core::sc_interface {
    // Something waits for a SystemC process: no part begins another quantum before that has run.
    virtual void synchronize() = 0;
};

// A part that works in SystemC processes.
struct pending_if : virtual sc_core::sc_interface {
    // The first cycle in which it may act; a result may reach a tile the device latency later. A
    // cycle in the past stands for the present one; base::never: there is nothing to do.
    virtual cycle_t pending_from() const = 0;
};

}  // namespace knc::base

#endif
