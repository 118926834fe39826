#include <knc/card/memory_stop.h>

namespace knc::card {

using coherence::message;
using coherence::message_kind;

memory_stop::memory_stop(coherence::node_t self, const memory::controller_parameters& p,
                         std::uint64_t core_hz, const coherence::address_hash& hash,
                         coherence::line_store& store, coherence::timed_port& out)
    : parameters_(p),
      core_hz_(core_hz),
      controller_(std::in_place, p, core_hz),
      hash_(hash),
      out_(out),
      agent_(self, store, *this) {}

void memory_stop::reset() {
    controller_.emplace(parameters_, core_hz_);
    messages_ = {};
    first_ = last_ = message_store::none;
    waiting_ = urgent_ = 0;
    sent_until_ = 0;
    next_ = base::never;
}

namespace {

bool is_write(const message& m) {
    return m.kind == message_kind::mem_write || m.kind == message_kind::mem_write_bytes;
}

// Memory does not change: the write only ends the flush of a clean line.
bool is_empty(const message& m) {
    return m.kind == message_kind::mem_write_bytes && m.mask == 0;
}

}  // namespace

// An empty write is answered in the cycle in which its turn comes, and a write of decoded code
// changes what threads execute. All others have an effect later than that.
bool memory_stop::is_urgent(const message& m) const {
    return is_empty(m) || (is_write(m) && !agent_.only_bytes(m.line));
}

bool memory_stop::may_wait(const message& m, base::cycle_t cycles) const {
    return cycles <= controller_->latest() && !is_urgent(m);
}

void memory_stop::receive(const message& m, base::cycle_t t) {
    if (next_ < t) run(t);
    const std::uint32_t n = messages_.put(m);
    (first_ == message_store::none ? first_ : messages_.next(last_)) = n;
    last_ = n;
    ++waiting_;
    if (is_urgent(m)) urgent_ = waiting_;
    next_ = t;
}

void memory_stop::run(base::cycle_t until) {
    while (next_ < until) step(next_);
    now_ = std::max(now_, until);
}

// A waveform shows what the controller does now.
void memory_stop::run_ahead(base::cycle_t until) {
    run(until);
    if (watched_) return;
    const base::cycle_t retry = waiting_ != 0 ? next_ : base::never;
    done_.clear();
    sent_until_ = controller_->run_ahead(until, done_);
    for (const memory::controller::completion& d : done_)
        respond(static_cast<std::uint32_t>(d.id), d.clock);
    next_ = std::min(retry, controller_->next_completion());
}

// What completes in the cycle goes before the answers to writes without bytes, as run_ahead() may
// have sent it before.
void memory_stop::step(base::cycle_t t) {
    done_.clear();
    controller_->run(t, done_);
    for (const memory::controller::completion& d : done_)
        respond(static_cast<std::uint32_t>(d.id), t);
    submit(t);
    next_ = watched_ ? controller_->next_event() : controller_->next_completion();
    if (waiting_ != 0) next_ = std::min(next_, std::max(t + 1, controller_->next_room(t)));
}

void memory_stop::submit(base::cycle_t t) {
    while (first_ != message_store::none) {
        const std::uint32_t m = first_;
        const message& request = messages_[m];
        const bool write = is_write(request), empty = is_empty(request);
        if (!empty) {
            if (!controller_->submit(hash_.line_of_controller(request.line), write, t, m)) break;
            ++(write ? writes_ : reads_);
        }
        first_ = messages_.next(m);
        --waiting_;
        if (urgent_ != 0) --urgent_;
        messages_.next(m) = message_store::none;
        answer_ = m;
        answered_ = false;
        agent_.perform(request);
        if (empty) respond(m, t);
    }
}

// Sends the list of responses that begins with `n`.
void memory_stop::respond(std::uint32_t n, base::cycle_t t) {
    while (n != message_store::none) {
        out_.send(messages_[n], t);
        const std::uint32_t following = messages_.next(n);
        messages_.release(n);
        n = following;
    }
}

// The first response takes the index of the request, which is no longer needed; the next one is
// linked to it.
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

}  // namespace knc::card
