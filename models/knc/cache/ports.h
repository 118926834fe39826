// What the caches of a tile are connected to.
#ifndef KNC_CACHE_PORTS_H
#define KNC_CACHE_PORTS_H

#include <string>

#include <knc/base/clock.h>
#include <knc/cache/l1_if.h>
#include <knc/coherence/message.h>

namespace knc::cache {

// The core. Its interface is in l1_if.h.
using client = l1_client_if;

// What lies between tiles.
class network {
  public:
    // Takes the message to its destination; it leaves the tile at clock `leaves`.
    virtual void send(const coherence::message&, base::cycle_t leaves) = 0;
    virtual void protocol_error(const std::string& text) = 0;

  protected:
    ~network() = default;
};

}  // namespace knc::cache

#endif
