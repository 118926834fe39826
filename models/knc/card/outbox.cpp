#include <knc/card/outbox.h>

#include <utility>

#include <knc/coherence/endpoint.h>

namespace knc::card {

void outbox::connect(ring::stop& s) {
    stop_ = &s;
    s.keep_in(*this, all_.messages_kept);
}

void outbox::keep(tlm::tlm_generic_payload& p, const tlm::tlm_phase& phase,
                  const sc_core::sc_time& delay) {
    p.acquire();
    messages_.push_back({&p, phase, delay});
    all_.note();
}

void outbox::release() {
    for (sent& s : messages_) send(s);
    messages_.clear();
    for (const said& s : std::exchange(remarks_, {})) pass_on(s.what, s.text);
}

void outbox::send(sent& s) {
    tlm::tlm_generic_payload& p = *s.payload;
    const tlm::tlm_sync_enum answer = stop_->send(p, s.phase, s.delay);
    if (answer == tlm::TLM_COMPLETED && !p.is_response_ok())
        errors_.protocol_error(coherence::refusal(p.get_extension<coherence::packet>()->content));
    p.release();
}

void outbox::warn(const std::string& text) {
    say(remark::warning, text);
}

void outbox::model_error(const std::string& text) {
    say(remark::model_error, text);
}

void outbox::unsupported(const std::string& text) {
    say(remark::unsupported, text);
}

void outbox::protocol_error(const std::string& text) {
    say(remark::protocol_error, text);
}

void outbox::say(remark what, const std::string& text) {
    if (!all_.kept) {
        pass_on(what, text);
        return;
    }
    remarks_.push_back({what, text});
    all_.note();
}

void outbox::pass_on(remark what, const std::string& text) {
    switch (what) {
        case remark::warning:
            return log_.warn(text);
        case remark::model_error:
            return log_.model_error(text);
        case remark::unsupported:
            return log_.unsupported(text);
        case remark::protocol_error:
            return errors_.protocol_error(text);
    }
}

}  // namespace knc::card
