#include <knc/coherence/memory_agent.h>

#include <fmt/format.h>

namespace knc::coherence {
namespace {

// The data message that answers a read; `count` if `k` is no read.
message_kind answer_to(message_kind k) {
    switch (k) {
        case message_kind::mem_read_e:
            return message_kind::data_e;
        case message_kind::mem_read_m:
            return message_kind::data_m;
        case message_kind::mem_read_once:
            return message_kind::data_once;
        default:
            return message_kind::count;
    }
}

}  // namespace

void memory_agent::perform(const message& m) {
    message response;
    response.line = m.line;
    response.source = self_;
    response.requester = m.requester;
    const node_t home = m.source;
    if (const message_kind answer = answer_to(m.kind); answer != message_kind::count) {
        store_.read(m.line, response.data);
        send(response, answer, m.requester);
        return send(response, message_kind::read_ack, home);
    }
    if (m.kind == message_kind::mem_fetch) {
        store_.read(m.line, response.data);
        return send(response, message_kind::fetched, home);
    }
    if (properties(m.kind).receiver != receiver_kind::memory) {
        out_.protocol_error(fmt::format("memory controller {}: line {:#x}: {} from node {}", self_,
                                        m.line, properties(m.kind).name, m.source));
        return;
    }
    const bool whole = m.kind == message_kind::mem_write;
    store_.write(m.line, m.data, whole ? all_bytes : m.mask);
    send(response, message_kind::write_ack, home);
}

void memory_agent::send(message& response, message_kind kind, node_t destination) {
    response.kind = kind;
    response.destination = destination;
    out_.send(response);
}

}  // namespace knc::coherence
