#include <knc/card/memory_stop.h>

namespace knc::card {

using coherence::message;
using coherence::message_kind;

memory_stop::memory_stop(coherence::node_t self, const memory::controller_parameters& p,
                         std::uint64_t core_hz, const coherence::address_hash& hash,
                         coherence::line_store& store, message_store& messages,
                         coherence::port& errors)
    : controller_(p, core_hz),
      hash_(hash),
      messages_(messages),
      errors_(errors),
      agent_(self, store, *this) {}

void memory_stop::arrive(std::uint32_t m, base::cycle_t t) {
    messages_.next(m) = message_store::none;
    (first_ == message_store::none ? first_ : messages_.next(last_)) = m;
    last_ = m;
    ++waiting_;
    next_ = t;
}

void memory_stop::submit_(base::cycle_t t) {
    while (first_ != message_store::none) {
        const std::uint32_t m = first_;
        const message request = messages_[m];
        const bool write = request.kind == message_kind::mem_write ||
                           request.kind == message_kind::mem_write_bytes;
        if (!controller_.submit(hash_.line_of_controller(request.line), write, t, m)) break;
        first_ = messages_.next(m);
        --waiting_;
        messages_.next(m) = message_store::none;
        answer_ = m;
        answered_ = false;
        agent_.perform(request);
    }
}

// The first answer takes the number of the request, which is done with, the next is linked to it.
void memory_stop::send(const message& m) {
    if (!answered_) {
        messages_[answer_] = m;
        answered_ = true;
        return;
    }
    const std::uint32_t n = messages_.put(m);
    messages_.next(answer_) = n;
    answer_ = n;
}

void memory_stop::protocol_error(const std::string& text) {
    errors_.protocol_error(text);
}

}  // namespace knc::card
