// The connections of a tile's caches to the other tiles.
//
// Models no hardware. Leaves out: the core (l1_if.h).
#ifndef KNC_CACHE_PORTS_H
#define KNC_CACHE_PORTS_H

#include <string>

#include <knc/base/clock.h>
#include <knc/coherence/message.h>

namespace knc::cache {

// The network between the tiles.
class network {
  public:
    // Sends the message to its destination; it leaves the tile in cycle `leaves`.
    virtual void send(const coherence::message&, base::cycle_t leaves) = 0;
    virtual void protocol_error(const std::string& text) = 0;

  protected:
    ~network() = default;
};

}  // namespace knc::cache

#endif
