// The pool of transactions of a sender of coherence messages.
//
// Models no hardware. A message is copied into its transaction once; after that only a pointer
// travels. A transaction returns to the pool when its last user releases it. A pool that has
// reached its final size allocates no memory. Source: TLM-2.0 memory management, IEEE 1666-2011.
#ifndef KNC_COHERENCE_TRANSACTION_POOL_H
#define KNC_COHERENCE_TRANSACTION_POOL_H

#include <cstddef>
#include <deque>
#include <vector>

#include <tlm>

#include <knc/coherence/types.h>

namespace knc::coherence {

// Must outlive the transactions in flight.
class transaction_pool final : tlm::tlm_mm_interface {
  public:
    transaction_pool() = default;
    transaction_pool(const transaction_pool&) = delete;
    transaction_pool& operator=(const transaction_pool&) = delete;

    struct transaction final : tlm::tlm_generic_payload {
        explicit transaction(transaction_pool&);
        ~transaction() override { clear_extension<packet>(); }

        packet sent;
    };

    // A transaction with this message, acquired for the caller. release() returns it.
    transaction& take(const message&, base::cycle_t);
    // The number of acquired transactions.
    std::size_t in_use() const { return in_use_; }

  private:
    void free(tlm::tlm_generic_payload*) override;

    std::deque<transaction> all_;
    std::vector<transaction*> free_;  // those not in use
    std::size_t in_use_ = 0;
};

}  // namespace knc::coherence

#endif
