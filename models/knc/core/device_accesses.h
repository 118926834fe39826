// The uncached accesses of one thread's present instruction.
//
// Models: an instruction that waits for a response executes again from its start. Accesses that
// have been answered are then replayed in order, not made again. Leaves out: the transport to the
// device and back (knc/core/load_store_unit.h). Source: docs/architecture.md, "The core".
#ifndef KNC_CORE_DEVICE_ACCESSES_H
#define KNC_CORE_DEVICE_ACCESSES_H

#include <cstddef>
#include <cstdint>
#include <vector>

#include <knc/base/archive_forward.h>
#include <knc/core/ports.h>

namespace knc::core {

class device_accesses {
  public:
    // The next access of the instruction, if it has been answered; nullptr if it must be made.
    const device_request* replay() {
        return replayed_ < answered_.size() ? &answered_[replayed_++] : nullptr;
    }
    // The access leaves the thread, with a ticket of its own.
    void post(device_request& r) {
        ticket_ = ticket_ % most_tickets + 1;
        r.ticket = ticket_;
        outstanding_ = r;
    }
    // The access was made and answered inside the attempt.
    void made(const device_request& r) {
        answered_.push_back(r);
        replayed_ = answered_.size();
    }
    // The access posted with `ticket` has been answered. Returns false if no access waits for it
    // (INIT came in between).
    bool answer(std::uint32_t ticket, const device_data& data) {
        if (ticket != ticket_ || !waiting()) return false;
        outstanding_.data = data;
        answered_.push_back(outstanding_);
        outstanding_.ticket = 0;
        return true;
    }

    bool waiting() const { return outstanding_.ticket != 0; }
    // Accesses of the present instruction have taken effect. So it must complete before any event,
    // or they would be made twice.
    bool has_answers() const { return !answered_.empty(); }

    // The instruction executes again from its start.
    void restart() { replayed_ = 0; }
    // The instruction retired or faulted: nothing is left to replay.
    void forget() {
        answered_.clear();
        replayed_ = 0;
        outstanding_.ticket = 0;
    }
    void serialize(base::archive&);

  private:
    std::uint32_t ticket_ = 0;
    device_request outstanding_;            // ticket 0: none
    std::vector<device_request> answered_;  // of the present instruction, in order
    std::size_t replayed_ = 0;
};

}  // namespace knc::core

#endif
