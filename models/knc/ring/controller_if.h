// A memory controller at its stop, as the ring runs it.
//
// Models no hardware; it is the interface only.
#ifndef KNC_RING_CONTROLLER_IF_H
#define KNC_RING_CONTROLLER_IF_H

#include <knc/base/clock.h>
#include <knc/base/clocked_if.h>
#include <knc/coherence/message.h>

namespace knc::ring {

struct controller_if : base::clocked_if {
    // A message arrives now. Whether the controller may receive it after it has run for up to
    // `cycles` more, with everything as if it received the message now.
    virtual bool may_wait(const coherence::message&, base::cycle_t /*cycles*/) const {
        return false;
    }
    // For how many cycles may_wait() is true of a message without data, in whatever state.
    virtual base::cycle_t latest() const { return 0; }
    // Whether nothing of it leaves before cycle `until` any more, unless a message arrives that may
    // not wait. It then need not run before that cycle.
    virtual bool may_run_late(base::cycle_t /*until*/) const { return false; }
    // As run(until). What leaves later and cannot change any more may leave it now.
    virtual void run_ahead(base::cycle_t until) { run(until); }
};

}  // namespace knc::ring

#endif
