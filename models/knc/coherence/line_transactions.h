// The transactions of a slice that is the home of lines, each with the requests that wait for its
// end.
//
// Models: one transaction at a time per line, and a first-in first-out queue of the requests that
// arrive during it. Transactions and requests are in pools and have indices. Leaves out: which line
// a transaction belongs to (the owner's tables). Source: docs/coherence.md.
#ifndef KNC_COHERENCE_LINE_TRANSACTIONS_H
#define KNC_COHERENCE_LINE_TRANSACTIONS_H

#include <cstddef>
#include <cstdint>
#include <vector>

#include <knc/coherence/message.h>
#include <knc/coherence/pool.h>

namespace knc::coherence {

template <class Transaction>
class line_transactions {
  public:
    static constexpr std::uint32_t none = ~std::uint32_t{0};

    // The index of a transaction for which nothing waits. It is new or as an earlier one has left
    // it. The call invalidates references to other transactions.
    std::uint32_t begin() { return busy_.take(); }
    // Nothing waits for it any more.
    void end(std::uint32_t n) { busy_.give_back(n); }
    Transaction& operator[](std::uint32_t n) { return busy_[n].transaction; }
    const Transaction& operator[](std::uint32_t n) const { return busy_[n].transaction; }

    void enqueue(std::uint32_t n, const message& m) {
        const std::uint32_t last = waiting_.take();
        waiting_[last] = {m, none};
        busy& b = busy_[n];
        (b.last != none ? waiting_[b.last].next : b.first) = last;
        b.last = last;
    }
    // Takes the first request of the queue; nullptr if there is none. It is valid until the next
    // request waits.
    const message* dequeue(std::uint32_t n) {
        busy& b = busy_[n];
        if (b.first == none) return nullptr;
        const std::uint32_t first = b.first;
        b.first = waiting_[first].next;
        if (b.first == none) b.last = none;
        waiting_.give_back(first);
        return &waiting_[first].request;
    }
    // Copies it. Returns false if there is none.
    bool dequeue(std::uint32_t n, message& m) {
        const message* const first = dequeue(n);
        if (first != nullptr) m = *first;
        return first != nullptr;
    }
    // Calls visit(request) for each request of the queue, in order of arrival.
    template <class Visit>
    void each_waiting(std::uint32_t n, Visit visit) {
        for (std::uint32_t w = busy_[n].first; w != none; w = waiting_[w].next)
            visit(waiting_[w].request);
    }

    // Transactions; requests that wait.
    std::size_t used() const { return busy_.used(); }
    std::size_t queued() const { return waiting_.used(); }

    // ---- dumps and tests: a transaction with its queue
    void save(std::uint32_t n, Transaction& t, std::vector<message>& queue) const {
        t = busy_[n].transaction;
        for (std::uint32_t w = busy_[n].first; w != none; w = waiting_[w].next)
            queue.push_back(waiting_[w].request);
    }
    std::uint32_t restore(const Transaction& t, const std::vector<message>& queue) {
        const std::uint32_t n = begin();
        busy_[n].transaction = t;
        for (const message& m : queue) enqueue(n, m);
        return n;
    }
    void drop(std::uint32_t n) {
        message dropped;
        while (dequeue(n, dropped)) {
        }
        end(n);
    }
    void clear() {
        busy_.clear();
        waiting_.clear();
    }

  private:
    struct waiting {
        message request;
        std::uint32_t next = none;
    };
    struct busy {
        Transaction transaction;
        std::uint32_t first = none;  // of the queue
        std::uint32_t last = none;
    };

    pool<busy> busy_;
    pool<waiting> waiting_;
};

}  // namespace knc::coherence

#endif
