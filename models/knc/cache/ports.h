// What the caches of a tile are connected to, beside the core (l1_if.h).
#ifndef KNC_CACHE_PORTS_H
#define KNC_CACHE_PORTS_H

#include <string>

#include <knc/base/clock.h>
#include <knc/coherence/message.h>

namespace knc::cache {

// What lies between tiles.
class network {
  public:
    // Takes the message to its destination; it leaves the tile in cycle `leaves`.
    virtual void send(const coherence::message&, base::cycle_t leaves) = 0;
    virtual void protocol_error(const std::string& text) = 0;

  protected:
    ~network() = default;
};

}  // namespace knc::cache

#endif
