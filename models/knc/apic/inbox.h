// The interrupt messages in flight to one APIC, each with the cycle in which it takes effect.
//
// Models: the order of arrival: by cycle, then by sender, then in the order of sending. The order
// does not depend on when the simulator inserts a message, so results do not depend on the quantum.
// Leaves out: limits on the number of messages.
#ifndef KNC_APIC_INBOX_H
#define KNC_APIC_INBOX_H

#include <cstdint>
#include <map>
#include <utility>

#include <knc/apic/interrupt_message.h>
#include <knc/base/archive_forward.h>
#include <knc/base/clock.h>

namespace knc::apic {

class inbox {
  public:
    // `at`: the cycle in which the message takes effect.
    void push(const interrupt_message& m, base::cycle_t at) {
        queue_.emplace(key{at, m.source_id}, m);
    }
    // The cycle of the earliest message; base::never if there is none.
    base::cycle_t next() const {
        return queue_.empty() ? base::never : queue_.begin()->first.first;
    }
    // Removes the earliest message; there must be one.
    interrupt_message pop() {
        const interrupt_message m = queue_.begin()->second;
        queue_.erase(queue_.begin());
        return m;
    }
    void clear() { queue_.clear(); }
    void serialize(base::archive&);

  private:
    using key = std::pair<base::cycle_t, std::uint16_t>;
    std::multimap<key, interrupt_message> queue_;
};

}  // namespace knc::apic

#endif
