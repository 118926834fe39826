// Accesses to devices as messages on the ring.
//
// Models: nothing; how a core::device_request is packed into a coherence::message, and back.
// Leaves out: time.
#ifndef KNC_CARD_DEVICE_MESSAGES_H
#define KNC_CARD_DEVICE_MESSAGES_H

#include <knc/coherence/message.h>
#include <knc/core/ports.h>

namespace knc::card {

// From the tile of the request's core to the agent at the SBOX's stop. An access lies within one
// line.
coherence::message request_message(const core::device_request&);
// The request a message carries; `issued` is not known.
core::device_request request_of(const coherence::message&);

// The agent's answer to `request`, whose data are those of `answer`.
coherence::message answer_message(const coherence::message& request,
                                  const core::device_request& answer);
// Thread, ticket and data of an answer.
core::device_request answer_of(const coherence::message&);

}  // namespace knc::card

#endif
