// Accesses to devices as messages on the ring.
//
// Models no hardware: packs a core::device_request into a coherence::message, and unpacks it.
// Leaves out: time.
#ifndef KNC_CARD_DEVICE_MESSAGES_H
#define KNC_CARD_DEVICE_MESSAGES_H

#include <knc/coherence/message.h>
#include <knc/core/ports.h>

namespace knc::card {

// The message from the tile of the request's core to the agent at the SBOX's stop. An access lies
// within one line.
coherence::message request_message(const core::device_request&);
// The request in a message; `issued` is unknown.
core::device_request request_of(const coherence::message&);

// The agent's response to `request`, with the data of `answer`.
coherence::message answer_message(const coherence::message& request,
                                  const core::device_request& answer);
// The thread, ticket and data of a response.
core::device_request answer_of(const coherence::message&);

}  // namespace knc::card

#endif
