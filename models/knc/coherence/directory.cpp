#include <knc/coherence/directory.h>

#include <fmt/format.h>

#include <knc/coherence/home.h>

namespace knc::coherence {

node_t directory::next_holder(std::uint64_t holders, node_t requester) {
    const std::uint64_t above = requester < max_tiles ? holders & ~(bit_of(requester) - 1) : 0;
    return static_cast<node_t>(__builtin_ctzll(above != 0 ? above : holders));
}

void directory::receive(const message& m) {
    entry& e = lines_[m.line];
    if (is_request(m.kind) && e.work != none) return work_.enqueue(e.work, m);
    for (const message* next = &m; next != nullptr;) {
        step(e, *next, classify(e, *next));
        if (!is_stable(e.state) || e.work == none) break;
        next = work_.dequeue(e.work);
        if (next == nullptr) {
            work_.end(e.work);
            e.work = none;
        }
    }
    if (e.state == directory_state::gi) lines_.erase(m.line);
}

// The directory cannot tell whether a sole owner (GE) has modified the line.
directory_event directory::classify(const entry& e, const message& m) {
    return event_of<directory_event>(m, e.holders, e.owner, e.state == directory_state::ge, [&] {
        return e.work != none && --work_[e.work].awaited == 0;
    });
}

void directory::step(entry& e, const message& m, directory_event event) {
    const directory_table::transition& t = table_.at(e.state, event);
    if (!t.possible) return impossible(e, m, event);
    const bool begins = e.work == none;
    if (begins && !is_stable(t.next)) e.work = work_.begin();
    directory_transaction& work = e.work != none ? work_[e.work] : at_once_;
    if (is_request(m.kind)) {
        work.request = m;
        work.has_recalled = false;
        work.awaited = 0;
        work.forwarder = no_node;
    } else if (begins) {
        work = directory_transaction{};
    }
    for (const directory_action a : t) {
        if (a == directory_actions::keep) {
            work.recalled = m.data;
            work.has_recalled = true;
        } else {
            perform(a, e, work);
        }
    }
    e.state = t.next;
}

void directory::perform(directory_action a, entry& e, directory_transaction& work) {
    using namespace directory_actions;
    using kind = message_kind;
    const node_t requester = work.request.requester;
    const auto to_memory = [&](kind k) {
        return about(work, k, hash_.controller(work.request.line));
    };
    switch (a) {
        case mem_read_e:
            return out_.send(to_memory(kind::mem_read_e));
        case mem_read_m:
            return out_.send(to_memory(kind::mem_read_m));
        case mem_read_once:
            return out_.send(to_memory(kind::mem_read_once));
        case mem_write: {
            message m = to_memory(kind::mem_write);
            m.data = work.request.data;
            return out_.send(m);
        }
        case mem_write_bytes: {
            message m = to_memory(kind::mem_write_bytes);
            m.mask = work.has_recalled ? all_bytes : work.request.mask;
            if (work.has_recalled) m.data = work.recalled;
            copy_bytes(m.data.data(), work.request.data.data(), work.request.mask);
            return out_.send(m);
        }
        case pick_owner:
            work.forwarder = e.owner;
            return;
        case pick_sharer:
            work.forwarder = choice_(e.holders, requester);
            return;
        case fwd_get_s:
            return out_.send(about(work, kind::fwd_get_s, work.forwarder));
        case fwd_get_m:
            return out_.send(about(work, kind::fwd_get_m, work.forwarder));
        case fwd_read:
            return out_.send(about(work, kind::fwd_read, work.forwarder));
        case invalidate_rest: {
            const std::uint64_t kept =
                bit_of(requester) | (work.forwarder != no_node ? bit_of(work.forwarder) : 0);
            return invalidate(work, e.holders & ~kept, no_node);
        }
        case invalidate_all:
            return invalidate(work, e.holders, e.owner);
        case grant:
            return out_.send(about(work, kind::grant, requester));
        case put_ack:
            return out_.send(about(work, kind::put_ack, requester));
        case write_done:
            return out_.send(about(work, kind::write_done, requester));
        case add:
            e.holders |= bit_of(requester);
            return;
        case remove:
            e.holders &= ~bit_of(requester);
            if (e.owner == requester) e.owner = no_node;
            return;
        case own:
            e.holders = bit_of(requester);
            e.owner = requester;
            return;
        case disown:
            e.owner = no_node;
            return;
        default:  // clear
            e.holders = 0;
            e.owner = no_node;
            return;
    }
}

void directory::invalidate(directory_transaction& work, std::uint64_t whom, node_t recalled) {
    work.awaited = coherence::invalidate(whom, recalled, [&](message_kind kind, node_t tile) {
        out_.send(about(work, kind, tile));
    });
}

// A message about the transaction's line and requester.
message directory::about(const directory_transaction& work, message_kind kind,
                         node_t destination) const {
    message m;
    m.kind = kind;
    m.line = work.request.line;
    m.source = tile_;
    m.destination = destination;
    m.requester = work.request.requester;
    return m;
}

void directory::impossible(const entry& e, const message& m, directory_event event) {
    out_.protocol_error(fmt::format(
        "directory slice of tile {}: line {:#x} in state {}: {} ({} from node {} for node {})",
        tile_, m.line, name_of(e.state), name_of(event), properties(m.kind).name, m.source,
        m.requester));
}

directory_record directory::save(line_t line) const {
    directory_record r;
    r.line = line;
    const entry* e = lines_.find(line);
    if (e == nullptr) return r;
    r.state = e->state;
    r.holders = e->holders;
    r.owner = e->owner;
    if (e->work != none) work_.save(e->work, r.transaction, r.queue);
    return r;
}

void directory::restore(const directory_record& r) {
    entry& e = lines_[r.line];
    if (e.work != none) {
        work_.drop(e.work);
        e.work = none;
    }
    if (r.state == directory_state::gi) return lines_.erase(r.line);
    e.state = r.state;
    e.holders = r.holders;
    e.owner = r.owner;
    if (!is_stable(r.state)) e.work = work_.restore(r.transaction, r.queue);
}

void directory::clear() {
    lines_.clear();
    work_.clear();
}

const std::uint8_t* directory::debug_read(line_t line) const {
    const entry* e = lines_.find(line);
    if (e == nullptr || e->state != directory_state::once_i) return nullptr;
    const directory_transaction& t = work_[e->work];
    return t.has_recalled ? t.recalled.data() : nullptr;
}

void directory::debug_write(line_t line, const std::uint8_t* data, byte_mask mask) {
    const entry* e = lines_.find(line);
    if (e == nullptr || e->work == none) return;
    copy_bytes(work_[e->work].recalled.data(), data, mask);
    work_.each_waiting(e->work, [&](message& m) {
        if (m.kind == message_kind::put_dirty) copy_bytes(m.data.data(), data, mask);
    });
}

}  // namespace knc::coherence
