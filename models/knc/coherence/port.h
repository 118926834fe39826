// The interface through which the controllers of the coherence protocol send messages.
#ifndef KNC_COHERENCE_PORT_H
#define KNC_COHERENCE_PORT_H

#include <string>

#include <knc/base/clock.h>
#include <knc/coherence/message.h>

namespace knc::coherence {

class port {
  public:
    // Sends the message to `destination`. It arrives in a later call, never inside this one.
    virtual void send(const message&) = 0;
    // A state met an event that cannot happen: an error of the model, never of the guest. The
    // caller drops the message.
    virtual void protocol_error(const std::string& text) = 0;

  protected:
    ~port() = default;
};

// The same for a sender that has a notion of time.
class timed_port {
  public:
    // The message may leave its sender in cycle `leaves` or later.
    virtual void send(const message&, base::cycle_t leaves) = 0;
    virtual void protocol_error(const std::string& text) = 0;

  protected:
    ~timed_port() = default;
};

}  // namespace knc::coherence

#endif
