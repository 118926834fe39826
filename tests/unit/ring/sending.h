// Sends messages into a carrier.
#ifndef KNC_TESTS_UNIT_RING_SENDING_H
#define KNC_TESTS_UNIT_RING_SENDING_H

#include <gtest/gtest.h>

#include <knc/coherence/transaction_pool.h>
#include <knc/ring/carrier.h>

namespace ring_test {

using namespace knc;

// The message may leave in cycle `leaves`.
inline void send(ring::carrier& to, coherence::transaction_pool& pool, const coherence::message& m,
                 base::cycle_t leaves) {
    tlm::tlm_generic_payload& p = pool.take(m, leaves);
    ASSERT_TRUE(to.send(p, *p.get_extension<coherence::packet>()));
    p.release();
}

inline coherence::message message_of(coherence::message_kind kind, coherence::node_t from,
                                     coherence::node_t to, coherence::line_t line = 0) {
    coherence::message m;
    m.kind = kind;
    m.source = from;
    m.destination = to;
    m.line = line;
    return m;
}

}  // namespace ring_test

#endif
