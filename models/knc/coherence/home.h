// What the homes of lines have in common: the slices of the tag directory and those of the L3.
//
// Models: the event of the protocol that a message is for a line, by who has copies of it; which
// tiles are told to give theirs up. Leaves out: the tables (knc/coherence/directory_protocol.h,
// knc/coherence/l3_protocol.h) and what only one of them has. Source: docs/coherence.md.
#ifndef KNC_COHERENCE_HOME_H
#define KNC_COHERENCE_HOME_H

#include <cstdint>

#include <knc/coherence/message.h>

namespace knc::coherence {

constexpr std::uint64_t bit_of(node_t n) {
    return std::uint64_t{1} << n;
}
constexpr bool is_one_bit(std::uint64_t x) {
    return x != 0 && (x & (x - 1)) == 0;
}

// The event of a request. `event`: the enumeration of the table's events. `holders`: bit n: tile n
// has a copy. `owned_alone`: one tile has E or M, and nobody knows whether it has modified the
// line.
template <class event>
event event_of_request(const message& m, std::uint64_t holders, node_t owner, bool owned_alone) {
    const bool tile = m.requester < max_tiles;
    const std::uint64_t self = tile ? bit_of(m.requester) : 0;
    const bool holds = (holders & self) != 0;
    const std::uint64_t others = holders & ~self;
    switch (m.kind) {
        case message_kind::get_s:
            return holds || !tile ? event::contradiction : event::get_s;
        case message_kind::get_m:
            if (!tile) return event::contradiction;
            if (holds) return others != 0 ? event::upgrade : event::upgrade_sole;
            if (others == 0) return event::get_m;
            return is_one_bit(others) ? event::get_m_one : event::get_m_many;
        case message_kind::i_to_m:
            return holds || !tile ? event::contradiction : event::i_to_m;
        case message_kind::put_clean:
            if (!holds) return event::put_stale;
            // A sole owner need not have modified the line.
            if (owner == m.requester && !owned_alone) return event::contradiction;
            return others != 0 ? event::put_clean : event::put_clean_last;
        case message_kind::put_dirty:
            if (!holds) return event::put_stale;
            if (owner != m.requester) return event::contradiction;
            return others != 0 ? event::put_dirty : event::put_dirty_last;
        case message_kind::read_once:
            return event::read_once;
        default:
            return event::write_once;
    }
}

// The event of any message. `last()` counts a response to an invalidation or a recall, and says
// whether it is the last one.
template <class event, class is_last>
event event_of(const message& m, std::uint64_t holders, node_t owner, bool owned_alone,
               is_last last) {
    if (is_request(m.kind)) return event_of_request<event>(m, holders, owner, owned_alone);
    switch (m.kind) {
        case message_kind::read_ack:
            return event::read_ack;
        case message_kind::write_ack:
            return event::write_ack;
        case message_kind::ack_clean:
            return event::ack_clean;
        case message_kind::ack_dirty:
            return event::ack_dirty;
        case message_kind::done:
            return event::done;
        case message_kind::inv_ack:
            return last() ? event::inv_ack_last : event::inv_ack;
        case message_kind::recall_data:
            return last() ? event::recall_data_last : event::recall_data;
        default:
            return event::contradiction;
    }
}

// Calls send(kind, tile) for each tile of `whom`: a recall for `recalled`, an invalidation for the
// others. Returns how many responses there will be.
template <class sender>
std::uint8_t invalidate(std::uint64_t whom, node_t recalled, sender send) {
    for (std::uint64_t left = whom; left != 0; left &= left - 1) {
        const auto tile = static_cast<node_t>(__builtin_ctzll(left));
        send(tile == recalled ? message_kind::recall : message_kind::invalidate, tile);
    }
    return static_cast<std::uint8_t>(__builtin_popcountll(whom));
}

}  // namespace knc::coherence

#endif
