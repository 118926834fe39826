#include "world.h"

#include <algorithm>

#include <fmt/format.h>

namespace knc::coherence::test {
namespace {

// Which sharer forwards is the directory's own choice; the protocol has to be right for any.
std::uint8_t next_choice = 0;
bool choice_offered = false;

node_t choose(std::uint64_t holders, node_t) {
    const std::uint64_t without_first = holders & (holders - 1);
    choice_offered |= without_first != 0;
    if (next_choice != 0 && without_first != 0) holders = without_first;
    return static_cast<node_t>(__builtin_ctzll(holders));
}

bool exclusive(l2_state s) {
    return s == l2_state::e || s == l2_state::m || s == l2_state::ei_a || s == l2_state::mi_a;
}

bool valid(l2_state s) {
    return readable(s) || (s >= l2_state::si_a && s <= l2_state::oi_a);
}

bool owned(l2_state s) {
    return s == l2_state::o || s == l2_state::om_a || s == l2_state::oi_a;
}

}  // namespace

world::cache::cache(world& w, node_t tile)
    : agent(tile, w.hash_, *this, w, l2_parameters{1}, *w.p_.l2), world_(w) {}

l2_slot world::cache::find(line_t l) {
    return line == world_.index_of(l) ? slot() : l2_slot{};
}

bool world::cache::take_back(line_t, l2_slot, l1_keeps) {
    if (!l1_dirty) return false;
    data = l1;
    l1_dirty = false;
    return true;
}

void world::cache::filled(line_t, l2_slot, const message&) {
    if (!is_stable(state) || state == l2_state::i) world_.fail("filled, but not readable");
}

// The value there was until now was nobody's to read any more.
void world::cache::overwrite(line_t, l2_slot) {
    if (l1_dirty) world_.fail("a line owned without data is in the L1");
    for (unsigned w = 0; w < words; ++w) data[word_byte[w]] = ++world_.latest[line][w];
}

void world::cache::lost(line_t, l2_slot) {
    line = -1;
}

world::world(const world_parameters& p)
    : memory(p.lines.size()),
      uncached(uncached_node, hash_, *this, *this),
      p_(p),
      hash_(p.tiles, 1),
      controller_(first_controller, *this, *this) {
    port& out = *this;
    for (unsigned t = 0; t < p.tiles; ++t) {
        caches.emplace_back(*this, static_cast<node_t>(t));
        if (p_.l3 != nullptr) {
            knc::cache::l3_parameters parameters;
            parameters.slice = {4 * line_bytes, 4, knc::cache::replacement::lru};
            l3.emplace_back(static_cast<node_t>(t), hash_, parameters, out, *p_.l3);
            continue;
        }
        slices.emplace_back(static_cast<node_t>(t), hash_, out, *p_.home, choose);
    }
    for (const line_t line : p.lines) homes_.push_back(hash_.home(line));
    for (std::size_t l = 0; l < p.lines.size(); ++l)
        for (unsigned w = 0; w < words; ++w) memory[l][word_byte[w]] = latest[l][w] = 1;
    check_table();
}

// What the table answers a core is what the states permit. (The steps below leave out accesses that
// change nothing.)
void world::check_table() {
    for (std::size_t n = 0; n < l2_table::states; ++n) {
        const auto s = static_cast<l2_state>(n);
        const bool may_send = is_stable(s);
        for (const bool write : {false, true}) {
            const auto& t = p_.l2->at(s, write ? l2_event::write : l2_event::read);
            const bool hit = write ? writable(s) : readable(s);
            const l2_action sent = write ? l2_actions::send_get_m : l2_actions::send_get_s;
            const l2_action answer = hit ? l2_actions::hit : may_send ? sent : l2_actions::wait;
            if (!t.possible || t.count != 1 || t.actions[0] != answer)
                fail(fmt::format("a core's access to {} has the wrong answer", name_of(s)));
        }
        const bool evictable = is_stable(s) && s != l2_state::i;
        if (p_.l2->at(s, l2_event::evict).possible != evictable)
            fail(fmt::format("eviction in {} is wrong", name_of(s)));
    }
}

int world::index_of(line_t line) const {
    const auto i = std::find(p_.lines.begin(), p_.lines.end(), line);
    return i == p_.lines.end() ? -1 : static_cast<int>(i - p_.lines.begin());
}

void world::steps(std::vector<step>& out) const {
    out.clear();
    // Equal messages cannot be under way twice, so each is a step of its own.
    for (std::size_t n = 0; n < network.size(); ++n)
        if (p_.reduced && commutes(network[n])) {
            out.assign(1, {step_kind::deliver, 0, static_cast<std::uint8_t>(n), 0});
            return;
        } else {
            out.push_back({step_kind::deliver, 0, static_cast<std::uint8_t>(n), 0});
        }
    const auto lines = static_cast<std::uint8_t>(p_.lines.size());
    for (std::uint8_t t = 0; t < p_.tiles; ++t) {
        const cache& c = caches[t];
        for (std::uint8_t l = 0; l < lines; ++l) {
            if (c.line != -1 && c.line != l) continue;
            if (c.line == -1) out.push_back({step_kind::read, t, l, 0});
            if (c.line == -1 && p_.i_to_m && c.agent.victim_state(p_.lines[l]) == l2_state::i)
                out.push_back({step_kind::i_to_m, t, l, 0});
            if (c.line == -1 || is_stable(c.state)) out.push_back({step_kind::write, t, l, 0});
        }
        if (c.line == -1) continue;
        const auto l = static_cast<std::uint8_t>(c.line);
        if (c.agent.may_evict(c.state)) out.push_back({step_kind::evict, t, l, 0});
        if (c.l1_dirty) out.push_back({step_kind::l1_write_back, t, l, 0});
    }
    for (std::uint8_t l = 0; p_.l3 != nullptr && l < lines; ++l) {
        const l3_state s = l3_of(l).summary_of(p_.lines[l]).state;
        if (is_stable(s) && s != l3_state::np) out.push_back({step_kind::replace, 0, l, 0});
    }
    if (!p_.uncached) return;
    for (std::uint8_t l = 0; l < lines; ++l) {
        if (uncached.busy(p_.lines[l])) continue;
        out.push_back({step_kind::uncached_read, 0, l, 0});
        out.push_back({step_kind::uncached_write, 0, l, 0});
    }
}

// Why these do: while one of them is under way, its line is busy at the home slice, which does
// nothing but queue requests until it has what it awaits; memory has one access per line at a time;
// of a line with a request under way, or in the victim buffer, a tile's core can change nothing.
// Those to a tile that gets a copy let it have the copy longer, so they hide no conflict between
// copies.
bool world::commutes(const message& m) const {
    const message_kind k = m.kind;
    switch (properties(k).receiver) {
        case receiver_kind::memory:
        case receiver_kind::uncached:
            return true;
        case receiver_kind::directory:
            return !is_request(k);
        default:
            break;
    }
    if (k >= message_kind::fwd_get_s && k <= message_kind::recall)
        return caches[m.destination].agent.victim_state(m.line) != l2_state::i;
    return true;
}

bool world::had_choice() const {
    return choice_offered;
}

bool world::take(const step& s) {
    choice_offered = false;
    if (s.kind == step_kind::deliver) {
        const message m = network[s.which];
        network.erase(network.begin() + s.which);
        next_choice = s.choice;
        switch (properties(m.kind).receiver) {
            case receiver_kind::l2:
                caches[m.destination].agent.receive(m);
                break;
            case receiver_kind::directory:
                if (p_.l3 != nullptr)
                    l3[m.destination].receive(m);
                else
                    slices[m.destination].receive(m);
                break;
            case receiver_kind::memory:
                controller_.perform(m);
                break;
            case receiver_kind::uncached:
                uncached.receive(m);
                break;
            case receiver_kind::device:
            case receiver_kind::core:
                break;  // nobody here has devices
        }
        return true;
    }
    cache& c = caches[s.tile];
    switch (s.kind) {
        case step_kind::read:
            return request(c, s.which, false);
        case step_kind::write:
            return request(c, s.which, true);
        case step_kind::i_to_m:
            c.line = s.which;
            c.agent.request_i_to_m(p_.lines[s.which], c.slot());
            return true;
        case step_kind::evict:
            c.agent.evict(p_.lines[s.which], c.slot());
            c.line = -1;
            return true;
        case step_kind::l1_write_back:
            c.take_back(p_.lines[s.which], c.slot(), l1_keeps::everything);
            c.agent.l1_wrote(p_.lines[s.which], c.slot());
            return true;
        case step_kind::replace:
            return l3_of(s.which).evict(p_.lines[s.which]);
        case step_kind::uncached_read:
            return uncached.read(p_.lines[s.which]);
        default: {
            line_data d{};
            d[word_byte[1]] = fresh;
            return uncached.write(p_.lines[s.which], d, second_word);
        }
    }
}

bool world::request(cache& c, unsigned line, bool write) {
    if (c.line != -1 && write && writable(c.state) && p_.l1) {
        // Into the L1, of which the L2 learns later.
        if (!c.l1_dirty) c.l1 = c.data;
        c.l1_dirty = true;
        store(c);
        return true;
    }
    const l2_agent::answer a = c.agent.request(p_.lines[line], c.slot(), write);
    if (a == l2_agent::answer::wait) return false;
    c.line = static_cast<int>(line);
    if (a == l2_agent::answer::hit && write) {
        if (c.state != l2_state::m) fail("a write hit outside M");
        store(c);
    }
    return true;
}

void world::store(cache& c) {
    (c.l1_dirty ? c.l1 : c.data)[word_byte[0]] = ++latest[c.line][0];
}

void world::write(line_t line, const line_data& d, byte_mask mask) {
    copy_bytes(memory[index_of(line)].data(), d.data(), mask);
}

bool world::current(unsigned line, const line_data& d) const {
    return d[word_byte[0]] == latest[line][0] && d[word_byte[1]] == latest[line][1];
}

void world::send(const message& m) {
    if (properties(m.kind).receiver == receiver_kind::l2 && m.destination >= p_.tiles)
        return fail("message to a tile that does not exist");
    const auto line = static_cast<unsigned>(index_of(m.line));
    message sent = m;
    if (m.kind == message_kind::mem_write_bytes) {
        // The uncached write takes effect here: no copies are left and later requests wait.
        if (m.data[word_byte[1]] != fresh) fail("an uncached write has lost its data");
        if (m.mask == all_bytes && m.data[word_byte[0]] != latest[line][0])
            fail("recalled data are old");
        sent.data[word_byte[1]] = ++latest[line][1];
    } else if (properties(m.kind).has_data && m.kind != message_kind::put_dirty &&
               m.kind != message_kind::write_once && !current(line, m.data)) {
        fail(fmt::format("old data in {}", properties(m.kind).name));
    }
    network.push_back(sent);
}

std::string world::check() {
    for (unsigned l = 0; l < p_.lines.size(); ++l) check_line(l);
    if (network.empty() && !quiescent()) fail("deadlock: unfinished business and no message");
    return error_;
}

void world::check_line(unsigned line) {
    const line_t number = p_.lines[line];
    unsigned copies = 0, exclusives = 0, owners = 0;
    bool busy = !home_is_stable(line);
    debug_view view(number);
    // What the home slice has taken out of a tile's hands may still be in its victim buffer.
    std::uint64_t evicted = 0;
    for (const message& m : network) {
        view.in_flight(m);
        busy |= m.line == number;
        if (m.line == number && m.kind == message_kind::put_ack) evicted |= 1u << m.destination;
    }
    bool without_data = false;
    for (const cache& c : caches) {
        const bool here = c.line == static_cast<int>(line);
        const l2_state in_buffer = c.agent.victim_state(number);
        busy |= in_buffer != l2_state::i;
        if (!here && (evicted >> c.agent.tile() & 1) != 0) continue;
        const l2_state s = here ? c.state : in_buffer;
        copies += valid(s);
        exclusives += exclusive(s);
        owners += owned(s);
        busy |= !is_stable(s);
        without_data |= s == l2_state::im_a;
        if (here && readable(s)) {
            if (!current(line, c.value())) fail("a load would read an old value");
            view.copy(c.value().data());
        }
        for (const l2_agent::victim& v : c.agent.victims())
            if (valid(v.state) && v.line == number && !current(line, v.data))
                fail("the victim buffer holds an old value");
    }
    if (exclusives != 0 && copies != 1) fail("an exclusive copy is not the only one");
    if (owners > 1) fail("two owners");
    for (const cache& c : caches) view.victims(c.agent);
    if (p_.l3 != nullptr)
        l3_of(line).view(view);
    else
        view.slice(home_of(line));
    view.memory(memory[line]);
    // The former value of a line owned without data may be lost already.
    if (!without_data && !current(line, view.value())) fail("the last value stored is lost");
    check_rest(line, busy || uncached.busy(number));
}

// A line about which nothing is under way: the directory knows exactly who has it.
void world::check_rest(unsigned line, bool busy) {
    if (busy) return;
    if (p_.l3 != nullptr) return check_l3(line);
    const directory_record r = home_of(line).save(p_.lines[line]);
    std::uint64_t holders = 0;
    for (std::size_t t = 0; t < caches.size(); ++t) {
        if (caches[t].line != static_cast<int>(line)) continue;
        holders |= std::uint64_t{1} << t;
        const l2_state s = caches[t].state;
        const bool owner = r.owner == t;
        bool agrees = false;
        switch (r.state) {
            case directory_state::gs:
                agrees = s == l2_state::s && r.owner == no_node;
                break;
            case directory_state::ge:
                agrees = owner && (s == l2_state::e || s == l2_state::m);
                break;
            case directory_state::gols:
                agrees = s == (owner ? l2_state::o : l2_state::s);
                break;
            default:
                break;
        }
        if (!agrees) fail("at rest, the directory has the wrong state");
    }
    if (holders != r.holders) fail("at rest, the directory has the wrong holders");
    if (r.owner != no_node && (holders >> r.owner & 1) == 0) fail("at rest, the owner has no copy");
    const bool memory_valid = r.state == directory_state::gi || r.state == directory_state::gs;
    if (memory_valid && !current(line, memory[line])) fail("at rest, memory is old");
}

bool world::home_is_stable(unsigned line) const {
    if (p_.l3 != nullptr) {
        const knc::cache::l3_record r = l3_of(line).save(p_.lines[line]);
        return is_stable(r.state) && r.queue.empty();
    }
    const directory_record r = home_of(line).save(p_.lines[line]);
    return is_stable(r.state) && r.queue.empty();
}
// The same of an L3: it also has the line if a tile has it, its data are right unless a tile owns
// the line, and memory is right unless they are newer.
void world::check_l3(unsigned line) {
    const knc::cache::l3_record r = l3_of(line).save(p_.lines[line]);
    std::uint64_t holders = 0;
    for (std::size_t t = 0; t < caches.size(); ++t) {
        if (caches[t].line != static_cast<int>(line)) continue;
        holders |= std::uint64_t{1} << t;
        const l2_state s = caches[t].state;
        const bool owner = r.owner == t;
        const bool agrees =
            (r.state == l3_state::ls && s == l2_state::s && r.owner == no_node) ||
            (r.state == l3_state::le && owner && (s == l2_state::e || s == l2_state::m)) ||
            (r.state == l3_state::lo && s == (owner ? l2_state::o : l2_state::s));
        if (!agrees) fail("at rest, the L3 has the wrong state");
    }
    if (holders != r.holders) fail("at rest, the L3 has the wrong holders");
    if ((r.owner != no_node) != (r.state == l3_state::le || r.state == l3_state::lo))
        fail("at rest, the L3 has the wrong owner");
    if (r.present != (r.state != l3_state::np) || r.placed != r.present)
        fail("at rest, the L3 is not inclusive");
    const bool right = r.state == l3_state::li || r.state == l3_state::ls;
    if (right && (!r.current || !current(line, r.data))) fail("at rest, the L3 is old");
    if ((r.state == l3_state::np || (right && !r.dirty)) && !current(line, memory[line]))
        fail("at rest, memory is old");
}
bool world::quiescent() const {
    if (!network.empty() || !uncached.operations().empty()) return false;
    for (const cache& c : caches) {
        if (!is_stable(c.state)) return false;
        for (const l2_agent::victim& v : c.agent.victims())
            if (v.state != l2_state::i) return false;
    }
    for (unsigned line = 0; line < p_.lines.size(); ++line) {
        if (!home_is_stable(line)) return false;
    }
    return true;
}

std::string world::describe(const step& s) const {
    if (s.kind == step_kind::deliver) {
        const message& m = network[s.which];
        return fmt::format("{} of line {} from {} reaches {} (for {}{})", properties(m.kind).name,
                           index_of(m.line), m.source, m.destination, m.requester,
                           s.choice != 0 ? ", second sharer forwards" : "");
    }
    constexpr const char* names[] = {"",
                                     "reads",
                                     "writes",
                                     "requests ownership without data of",
                                     "evicts",
                                     "takes back the L1's data of",
                                     "replaces",
                                     "reads uncached",
                                     "writes uncached"};
    const char* verb = names[static_cast<int>(s.kind)];
    if (s.kind == step_kind::replace) return fmt::format("the L3 replaces line {}", s.which);
    if (s.kind >= step_kind::uncached_read)
        return fmt::format("the host {} line {}", verb, s.which);
    return fmt::format("tile {} {} line {}", s.tile, verb, s.which);
}

}  // namespace knc::coherence::test
