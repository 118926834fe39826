// A port that keeps what is sent, as text, for comparison.
#ifndef KNC_TESTS_UNIT_COHERENCE_RECORDER_H
#define KNC_TESTS_UNIT_COHERENCE_RECORDER_H

#include <string>
#include <vector>

#include <fmt/format.h>

#include <knc/coherence/port.h>

namespace knc::coherence::test {

class recorder final : public port {
  public:
    std::vector<message> messages;
    std::vector<std::string> errors;

    void send(const message& m) override { messages.push_back(m); }
    void protocol_error(const std::string& text) override { errors.push_back(text); }

    // What was sent since the last call: "kind to DESTINATION for REQUESTER", one after the other.
    std::string sent() {
        std::string text;
        for (const message& m : messages)
            text += fmt::format("{}{} to {} for {}", text.empty() ? "" : ", ",
                                properties(m.kind).name, m.destination, m.requester);
        messages.clear();
        return text;
    }
};

inline message message_of(message_kind kind, line_t line, node_t source, node_t requester) {
    message m;
    m.kind = kind;
    m.line = line;
    m.source = source;
    m.requester = requester;
    return m;
}

}  // namespace knc::coherence::test

#endif
