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
    const message_kind answer = answer_to(m.kind);
    if (answer != message_kind::count) {
        line_data data;
        store_.read(m.line, data);
        send(m, answer, m.requester, &data);
        send(m, message_kind::read_ack, m.source, nullptr);
        return;
    }
    if (m.kind == message_kind::mem_fetch) {
        line_data data;
        store_.read(m.line, data);
        send(m, message_kind::fetched, m.source, &data);
        return;
    }
    if (properties(m.kind).receiver != receiver_kind::memory) {
        out_.protocol_error(fmt::format("memory controller {}: line {:#x}: {} from node {}", self_,
                                        m.line, properties(m.kind).name, m.source));
        return;
    }
    const bool whole = m.kind == message_kind::mem_write;
    store_.write(m.line, m.data, whole ? all_bytes : m.mask);
    send(m, message_kind::write_ack, m.source, nullptr);
}

void memory_agent::send(const message& about, message_kind kind, node_t destination,
                        const line_data* data) {
    message m;
    m.kind = kind;
    m.line = about.line;
    m.source = self_;
    m.destination = destination;
    m.requester = about.requester;
    if (data != nullptr) m.data = *data;
    out_.send(m);
}

}  // namespace knc::coherence
