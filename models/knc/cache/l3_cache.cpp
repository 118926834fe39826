// A slice of the L3: its transactions.
#include <knc/cache/l3_cache.h>

#include <algorithm>

#include <fmt/format.h>

#include <knc/coherence/home.h>

namespace knc::cache {

using coherence::bit_of;
using coherence::l3_action;
using coherence::l3_event;
using coherence::l3_state;
using coherence::line_t;
using coherence::max_tiles;
using coherence::message;
using coherence::message_kind;
using coherence::no_node;
using coherence::node_t;

namespace {

bool takes_copy(message_kind k) {
    return k == message_kind::get_s || k == message_kind::get_m || k == message_kind::i_to_m;
}

}  // namespace

l3_cache::l3_cache(node_t tile, const coherence::address_hash& hash, const l3_parameters& p,
                   coherence::port& out, const coherence::l3_table& table)
    : tile_(tile),
      hash_(hash),
      p_(p),
      out_(out),
      table_(table),
      array_(p.slice),
      slots_(array_.size()),
      usage_(p.monitored) {}

void l3_cache::receive(const message& m) {
    ++uses_;
    if (const entry* const e = lines_.find(m.line);
        e != nullptr && is_request(m.kind) && e->work != none) {
        work_.enqueue(e->work, m);
        return;
    }
    if (!is_request(m.kind))
        step(m.line, m, classify(lines_[m.line], m));
    else if (!start(m))
        parked_.push_back(m);
    settle(m.line);
}

bool l3_cache::evict(line_t line) {
    const entry* const e = lines_.find(line);
    if (e == nullptr || !replaceable(*e)) return false;
    replace(line);
    settle(line);
    return true;
}

// Starts the request. Returns false if it must wait for a way.
bool l3_cache::start(const message& m) {
    const entry& e = lines_[m.line];
    if (e.slot == none && takes_copy(m.kind) && !find_way(m.line)) {
        if (e.work == none) lines_.erase(m.line);
        return false;
    }
    entry& now = *lines_.find(m.line);
    touch(now, m);
    step(m.line, m, classify(now, m));
    return true;
}

// Reserves a way for the line; may replace another line.
bool l3_cache::find_way(line_t line) {
    const auto number = [this](const way& w) {
        return static_cast<std::size_t>(&w - &array_.at(0));
    };
    way* const w = array_.choose(key(line), [&](line_t, const way& other) {
        return replaceable(*lines_.find(slots_[number(other)].line));
    });
    if (w == nullptr) return false;
    slot& s = slots_[number(*w)];
    if (array_.holds(*w)) {
        unsettled_.push_back(s.line);
        replace(s.line);
    }
    array_.enter(*w, key(line));
    w->used = uses_;
    s.line = line;
    s.present = s.current = s.dirty = false;
    lines_.find(line)->slot = static_cast<std::uint32_t>(number(*w));
    return true;
}

void l3_cache::replace(line_t line) {
    const entry& e = *lines_.find(line);
    message m;
    m.line = line;
    m.requester = tile_;
    step(line, m, slots_[e.slot].dirty ? l3_event::evict_dirty : l3_event::evict_clean);
}

// A transaction for the line may have ended: starts requests that wait. Those that wait for a way
// come first, or they might wait for ever.
void l3_cache::settle(line_t line) {
    unsettled_.push_back(line);
    while (!unsettled_.empty()) {
        if (!parked_.empty() && admit_parked()) continue;
        const line_t next = unsettled_.back();
        unsettled_.pop_back();
        start_next(next);
    }
}

// Starts the next request of the line's queue.
void l3_cache::start_next(line_t line) {
    entry* const e = lines_.find(line);
    if (e == nullptr || !coherence::is_stable(e->state)) return;
    if (e->work == none) {
        if (e->state == l3_state::np && e->slot == none) lines_.erase(line);
        return;
    }
    unsettled_.push_back(line);
    message next;
    if (!work_.dequeue(e->work, next)) {
        work_.end(e->work);
        e->work = none;
    } else if (!start(next)) {
        parked_.push_back(next);
    }
}

// Starts the first request for which there is a way now, or that another one for its line precedes.
// Returns false if there is none.
bool l3_cache::admit_parked() {
    for (std::size_t n = 0; n < parked_.size(); ++n) {
        const message m = parked_[n];
        const entry* const e = lines_.find(m.line);
        if (e != nullptr && !coherence::is_stable(e->state))
            work_.enqueue(e->work, m);
        else if (!start(m))
            continue;
        parked_.erase(parked_.begin() + static_cast<std::ptrdiff_t>(n));
        unsettled_.push_back(m.line);
        return true;
    }
    return false;
}

// A request uses the line.
void l3_cache::touch(entry& e, const message& m) {
    const bool once = m.kind == message_kind::read_once || m.kind == message_kind::write_once;
    if (once) usage_of(m.tag).seen = true;
    if (e.slot == none || !takes_copy(m.kind)) return;
    usage_of(m.tag).seen = true;
    array_.at(e.slot).used = uses_;
    slot& s = slots_[e.slot];
    const bool upgrade = m.requester < max_tiles && (e.holders & bit_of(m.requester)) != 0;
    if (!s.present || upgrade || p_.hit == monitored_hit::keep) return;
    --usage_of(s.rmid).lines;
    ++usage_of(m.tag).lines;
    s.rmid = m.tag;
}

// A sole owner (LE) need not have modified the line.
l3_event l3_cache::classify(const entry& e, const message& m) {
    if (m.kind == message_kind::fetched) return l3_event::fetched;
    return coherence::event_of<l3_event>(m, e.holders, e.owner, e.state == l3_state::le, [&] {
        return e.work != none && --work_[e.work].awaited == 0;
    });
}

void l3_cache::step(line_t line, const message& m, l3_event event) {
    entry& e = *lines_.find(line);
    const coherence::l3_table::transition& t = table_.at(e.state, event);
    if (!t.possible) return impossible(e, m, event);
    if (coherence::is_stable(e.state)) {
        // A request, or a replacement.
        if (!coherence::is_stable(t.next) && e.work == none) e.work = work_.begin();
        l3_transaction& work = e.work != none ? work_[e.work] : at_once_;
        work = l3_transaction{};
        work.request = m;
    }
    l3_transaction& work = e.work != none ? work_[e.work] : at_once_;
    for (const l3_action a : t) perform(a, e, work, m);
    e.state = t.next;
}

void l3_cache::perform(l3_action a, entry& e, l3_transaction& work, const message& m) {
    using namespace coherence::l3_actions;
    using kind = message_kind;
    const node_t requester = work.request.requester;
    const node_t controller = hash_.controller(work.request.line);
    switch (a) {
        case mem_fetch:
            return send(work, kind::mem_fetch, controller);
        case mem_read_once:
            ++usage_of(work.request.tag).fetched;
            return send(work, kind::mem_read_once, controller);
        case mem_write:
        case mem_write_bytes: {
            const bool whole = a == mem_write;
            if (whole || work.holds)
                ++usage_of(work.rmid).written;
            else if (work.request.mask != 0)
                ++usage_of(work.request.tag).written;
            message w;
            w.kind = whole ? kind::mem_write : kind::mem_write_bytes;
            w.line = work.request.line;
            w.source = tile_;
            w.destination = controller;
            w.requester = requester;
            w.data = work.held;
            if (!whole) {
                w.mask = work.holds ? coherence::all_bytes : work.request.mask;
                coherence::copy_bytes(w.data.data(), work.request.data.data(), work.request.mask);
            }
            return out_.send(w);
        }
        case coherence::l3_actions::enter:
            return enter(e, work);
        case store: {
            enter(e, work);
            slot& s = slots_[e.slot];
            s.bytes = m.data;
            s.current = true;
            ++usage_of(s.rmid).fetched;
            return;
        }
        case take: {
            slot& s = slots_[e.slot];
            s.bytes = m.data;
            s.current = s.dirty = true;
            return;
        }
        case coherence::l3_actions::leave:
            return leave(e, work);
        case keep:
            work.held = m.data;
            work.holds = work.recalled = true;
            return;
        case l3_data_s:
            return send_data(e, work, kind::l3_data_s);
        case l3_data_e:
            return send_data(e, work, kind::l3_data_e);
        case l3_data_m:
            return send_data(e, work, kind::l3_data_m);
        case l3_data_once:
            return send_data(e, work, kind::l3_data_once);
        case pick_owner:
            work.forwarder = e.owner;
            return;
        case fwd_get_s:
            return send(work, kind::fwd_get_s, work.forwarder);
        case fwd_get_m:
            return send(work, kind::fwd_get_m, work.forwarder);
        case fwd_read:
            return send(work, kind::fwd_read, work.forwarder);
        case invalidate_rest: {
            const std::uint64_t kept =
                bit_of(requester) | (work.forwarder != no_node ? bit_of(work.forwarder) : 0);
            return invalidate(work, e.holders & ~kept, no_node);
        }
        case invalidate_all:
            return invalidate(work, e.holders, e.owner);
        case grant:
            return send(work, kind::grant, requester);
        case put_ack:
            return send(work, kind::put_ack, requester);
        case write_done:
            return send(work, kind::write_done, requester);
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

// The line is in the L3 from now on, in the way reserved for it.
void l3_cache::enter(entry& e, l3_transaction& work) {
    work.missed = true;
    slot& s = slots_[e.slot];
    s.rmid = work.request.tag;
    set_present(s, true);
}

void l3_cache::leave(entry& e, l3_transaction& work) {
    slot& s = slots_[e.slot];
    work.held = s.bytes;
    work.holds = s.current && s.dirty;
    work.rmid = s.rmid;
    set_present(s, false);
    array_.remove(array_.at(e.slot));
    e.slot = none;
}

// The line of the way comes or goes; its monitoring ID is that of the way.
void l3_cache::set_present(slot& s, bool present) {
    s.present = present;
    const std::uint64_t change = present ? 1 : ~std::uint64_t{0};
    usage_of(s.rmid).lines += change;
    present_ += change;
}

void l3_cache::invalidate(l3_transaction& work, std::uint64_t whom, node_t recalled) {
    work.awaited = coherence::invalidate(
        whom, recalled, [&](message_kind kind, node_t tile) { send(work, kind, tile); });
}

void l3_cache::send(const l3_transaction& work, message_kind kind, node_t to) {
    message m;
    m.kind = kind;
    m.line = work.request.line;
    m.source = tile_;
    m.destination = to;
    m.requester = work.request.requester;
    m.missed_l3 = work.missed;
    out_.send(m);
}

void l3_cache::send_data(const entry& e, const l3_transaction& work, message_kind kind) {
    message m;
    m.kind = kind;
    m.line = work.request.line;
    m.source = tile_;
    m.requester = m.destination = work.request.requester;
    m.missed_l3 = work.missed;
    m.data = slots_[e.slot].bytes;
    out_.send(m);
}

void l3_cache::impossible(const entry& e, const message& m, l3_event event) {
    const char* const what =
        m.kind != message_kind::count ? coherence::properties(m.kind).name : "replacement";
    out_.protocol_error(
        fmt::format("L3 slice of tile {}: line {:#x} in state {}: {} ({} from node "
                    "{} for node {})",
                    tile_, m.line, name_of(e.state), name_of(event), what, m.source, m.requester));
}

}  // namespace knc::cache
