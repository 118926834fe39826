#include <knc/cache/l1_link.h>

namespace knc::cache {

void l1_caller::send(level_transaction& t, tlm::tlm_phase phase) {
    const bool done =
        direct_ != nullptr ? direct_->execute(t.message, t.payload) : transport(t, phase);
    if (!done) SC_REPORT_ERROR("l1_link", "the L1 refuses a message");
    transactions_.close();
}

bool l1_caller::transport(level_transaction& t, tlm::tlm_phase phase) {
    sc_core::sc_time delay = transactions_.delay();
    socket_->nb_transport_bw(t.payload, phase, delay);
    return t.payload.is_response_ok();
}

void l1_caller::fill(const line_fill& f, base::cycle_t now) {
    level_transaction& t = open(level_command::fill, f.line, now);
    t.message.fill = f;
    t.payload.set_read();
    t.payload.set_data_ptr(const_cast<std::uint8_t*>(f.bytes));
    send(t, tlm::BEGIN_RESP);
}

bool l1d_link::take_back(line_t line, std::uint8_t* bytes, coherence::l1_keeps keep,
                         base::cycle_t now) {
    level_transaction& t = l1_.open(level_command::take_back, line, now);
    t.message.keep = keep;
    t.payload.set_data_ptr(bytes);
    l1_.send(t, SNOOP);
    return t.message.done;
}

bool l1d_link::write_owned(line_t line, std::uint8_t* bytes) const {
    level_transaction& t = l1_.open(level_command::write_owned, line);
    t.payload.set_data_ptr(bytes);
    l1_.send(t, SNOOP);
    return t.message.done;
}

void l1d_link::read_complete(line_t line, const coherence::line_data& data, base::cycle_t now) {
    level_transaction& t = l1_.open(level_command::read_complete, line, now);
    t.payload.set_read();
    t.payload.set_data_ptr(const_cast<std::uint8_t*>(data.data()));
    l1_.send(t, tlm::BEGIN_RESP);
}

void l1d_link::write_complete(line_t line, base::cycle_t now) {
    l1_.send(l1_.open(level_command::write_complete, line, now), tlm::BEGIN_RESP);
}

}  // namespace knc::cache
