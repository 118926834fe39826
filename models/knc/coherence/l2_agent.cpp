#include <knc/coherence/l2_agent.h>

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

namespace knc::coherence {
namespace {

// The receiver of a message that an action sends.
enum class addressee : std::uint8_t { home, requester };

struct sending {
    addressee to;
    message_kind kind;
};

sending sending_of(l2_action a) {
    using namespace l2_actions;
    switch (a) {
        case send_get_s:
            return {addressee::home, message_kind::get_s};
        case send_get_m:
            return {addressee::home, message_kind::get_m};
        case send_i_to_m:
            return {addressee::home, message_kind::i_to_m};
        case send_put_clean:
            return {addressee::home, message_kind::put_clean};
        case send_put_dirty:
            return {addressee::home, message_kind::put_dirty};
        case send_data_s:
            return {addressee::requester, message_kind::data_s};
        case send_data_m:
            return {addressee::requester, message_kind::data_m};
        case send_data_once:
            return {addressee::requester, message_kind::data_once};
        case send_ack_clean:
            return {addressee::home, message_kind::ack_clean};
        case send_ack_dirty:
            return {addressee::home, message_kind::ack_dirty};
        case send_inv_ack:
            return {addressee::home, message_kind::inv_ack};
        case send_recall_data:
            return {addressee::home, message_kind::recall_data};
        default:
            return {addressee::home, message_kind::done};
    }
}

// What the L1 caches may keep of a snooped line.
l1_keeps kept_after(l2_event e) {
    switch (e) {
        case l2_event::fwd_read:
            return l1_keeps::everything;
        case l2_event::fwd_get_s:
            return l1_keeps::readable;
        default:
            return l1_keeps::nothing;
    }
}

l2_slot slot_of(l2_agent::victim& v) {
    return {&v.state, v.data.data()};
}

bool is_snoop(l2_event e) {
    return e >= l2_event::fwd_get_s && e <= l2_event::recall;
}

}  // namespace

l2_agent::answer l2_agent::request(line_t line, l2_slot slot, l2_event e) {
    if (victim* v = find_victim(line)) slot = slot_of(*v);
    return apply(line, slot, e, nullptr);
}

bool l2_agent::evict(line_t line, l2_slot slot) {
    if (!may_evict(*slot.state)) return false;
    __builtin_prefetch(slot.data);
    if (store_.take_back(line, slot, l1_keeps::nothing)) l1_wrote(line, slot);
    const auto free = std::find(tags_.begin(), tags_.end(), no_line);
    *free = line;
    victim& v = victims_[static_cast<std::size_t>(free - tags_.begin())];
    v.line = line;
    v.state = *slot.state;
    ++used_;
    *slot.state = l2_state::i;
    // The line has not been used for long, and it takes the host some time to fetch it.
    apply(line, {&v.state, slot.data}, l2_event::evict, nullptr);
    std::memcpy(v.data.data(), slot.data, line_bytes);
    return true;
}

void l2_agent::receive(const message& m) {
    if (victim* v = find_victim(m.line)) {
        apply_message(m, slot_of(*v), false);
        if (v->state != l2_state::i) return;
        tags_[static_cast<std::size_t>(v - victims_.data())] = no_line;
        --used_;
        store_.released(m.line);
        return;
    }
    const l2_slot slot = store_.find(m.line);
    if (!slot) {
        l2_state absent = l2_state::i;
        line_data nothing{};
        apply_message(m, {&absent, nothing.data()}, false);
        return;
    }
    const bool pending = !is_stable(*slot.state);
    apply_message(m, slot, true);
    if (pending && is_stable(*slot.state))
        store_.filled(m.line, slot, m);
    else if (*slot.state == l2_state::i)
        store_.lost(m.line, slot);
}

void l2_agent::apply_message(const message& m, l2_slot slot, bool in_cache) {
    const l2_event e = event_of(m.kind);
    if (!is_snoop(e)) {
        apply(m.line, slot, e, &m);
        return;
    }
    if (in_cache && readable(*slot.state) && store_.take_back(m.line, slot, kept_after(e)))
        l1_wrote(m.line, slot);
    if (table_.at(*slot.state, e).possible) store_.snooped(m.line, *slot.state, m);
    apply(m.line, slot, e, &m);
}

l2_agent::answer l2_agent::apply(line_t line, l2_slot slot, l2_event e, const message* cause) {
    if (e == l2_event::count || !table_.at(*slot.state, e).possible) {
        impossible(line, *slot.state, e, cause);
        return answer::wait;
    }
    const l2_table::transition& t = table_.at(*slot.state, e);
    answer result = answer::sent;
    for (const l2_action a : t) {
        switch (a) {
            case l2_actions::hit:
                result = answer::hit;
                break;
            case l2_actions::wait:
                result = answer::wait;
                break;
            case l2_actions::fill:
                std::memcpy(slot.data, cause->data.data(), line_bytes);
                break;
            case l2_actions::overwrite:
                store_.overwrite(line, slot);
                break;
            default:
                send(a, line, slot.data, cause);
        }
    }
    *slot.state = t.next;
    return result;
}

void l2_agent::send(l2_action a, line_t line, const std::uint8_t* data, const message* cause) {
    const sending s = sending_of(a);
    message m;
    m.kind = s.kind;
    m.line = line;
    m.source = tile_;
    m.requester = cause != nullptr ? cause->requester : tile_;
    m.destination = s.to == addressee::requester ? m.requester : hash_.home(line);
    if (properties(m.kind).has_data) std::memcpy(m.data.data(), data, line_bytes);
    out_.send(m);
}

void l2_agent::impossible(line_t line, l2_state s, l2_event e, const message* cause) {
    const char* what = e != l2_event::count ? name_of(e) : properties(cause->kind).name;
    std::string text =
        fmt::format("L2 of tile {}: line {:#x} in state {}: {}", tile_, line, name_of(s), what);
    if (cause != nullptr)
        text += fmt::format(" from node {} for node {}", cause->source, cause->requester);
    out_.protocol_error(text);
}

l2_agent::victim* l2_agent::find_victim(line_t line) {
    if (used_ == 0) return nullptr;
    for (std::size_t n = 0; n < victims_.size(); ++n)
        if (tags_[n] == line) return &victims_[n];
    return nullptr;
}

l2_state l2_agent::victim_state(line_t line) const {
    const victim* v = const_cast<l2_agent*>(this)->find_victim(line);
    return v != nullptr ? v->state : l2_state::i;
}

void l2_agent::restore(const std::vector<victim>& entries) {
    used_ = 0;
    for (std::size_t n = 0; n < victims_.size(); ++n) {
        victims_[n] = n < entries.size() ? entries[n] : victim{};
        const bool taken = victims_[n].state != l2_state::i;
        tags_[n] = taken ? victims_[n].line : no_line;
        used_ += taken;
    }
}

void l2_agent::debug_write(line_t line, const std::uint8_t* data, byte_mask mask) {
    if (victim* v = find_victim(line)) copy_bytes(v->data.data(), data, mask);
}

}  // namespace knc::coherence
