// Requests to devices survive the way over the ring.
#include <knc/card/device_messages.h>

#include <gtest/gtest.h>

namespace knc::card {
namespace {

core::device_request request(core::address_space space, bool write, std::uint64_t address,
                             unsigned size) {
    core::device_request r;
    r.space = space;
    r.write = write;
    r.address = address;
    r.size = size;
    r.core = 60;
    r.thread = 3;
    r.ticket = core::most_tickets;
    for (unsigned n = 0; n < size; ++n) r.data[n] = static_cast<std::uint8_t>(0xa0 + n);
    return r;
}

void expect_survives(const core::device_request& r) {
    const core::device_request got = request_of(request_message(r));
    EXPECT_EQ(got.space, r.space);
    EXPECT_EQ(got.write, r.write);
    EXPECT_EQ(got.address, r.address);
    EXPECT_EQ(got.size, r.size);
    EXPECT_EQ(got.core, r.core);
    EXPECT_EQ(got.thread, r.thread);
    EXPECT_EQ(got.ticket, r.ticket);
    EXPECT_EQ(got.data, r.data);
}

TEST(device_messages, carry_every_access_within_a_line) {
    for (const bool write : {false, true})
        for (const unsigned size : {1u, 2u, 4u, 8u, 16u, 64u})
            for (std::uint64_t offset = 0; offset + size <= 64; ++offset)
                expect_survives(
                    request(core::address_space::memory, write, 0xff'fef0'0000 + offset, size));
}

// A port access may go beyond a multiple of 64.
TEST(device_messages, carry_every_port) {
    for (const bool write : {false, true})
        for (const unsigned size : {1u, 2u, 4u})
            for (const std::uint64_t port : {0x0ull, 0x3full, 0x3f8ull, 0xffffull})
                expect_survives(request(core::address_space::ports, write, port, size));
}

TEST(device_messages, answers_go_back_to_who_asked) {
    const core::device_request r = request(core::address_space::memory, false, 0xfef00005, 1);
    const coherence::message asked = request_message(r);
    EXPECT_EQ(asked.source, 60);
    EXPECT_EQ(asked.destination, coherence::first_agent);
    core::device_request answered = request_of(asked);
    answered.data[0] = 0x60;
    const coherence::message m = answer_message(asked, answered);
    EXPECT_EQ(m.kind, coherence::message_kind::device_data);
    EXPECT_EQ(m.source, coherence::first_agent);
    EXPECT_EQ(m.destination, 60);
    const core::device_request back = answer_of(m);
    EXPECT_EQ(back.thread, 3);
    EXPECT_EQ(back.ticket, core::most_tickets);
    EXPECT_EQ(back.data[0], 0x60);
    answered.write = true;
    EXPECT_EQ(answer_message(asked, answered).kind, coherence::message_kind::device_done);
}

}  // namespace
}  // namespace knc::card
