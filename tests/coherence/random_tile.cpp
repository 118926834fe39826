#include "random_tile.h"

#include "random_machine.h"

namespace knc::coherence::test {

random_tile::random_tile(random_machine& m, node_t number)
    : threads(m.parameters().threads),
      slice(number, m.hash(), m.out(), *m.parameters().home),
      machine_(m),
      agent_(number, m.hash(), *this, m.out(), {m.parameters().victim_entries}, *m.parameters().l2),
      uncached_(number, m.hash(), m.out(), *this),
      ways_(m.parameters().sets * m.parameters().ways),
      l1_(m.parameters().l1_lines) {
    const machine_parameters& p = m.parameters();
    if (p.l3 == nullptr) return;
    knc::cache::l3_parameters of_l3;
    of_l3.slice = {static_cast<std::uint32_t>(p.l3_sets * p.l3_ways * line_bytes), p.l3_ways,
                   knc::cache::replacement::lru};
    of_l3.monitored = rmids - 1;
    of_l3.hit = p.hit;
    l3.emplace(number, m.hash(), of_l3, m.out(), *p.l3);
}

bool random_tile::empty_l3() {
    if (!l3) return false;
    std::vector<line_t> lines;
    l3->each_line([&](line_t l) { lines.push_back(l); });
    for (const line_t l : lines) l3->evict(l);
    return !lines.empty();
}

random_tile::way* random_tile::find_way(line_t line) {
    for (way& w : ways_)
        if (w.line == line) return &w;
    return nullptr;
}

random_tile::l1_line* random_tile::find_l1(line_t line) {
    for (l1_line& l : l1_)
        if (l.line == line) return &l;
    return nullptr;
}

l2_slot random_tile::find(line_t line) {
    way* w = find_way(line);
    return w != nullptr ? slot_of(*w) : l2_slot{};
}

bool random_tile::take_back(line_t line, l2_slot slot, l1_keeps keep) {
    l1_line* l = find_l1(line);
    if (l == nullptr) return false;
    const bool dirty = l->dirty;
    if (dirty) copy_bytes(slot.data, l->data.data(), all_bytes);
    l->dirty = false;
    if (keep == l1_keeps::nothing) l->line = none;
    return dirty;
}

void random_tile::try_access(unsigned thread) {
    access_thread& t = threads[thread];
    if (t.state != access_thread::idle) return;
    if (t.now.kind < access::uncached_load) return try_cached(t, thread);
    const bool started = t.now.kind == access::uncached_load
                             ? uncached_.read(t.now.line)
                             : uncached_.write(t.now.line, t.now.data, t.now.mask);
    if (started)
        t.state = access_thread::uncached;
    else
        machine_.wake(agent_.tile(), thread, 1 + machine_.below(20));
}

void random_tile::try_cached(access_thread& t, unsigned thread) {
    const bool write = writes(t.now);
    way* w = find_way(t.now.line);
    if (t.now.kind == access::evict) {
        if (w != nullptr && agent_.evict(w->line, slot_of(*w))) w->line = none;
        return finish(t);
    }
    if (w == nullptr) {
        if (agent_.victim_state(t.now.line) != l2_state::i) {
            t.state = access_thread::waiting;
            return;
        }
        w = allocate(t.now.line);
        if (w == nullptr) return machine_.wake(agent_.tile(), thread, 1 + machine_.below(20));
    }
    if (t.now.kind == access::store_line && w->state == l2_state::i) {
        w->line = t.now.line;
        t.state = access_thread::i_to_m;
        return agent_.request_i_to_m(t.now.line, slot_of(*w));
    }
    // Half of the writes to a line in E tell the L2, the others leave that to a later take_back().
    const bool quiet =
        write ? writable(w->state) && !l1_.empty() && machine_.chance(50) : readable(w->state);
    if (quiet) return perform(t, *w);
    switch (agent_.request(t.now.line, slot_of(*w), write)) {
        case l2_agent::answer::hit:
            return perform(t, *w);
        case l2_agent::answer::sent:
            w->line = t.now.line;
            [[fallthrough]];
        case l2_agent::answer::wait:
            t.state = access_thread::waiting;
    }
}

// A way of the line's set that is free, or that can be freed now.
random_tile::way* random_tile::allocate(line_t line) {
    const machine_parameters& p = machine_.parameters();
    const std::size_t first = line % p.sets * p.ways;
    const unsigned start = machine_.below(p.ways);
    for (unsigned n = 0; n < p.ways; ++n) {
        way& w = ways_[first + (start + n) % p.ways];
        if (w.line != none && !agent_.evict(w.line, slot_of(w))) continue;
        w.line = none;
        return &w;
    }
    return nullptr;
}

// The line's bytes in the L1, or in the L2 if there is no L1.
line_data& random_tile::l1_for(way& w, bool write) {
    if (l1_.empty()) return w.data;
    l1_line* l = find_l1(w.line);
    if (l == nullptr) {
        l = &l1_[machine_.below(static_cast<unsigned>(l1_.size()))];
        if (l->line != none && l->dirty) {
            way& old = *find_way(l->line);
            old.data = l->data;
            agent_.l1_wrote(old.line, slot_of(old));
        }
        *l = {w.line, false, w.data};
    }
    l->dirty |= write;
    return l->data;
}

// The line is here, with the permission the access needs.
void random_tile::perform(access_thread& t, way& w) {
    const access& a = t.now;
    const bool stores = a.kind == access::store || a.kind == access::store_line;
    const bool write = stores || a.kind == access::add;
    if (a.kind != access::prefetch && a.kind != access::prefetch_to_write) {
        line_data& d = l1_for(w, write);
        if (!stores) machine_.check_loaded(agent_.tile(), a, d);
        if (stores) copy_bytes(d.data(), a.data.data(), a.mask);
        if (a.kind == access::add)
            for (std::size_t n = 0; n < line_bytes; ++n)
                d[n] = static_cast<std::uint8_t>(d[n] + (a.mask >> n & 1));
        if (write) machine_.commit(w.line, d, a.mask);
    }
    finish(t);
}

void random_tile::finish(access_thread& t) {
    machine_.count_access();
    t.state = access_thread::idle;
    t.now = machine_.next_access(false);
    t.since = machine_.now();
    machine_.wake(agent_.tile(), static_cast<unsigned>(&t - threads.data()),
                  machine_.chance(50) ? 1 : machine_.below(100));
}

void random_tile::filled(line_t line, l2_slot, const message&) {
    way& w = *find_way(line);
    if (access_thread* t = streaming_thread(line)) finish(*t);
    for (unsigned n = 0; n < threads.size(); ++n) {
        access_thread& t = threads[n];
        if (t.state != access_thread::waiting || t.now.line != line) continue;
        t.state = access_thread::idle;
        const bool write = writes(t.now);
        const bool without_l1 = l1_.empty() && w.state == l2_state::e;
        if (write ? writable(w.state) && !without_l1 : readable(w.state))
            perform(t, w);
        else
            machine_.wake(agent_.tile(), n, machine_.below(10));
    }
}

access_thread* random_tile::streaming_thread(line_t line) {
    for (access_thread& t : threads)
        if (t.state == access_thread::i_to_m && t.now.line == line) return &t;
    return nullptr;
}

bool random_tile::will_write(line_t line, const line_data& data) const {
    const access_thread* t = streaming_thread(line);
    return t != nullptr && t->now.data == data;
}

void random_tile::overwrite(line_t line, l2_slot slot) {
    const access_thread* t = streaming_thread(line);
    if (t == nullptr) return machine_.fail("a line is granted that no streaming store requested");
    copy_bytes(slot.data, t->now.data.data(), all_bytes);
    machine_.commit(line, t->now.data, all_bytes);
}

void random_tile::lost(line_t line, l2_slot) {
    find_way(line)->line = none;
}

void random_tile::released(line_t line) {
    for (unsigned n = 0; n < threads.size(); ++n) {
        access_thread& t = threads[n];
        if (t.state != access_thread::waiting || t.now.line != line) continue;
        t.state = access_thread::idle;
        machine_.wake(agent_.tile(), n, machine_.below(10));
    }
}

void random_tile::end_uncached(line_t line, access::kind_t kind) {
    for (access_thread& t : threads)
        if (t.state == access_thread::uncached && t.now.line == line && t.now.kind == kind)
            return finish(t);
    machine_.fail("an uncached access ended that nobody made");
}

void random_tile::read_complete(line_t line, const line_data&) {
    end_uncached(line, access::uncached_load);
}

void random_tile::write_complete(line_t line) {
    end_uncached(line, access::uncached_store);
}

void random_tile::receive(const message& m) {
    switch (properties(m.kind).receiver) {
        case receiver_kind::directory:
            return l3 ? l3->receive(m) : slice.receive(m);
        case receiver_kind::uncached:
            return uncached_.receive(m);
        default:
            return agent_.receive(m);
    }
}

bool random_tile::evict_all() {
    bool left = false;
    for (way& w : ways_) {
        if (w.line == none) continue;
        if (agent_.evict(w.line, slot_of(w)))
            w.line = none;
        else
            left = true;
    }
    return left;
}

l2_state random_tile::state_of(line_t line) const {
    for (const way& w : ways_)
        if (w.line == line) return w.state;
    return l2_state::i;
}

bool random_tile::at_rest() const {
    for (const way& w : ways_)
        if (!is_stable(w.state)) return false;
    for (const l2_agent::victim& v : agent_.victims())
        if (v.state != l2_state::i) return false;
    return uncached_.operations().empty();
}

void random_tile::debug_read(debug_view& view) {
    view.victims(agent_);
    if (l3)
        l3->view(view);
    else
        view.slice(slice);
    if (const access_thread* t = streaming_thread(view.line()))
        view.streaming_store(t->now.data.data());
    if (const way* w = find_way(view.line()); w != nullptr && readable(w->state)) {
        const l1_line* l = find_l1(w->line);
        view.copy(l != nullptr ? l->data.data() : w->data.data());
    }
}

void random_tile::debug_write(line_t line, const std::uint8_t* data, byte_mask mask) {
    if (access_thread* t = streaming_thread(line)) copy_bytes(t->now.data.data(), data, mask);
    if (way* w = find_way(line)) copy_bytes(w->data.data(), data, mask);
    if (l1_line* l = find_l1(line)) copy_bytes(l->data.data(), data, mask);
    agent_.debug_write(line, data, mask);
    slice.debug_write(line, data, mask);
    if (l3) l3->debug_write(line, data, mask);
}

}  // namespace knc::coherence::test
