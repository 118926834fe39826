// The protocol of the coherence sockets: what can be bound, and what a transaction must be.
#include <knc/coherence/types.h>

#include <type_traits>
#include <utility>

#include <gtest/gtest.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <knc/coherence/annotation.h>
#include <knc/coherence/transaction_pool.h>

namespace knc::coherence::test {
namespace {

template <class From, class To, class = void>
struct can_bind : std::false_type {};
template <class From, class To>
struct can_bind<From, To, std::void_t<decltype(std::declval<From&>().bind(std::declval<To&>()))>>
    : std::true_type {};

struct somebody {};
using base_initiator = tlm_utils::simple_initiator_socket<somebody>;
using base_target = tlm_utils::simple_target_socket<somebody>;

static_assert(can_bind<initiator_socket, target_socket>::value);
static_assert(can_bind<base_initiator, base_target>::value);
// The base protocol does not fit, even at the same width.
static_assert(!can_bind<initiator_socket, base_target>::value);
static_assert(!can_bind<base_initiator, target_socket>::value);
static_assert(!can_bind<initiator_socket, tlm::tlm_target_socket<socket_width>>::value);
static_assert(!can_bind<tlm::tlm_initiator_socket<socket_width>, target_socket>::value);

message of_line(line_t line) {
    message m;
    m.kind = message_kind::get_s;
    m.line = line;
    return m;
}

TEST(transaction_pool, makes_what_the_protocol_asks_for) {
    transaction_pool pool;
    message m = of_line(5);
    m.data[9] = 0x99;
    tlm::tlm_generic_payload& p = pool.take(m, 77);
    const packet* const k = sent_packet(p, tlm::BEGIN_REQ);
    ASSERT_NE(k, nullptr);
    EXPECT_EQ(k->cycle, 77u);
    EXPECT_EQ(k->content.line, 5u);
    EXPECT_EQ(p.get_address(), 5u * 64);
    EXPECT_EQ(p.get_data_ptr()[9], 0x99);
    p.release();
}

// A transaction comes back when its last holder releases it, and is used again.
TEST(transaction_pool, uses_transactions_again) {
    transaction_pool pool;
    tlm::tlm_generic_payload& first = pool.take(of_line(1), 0);
    first.acquire();
    first.release();
    EXPECT_EQ(pool.in_use(), 1u);
    tlm::tlm_generic_payload& second = pool.take(of_line(2), 0);
    EXPECT_NE(&first, &second);
    first.release();
    EXPECT_EQ(pool.in_use(), 1u);
    EXPECT_EQ(&pool.take(of_line(3), 0), &first);
    EXPECT_EQ(first.get_address(), 3u * 64);
    EXPECT_EQ(pool.in_use(), 2u);
    first.release();
    second.release();
}

// 3 GHz: cycle 1 begins after 333.3 ps, which SystemC rounds up to 334.
TEST(annotation, is_the_delay_until_a_cycle) {
    annotation delay{base::clock{3'000'000'000}};
    EXPECT_EQ(delay(0), sc_core::SC_ZERO_TIME);
    EXPECT_EQ(delay(1), sc_core::sc_time(334, sc_core::SC_PS));
    EXPECT_EQ(delay(3), sc_core::sc_time(1, sc_core::SC_NS));
    EXPECT_EQ(delay(3), sc_core::sc_time(1, sc_core::SC_NS));
    sc_core::sc_start(900, sc_core::SC_PS);
    EXPECT_EQ(delay(3), sc_core::sc_time(100, sc_core::SC_PS));
    EXPECT_EQ(delay(1), sc_core::SC_ZERO_TIME);  // in the past
}

}  // namespace
}  // namespace knc::coherence::test
