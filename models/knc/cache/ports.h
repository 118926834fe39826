// What the caches of a tile are connected to.
#ifndef KNC_CACHE_PORTS_H
#define KNC_CACHE_PORTS_H

#include <array>
#include <cstdint>
#include <string>

#include <knc/base/clock.h>
#include <knc/coherence/message.h>

namespace knc::cache {

// The core: who uses lines and waits for them. No call may lead back into the caches.
class client {
  public:
    // The line, handed out at `host`, may not be written, or not be accessed, any more without
    // asking again.
    virtual void data_not_writable(coherence::line_t, const std::uint8_t* host) = 0;
    virtual void data_lost(coherence::line_t, const std::uint8_t* host) = 0;
    // Another copy of the line was, or is about to be, written: what was fetched from it is void.
    virtual void code_lost(coherence::line_t) = 0;
    // What the thread waits for is there, or worth another try, from `clock` on.
    virtual void wake(unsigned thread, base::cycle_t clock) = 0;
    // The last store of the thread's store buffer has been performed.
    virtual void stores_performed(unsigned thread) = 0;
    // A waiting store has been performed.
    virtual void stored(std::uint64_t paddr, unsigned size) = 0;
    // The line has decoded code in it.
    virtual bool holds_code(coherence::line_t) const = 0;
    // The answer to an uncached access, at `clock`.
    virtual void uncached_done(unsigned thread, std::uint32_t ticket,
                               const std::array<std::uint8_t, 8>& data, base::cycle_t clock) = 0;

  protected:
    ~client() = default;
};

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
