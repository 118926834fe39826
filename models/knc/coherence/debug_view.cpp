#include <knc/coherence/debug_view.h>

#include <algorithm>

namespace knc::coherence {

void debug_view::offer(rank r, const std::uint8_t* data) {
    if (r <= rank_) return;
    rank_ = r;
    copy_bytes(value_.data(), data, all_bytes);
}

void debug_view::victims(const l2_agent& agent) {
    for (const l2_agent::victim& v : agent.victims())
        if (v.line == line_ && v.state != l2_state::i && v.state != l2_state::ii_a)
            victims_.emplace_back(agent.tile(), v.data.data());
}

void debug_view::slice(const directory& d) {
    if (const std::uint8_t* data = d.debug_read(line_)) offer(rank::moving, data);
}

void debug_view::in_flight(const message& m) {
    if (m.line != line_) return;
    switch (m.kind) {
        case message_kind::data_s:
        case message_kind::data_e:
        case message_kind::data_m:
        case message_kind::l3_data_s:
        case message_kind::l3_data_e:
        case message_kind::l3_data_m:
        case message_kind::recall_data:
            offer(rank::moving, m.data.data());
            return;
        case message_kind::put_ack:
            evicted_ |= std::uint64_t{1} << m.destination;
            return;
        case message_kind::mem_write:
        case message_kind::mem_write_bytes:
            written_ = m.data;
            overlay_ = m.kind == message_kind::mem_write ? all_bytes : m.mask;
            return;
        // The data of a put message may be stale; if they are not, the victim buffer has them. The
        // data of an uncached read may be stale. Those of an uncached write are not written yet.
        default:
            return;
    }
}

line_data debug_view::value() {
    for (const auto& [tile, data] : victims_)
        if ((evicted_ >> tile & 1) == 0) copy(data);
    line_data v = value_;
    if (rank_ == rank::memory) copy_bytes(v.data(), written_.data(), overlay_);
    return v;
}

void debug_write(message& m, line_t line, const std::uint8_t* data, byte_mask mask) {
    constexpr message_kind untouched[] = {message_kind::write_once, message_kind::data_once,
                                          message_kind::l3_data_once};
    if (m.line != line || !properties(m.kind).has_data) return;
    if (std::find(std::begin(untouched), std::end(untouched), m.kind) != std::end(untouched))
        return;
    copy_bytes(m.data.data(), data, mask);
}

}  // namespace knc::coherence
