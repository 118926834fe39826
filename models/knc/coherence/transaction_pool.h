// The transactions of whoever sends coherence messages, used again and again.
//
// Models no hardware. A message is copied into its transaction once; from then on a pointer
// travels. A transaction comes back when the last who holds it releases it. What has reached its
// size allocates nothing.
#ifndef KNC_COHERENCE_TRANSACTION_POOL_H
#define KNC_COHERENCE_TRANSACTION_POOL_H

#include <cstddef>
#include <deque>
#include <vector>

#include <tlm>

#include <knc/coherence/types.h>

namespace knc::coherence {

// Must outlive what it sends.
class transaction_pool final : tlm::tlm_mm_interface {
  public:
    transaction_pool() = default;
    transaction_pool(const transaction_pool&) = delete;
    transaction_pool& operator=(const transaction_pool&) = delete;

    // A transaction with this message, which the caller holds: release() gives it back.
    tlm::tlm_generic_payload& take(const message&, base::cycle_t);
    // Transactions somebody holds.
    std::size_t in_use() const { return in_use_; }

  private:
    struct entry final : tlm::tlm_generic_payload {
        explicit entry(transaction_pool&);
        ~entry() override { clear_extension<packet>(); }

        packet sent;
    };

    void free(tlm::tlm_generic_payload*) override;

    std::deque<entry> entries_;
    std::vector<entry*> free_;  // of the entries nobody holds
    std::size_t in_use_ = 0;
};

}  // namespace knc::coherence

#endif
