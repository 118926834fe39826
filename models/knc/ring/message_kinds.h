// The properties of a message kind that the ring uses.
//
// Models: the ring, the receiver and the sender of each kind; which kinds ask for something, and
// which answer. Leaves out: everything else of coherence/messages.def.
#ifndef KNC_RING_MESSAGE_KINDS_H
#define KNC_RING_MESSAGE_KINDS_H

#include <cstddef>

#include <knc/coherence/message.h>
#include <knc/ring/parameters.h>
#include <knc/ring/transit.h>

namespace knc::ring {

struct kind_properties {
    channel what;
    coherence::receiver_kind receiver;
    sender_kind sender;
    bool asks;
    bool answers;  // each request has one answer
    bool in_time;  // a controller may have to answer it in the cycle in which it arrives
};

// The agent of a stop that sends messages of this kind. A controller has a stop of its own.
constexpr sender_kind sender_of(coherence::message_kind k) {
    using kind = coherence::message_kind;
    const bool of_directory = (k >= kind::fwd_get_s && k <= kind::write_done) ||
                              (k >= kind::mem_read_e && k <= kind::mem_write_bytes);
    return of_directory ? sender_kind::directory : sender_kind::l2;
}

constexpr bool asks_for(coherence::message_kind k) {
    using kind = coherence::message_kind;
    return coherence::is_request(k) || (k >= kind::device_read && k <= kind::wbinvd);
}

constexpr bool is_answer(coherence::message_kind k) {
    using kind = coherence::message_kind;
    return (k >= kind::grant && k <= kind::data_once) || k == kind::device_data ||
           k == kind::device_done;
}

inline constexpr kind_properties kind_table[] = {
#define KNC_MESSAGE(kind, ring, receiver, ...) \
    {channel::ring,                            \
     coherence::receiver_kind::receiver,       \
     sender_of(coherence::message_kind::kind), \
     asks_for(coherence::message_kind::kind),  \
     is_answer(coherence::message_kind::kind), \
     coherence::message_kind::kind == coherence::message_kind::mem_write_bytes},
#include <knc/coherence/messages.def>
#undef KNC_MESSAGE
};

constexpr const kind_properties& properties_of(coherence::message_kind k) {
    return kind_table[static_cast<std::size_t>(k)];
}

}  // namespace knc::ring

#endif
