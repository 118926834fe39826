#include "fabric_rig.h"

namespace knc::card::test {

plain_tile::plain_tile(fabric_rig& r, node_t number)
    : rig_(r), number_(number), agent_(number, r.fabric.hash(), *this, *this) {}

bool plain_tile::access(line_t line, bool write, std::uint8_t value, base::cycle_t clock) {
    using answer = coherence::l2_agent::answer;
    way& w = ways_[line];
    const auto wanted = w;
    clock_ = clock;
    w.write = write;
    w.value = value;
    switch (agent_.request(line, slot(w), write)) {
        case answer::hit:
            perform(line, w);
            return true;
        case answer::sent:
            return true;
        default:
            w.write = wanted.write;
            w.value = wanted.value;
            return false;
    }
}

void plain_tile::evict(line_t line, base::cycle_t clock) {
    clock_ = clock;
    way& w = ways_[line];
    if (w.state != coherence::l2_state::i && agent_.may_evict(w.state)) agent_.evict(line, slot(w));
}

void plain_tile::receive(const message& m, base::cycle_t clock) {
    clock_ = clock;
    agent_.receive(m);
}

void plain_tile::perform(line_t line, way& w) {
    if (w.write) rig_.image[line][number_] = w.data[number_] = w.value;
    line_data found = w.data;
    found[fabric_rig::agent_byte] = rig_.image[line][fabric_rig::agent_byte];
    EXPECT_EQ(found, rig_.image[line]) << "tile " << unsigned{number_} << " line " << line;
}

void plain_tile::view(coherence::debug_view& v) {
    v.victims(agent_);
    const auto found = ways_.find(v.line());
    if (found != ways_.end() && coherence::readable(found->second.state))
        v.copy(found->second.data.data());
}

void plain_tile::debug_write(line_t line, const line_data& d, coherence::byte_mask mask) {
    agent_.debug_write(line, d.data(), mask);
    coherence::copy_bytes(ways_[line].data.data(), d.data(), mask);
}

coherence::l2_slot plain_tile::find(line_t line) {
    way& w = ways_[line];
    return w.state == coherence::l2_state::i ? coherence::l2_slot{} : slot(w);
}

void plain_tile::filled(line_t line, coherence::l2_slot, const message&) {
    perform(line, ways_[line]);
}

void plain_tile::send(const message& m) {
    base::cycle_t leaves = clock_;
    if (m.kind == message_kind::done)
        leaves += rig_.done_after;
    else if (!coherence::is_request(m.kind))
        leaves += fabric_rig::answer_cycles;
    rig_.fabric.send(m, leaves);
}

void fabric_rig::write_uncached(line_t line, coherence::byte_mask mask, std::uint8_t value,
                                base::cycle_t clock) {
    message m;
    m.kind = message_kind::write_once;
    m.line = line;
    m.mask = mask;
    m.data[agent_byte] = value;
    m.source = m.requester = coherence::first_agent;
    m.destination = fabric.hash().home(line);
    fabric.send(m, clock);
}

}  // namespace knc::card::test
