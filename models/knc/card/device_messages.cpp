#include <knc/card/device_messages.h>

#include <cstring>

namespace knc::card {

namespace {

using coherence::message;
using coherence::message_kind;

// A ticket is so small that it fits into a tag beside the thread.
constexpr unsigned ticket_bits = 14;
static_assert(core::most_tickets < 1u << ticket_bits);

struct kind_of_access {
    message_kind kind;
    core::address_space space;
    bool write;
};
constexpr kind_of_access kinds[] = {
    {message_kind::device_read, core::address_space::memory, false},
    {message_kind::device_write, core::address_space::memory, true},
    {message_kind::port_read, core::address_space::ports, false},
    {message_kind::port_write, core::address_space::ports, true},
    {message_kind::register_read, core::address_space::registers, false},
    {message_kind::register_write, core::address_space::registers, true},
    {message_kind::wbinvd, core::address_space::shared_cache, true},
};

std::uint16_t tag_of(const core::device_request& r) {
    return static_cast<std::uint16_t>(r.thread << ticket_bits | r.ticket);
}

}  // namespace

message request_message(const core::device_request& r) {
    message m;
    for (const kind_of_access& k : kinds)
        if (k.space == r.space && k.write == r.write) m.kind = k.kind;
    const bool port = r.space != core::address_space::memory;
    const auto offset = static_cast<unsigned>(port ? 0 : r.address % coherence::line_bytes);
    m.line = port ? r.address : r.address / coherence::line_bytes;
    m.mask = coherence::all_bytes >> (coherence::line_bytes - r.size) << offset;
    m.source = m.requester = static_cast<coherence::node_t>(r.core);
    m.destination = coherence::first_agent;
    m.tag = tag_of(r);
    std::memcpy(m.data.data(), r.data.data(), r.data.size());
    return m;
}

core::device_request request_of(const message& m) {
    core::device_request r;
    for (const kind_of_access& k : kinds) {
        if (k.kind != m.kind) continue;
        r.space = k.space;
        r.write = k.write;
    }
    const bool port = r.space != core::address_space::memory;
    r.core = m.requester;
    r.thread = static_cast<std::uint8_t>(m.tag >> ticket_bits);
    r.ticket = m.tag & ((1u << ticket_bits) - 1);
    r.size = static_cast<unsigned>(__builtin_popcountll(m.mask));
    r.address =
        port ? m.line
             : m.line * coherence::line_bytes + static_cast<unsigned>(__builtin_ctzll(m.mask));
    std::memcpy(r.data.data(), m.data.data(), r.data.size());
    return r;
}

message answer_message(const message& request, const core::device_request& answer) {
    message m;
    m.kind = answer.write ? message_kind::device_done : message_kind::device_data;
    m.line = request.line;
    m.source = request.destination;
    m.requester = m.destination = request.requester;
    m.tag = request.tag;
    std::memcpy(m.data.data(), answer.data.data(), answer.data.size());
    return m;
}

core::device_request answer_of(const message& m) {
    core::device_request r;
    r.core = m.requester;
    r.thread = static_cast<std::uint8_t>(m.tag >> ticket_bits);
    r.ticket = m.tag & ((1u << ticket_bits) - 1);
    std::memcpy(r.data.data(), m.data.data(), r.data.size());
    return r;
}

}  // namespace knc::card
