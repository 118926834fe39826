#include <knc/coherence/uncached_agent.h>

#include <algorithm>

#include <fmt/format.h>

namespace knc::coherence {

bool uncached_agent::busy(line_t line) const {
    return std::any_of(operations_.begin(), operations_.end(),
                       [line](const operation& o) { return o.line == line; });
}

bool uncached_agent::start(line_t line, bool write, message& m) {
    if (busy(line)) return false;
    operations_.push_back({line, write});
    m.line = line;
    m.kind = write ? message_kind::write_once : message_kind::read_once;
    m.source = m.requester = self_;
    m.destination = hash_.home(line);
    out_.send(m);
    return true;
}

bool uncached_agent::read(line_t line) {
    message m;
    return start(line, false, m);
}

bool uncached_agent::write(line_t line, const line_data& data, byte_mask mask) {
    message m;
    m.mask = mask;
    m.data = data;
    return start(line, true, m);
}

void uncached_agent::receive(const message& m) {
    const bool write = m.kind == message_kind::write_done;
    const auto o = std::find_if(operations_.begin(), operations_.end(), [&](const operation& x) {
        return x.line == m.line && x.write == write;
    });
    if (o == operations_.end() || properties(m.kind).receiver != receiver_kind::uncached) {
        out_.protocol_error(fmt::format("node {}: line {:#x}: {} from node {} without a request",
                                        self_, m.line, properties(m.kind).name, m.source));
        return;
    }
    operations_.erase(o);
    if (write)
        observer_.write_complete(m.line);
    else
        observer_.read_complete(m.line, m.data);
}

}  // namespace knc::coherence
