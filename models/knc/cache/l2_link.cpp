#include <knc/cache/l2_link.h>

namespace knc::cache {

void l2_link::send(level_transaction& t) const {
    const bool done = direct_ != nullptr ? direct_->execute(t.message, t.payload) : transport(t);
    if (!done) SC_REPORT_ERROR("l2_link", "the L2 refuses a message");
    transactions_.close();
}

bool l2_link::transport(level_transaction& t) const {
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay = transactions_.delay();
    socket_->nb_transport_fw(t.payload, phase, delay);
    return t.payload.is_response_ok();
}

l2_answer l2_link::access(const l2_access& a, base::cycle_t now) {
    level_transaction& t = transactions_.open(level_command::access, a.line, now);
    t.message.access = a;
    send(t);
    return t.message.answer;
}

l2_answer l2_link::prefetch(const l2_prefetch& p, base::cycle_t now) {
    level_transaction& t = transactions_.open(level_command::prefetch, p.line, now);
    t.message.prefetch = p;
    send(t);
    return t.message.answer;
}

i_to_m_answer l2_link::request_i_to_m(unsigned thread, line_t line, base::cycle_t now) {
    level_transaction& t = transactions_.open(level_command::i_to_m, line, now);
    t.message.thread = thread;
    send(t);
    return t.message.i_to_m;
}

requester l2_link::under_way(line_t line) const {
    level_transaction& t = transactions_.open(level_command::under_way, line);
    send(t);
    return t.message.by;
}

void l2_link::write_back(line_t line, const coherence::line_data& bytes, bool evicted,
                         base::cycle_t now) {
    level_transaction& t = transactions_.open(level_command::write_back, line, now);
    t.message.evicted = evicted;
    t.payload.set_write();
    t.payload.set_data_ptr(const_cast<std::uint8_t*>(bytes.data()));
    send(t);
}

bool l2_link::read_once(unsigned thread, line_t line, base::cycle_t now) {
    level_transaction& t = transactions_.open(level_command::read_once, line, now);
    t.message.thread = thread;
    send(t);
    return t.message.done;
}

bool l2_link::write_once(unsigned thread, line_t line, const coherence::line_data& bytes,
                         coherence::byte_mask mask, base::cycle_t now) {
    level_transaction& t = transactions_.open(level_command::write_once, line, now);
    t.message.thread = thread;
    t.message.mask = mask;
    t.payload.set_write();
    t.payload.set_data_ptr(const_cast<std::uint8_t*>(bytes.data()));
    send(t);
    return t.message.done;
}

void l2_link::evict(line_t line, base::cycle_t now) {
    send(transactions_.open(level_command::evict, line, now));
}

bool l2_link::flush(unsigned thread, base::cycle_t now) {
    level_transaction& t = transactions_.open(level_command::flush, 0, now);
    t.message.thread = thread;
    send(t);
    return t.message.done;
}

void l2_link::completed(unsigned thread, base::cycle_t now) {
    level_transaction& t = transactions_.open(level_command::completed, 0, now);
    t.message.thread = thread;
    send(t);
}

}  // namespace knc::cache
