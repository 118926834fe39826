// The messages that L2 caches, tag directories and memory controllers exchange about one line.
//
// Models: kinds of messages and the ring on which each travels (data, address, acknowledge); a line
// of data with a byte mask. A miss takes one data, two address and two acknowledge messages, as on
// the card. Leaves out: when a message arrives (knc/ring). The protocol is correct for every order
// of arrival. Source: Hot Chips 2012 paper on Knights Corner for the rings and the number of
// messages of a miss; the kinds are decisions, docs/coherence.md.
#ifndef KNC_COHERENCE_MESSAGE_H
#define KNC_COHERENCE_MESSAGE_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include <knc/base/address_map.h>

namespace knc::coherence {

using line_t = std::uint64_t;  // physical address / line_bytes
using node_t = std::uint8_t;   // a sender or receiver, see below

inline constexpr std::size_t line_bytes = base::line_bytes;
using line_data = std::array<std::uint8_t, line_bytes>;
using byte_mask = std::uint64_t;  // bit n: byte n of the line
inline constexpr byte_mask all_bytes = ~byte_mask{0};

// Nodes: tiles (their L2 and their directory slice) from 0, memory controllers from 64, other
// agents that access memory without a cache (SBOX, host) from 128.
inline constexpr node_t max_tiles = 64;
inline constexpr node_t first_controller = 64;
inline constexpr node_t first_agent = 128;
inline constexpr node_t no_node = 255;

enum class message_kind : std::uint8_t {
#define KNC_MESSAGE(kind, ...) kind,
#include <knc/coherence/messages.def>
#undef KNC_MESSAGE
    count
};

enum class ring_kind : std::uint8_t { data, address, acknowledge };
enum class receiver_kind : std::uint8_t { l2, uncached, directory, memory, device, core };
inline constexpr std::size_t receiver_kinds = 6;

struct message_properties {
    const char* name;
    ring_kind ring;
    receiver_kind receiver;
    bool has_data;
    const char* text;
};
const message_properties& properties(message_kind);

// All kinds as Markdown.
std::string messages_page();

// The directory queues requests while the line is busy.
constexpr bool is_request(message_kind k) {
    return k <= message_kind::write_once;
}

struct message {
    line_t line = 0;
    byte_mask mask = 0;  // of write_once and mem_write_bytes
    message_kind kind = message_kind::count;
    node_t source = 0;
    node_t destination = 0;
    node_t requester = 0;  // the node whose request this message belongs to
    // Of a device access: the response has the same tag. Of a request for a line, or of an access
    // that leaves no copy: the monitoring ID of its thread (docs/cmt.md).
    std::uint16_t tag = 0;
    line_data data{};  // if the kind has data
    // Of a response of an L3 slice: the slice had to allocate the line, so the request missed it.
    bool missed_l3 = false;
};

// Where the data that a requester received came from.
enum class fill_source : std::uint8_t {
    memory,
    cache,  // the L2 of tile message::source
    l3,
    none  // an upgrade: the requester had the data
};
constexpr fill_source source_of(const message& m) {
    if (m.kind == message_kind::grant) return fill_source::none;
    if (m.kind >= message_kind::l3_data_s && m.kind <= message_kind::l3_data_once)
        return m.missed_l3 ? fill_source::memory : fill_source::l3;
    return m.source < max_tiles ? fill_source::cache : fill_source::memory;
}

// Copies the bytes selected by `mask` from `from` to `to`.
void copy_bytes(std::uint8_t* to, const std::uint8_t* from, byte_mask mask);

}  // namespace knc::coherence

#endif
