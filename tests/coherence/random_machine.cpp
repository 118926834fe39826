#include "random_machine.h"

#include <algorithm>

#include <fmt/format.h>

namespace knc::coherence::test {
namespace {

constexpr std::uint32_t none = ~std::uint32_t{0};
// Clocks after which an access that is not complete counts as stuck. The longest queue at a home
// slice is all tiles' requests for one line, each some messages long.
constexpr std::uint64_t patience = 2'000'000;

}  // namespace

random_machine::random_machine(const machine_parameters& p, std::uint64_t seed)
    : p_(p),
      hash_(p.tiles, p.controllers),
      random_(seed),
      host_agent_(first_agent, hash_, *this, *this),
      memory_(p.lines),
      image_(p.lines) {
    for (line_data& d : memory_)
        for (std::uint8_t& byte : d) byte = static_cast<std::uint8_t>(random_());
    image_ = memory_;
    line_store& bytes = *this;
    for (unsigned c = 0; c < p.controllers; ++c)
        controllers_.emplace_back(static_cast<node_t>(first_controller + c), bytes, out());
    for (unsigned t = 0; t < p.tiles; ++t) tiles_.emplace_back(*this, static_cast<node_t>(t));
    for (unsigned t = 0; t < p.tiles; ++t)
        for (unsigned n = 0; n < p.threads; ++n) {
            tiles_[t].threads[n].now = next_access(false);
            wake(static_cast<node_t>(t), n, below(100));
        }
    host_.now = next_access(true);
    wake(first_agent, 0, below(100));
}

access random_machine::next_access(bool uncached_only) {
    access a;
    // Half of the accesses go to a few lines that everybody wants.
    a.line = first_line + below(chance(50) ? std::min(p_.lines, 3u) : p_.lines);
    const unsigned size = 1u << below(4);
    const unsigned offset = below(line_bytes / size) * size;
    a.mask = ((std::uint64_t{1} << size) - 1) << offset;
    const unsigned kind = below(100);
    if (uncached_only || kind >= 94) {
        a.kind = chance(50) ? access::uncached_load : access::uncached_store;
        if (chance(30)) a.mask = all_bytes;
    } else if (kind < 45) {
        a.kind = access::load;
    } else if (kind < 65) {
        a.kind = access::store;
    } else if (kind < 70) {
        a.kind = access::store_line;
        a.mask = all_bytes;
    } else if (kind < 80) {
        a.kind = access::add;
    } else {
        a.kind = kind < 85   ? access::prefetch
                 : kind < 88 ? access::prefetch_to_write
                             : access::evict;
    }
    for (std::uint8_t& byte : a.data) byte = static_cast<std::uint8_t>(random_());
    return a;
}

void random_machine::wake(node_t tile, unsigned thread, unsigned delay) {
    events_.push({now_ + delay, sequence_++, none, tile, thread});
}

void random_machine::check_loaded(node_t tile, const access& a, const line_data& found) {
    const line_data& right = image_[a.line - first_line];
    for (std::size_t n = 0; n < line_bytes; ++n)
        if ((a.mask >> n & 1) != 0 && found[n] != right[n])
            return fail(
                fmt::format("tile {} loads {:#04x} from byte {} of line {:#x} at {}, last "
                            "stored was {:#04x}",
                            tile, found[n], n, a.line, now_, right[n]));
}

void random_machine::commit(line_t line, const line_data& d, byte_mask mask) {
    copy_bytes(image_[line - first_line].data(), d.data(), mask);
}

// The uncached write that the node has under way for the line.
bool random_machine::writing(line_t line, node_t requester, access& a) {
    const auto is_it = [&](const access_thread& t) {
        const bool it = t.state == access_thread::uncached && t.now.line == line &&
                        t.now.kind == access::uncached_store;
        if (it) a = t.now;
        return it;
    };
    if (requester == first_agent) return is_it(host_);
    const auto& threads = tiles_[requester].threads;
    return std::any_of(threads.begin(), threads.end(), is_it);
}

void random_machine::send(const message& m) {
    const message_properties& of = properties(m.kind);
    const bool exists =
        m.destination < p_.tiles || m.destination == first_agent ||
        (m.destination >= first_controller && m.destination < first_controller + p_.controllers);
    if (!exists) return fail(fmt::format("{} to node {}", of.name, m.destination));
    line_data& image = image_[m.line - first_line];
    if (m.kind == message_kind::mem_write_bytes) {
        access a;
        if (!writing(m.line, m.requester, a)) return fail("an uncached write nobody makes");
        copy_bytes(image.data(), a.data.data(), a.mask);
        line_data expected = m.data;  // bytes outside the mask say nothing
        copy_bytes(expected.data(), image.data(), m.mask);
        if (expected != m.data || (m.mask | a.mask) != m.mask) fail("an uncached write is garbled");
    } else if (of.has_data && m.kind != message_kind::put_dirty &&
               m.kind != message_kind::write_once && m.data != image) {
        fail(fmt::format("old data in {} for line {:#x} from node {}", of.name, m.line, m.source));
    }
    if (unused_.empty()) {
        unused_.push_back(static_cast<std::uint32_t>(flight_.size()));
        flight_.emplace_back();
    }
    const std::uint32_t n = unused_.back();
    unused_.pop_back();
    flight_[n] = m;
    if (is_request(m.kind)) flight_[n].tag = static_cast<std::uint16_t>(below(rmids));
    const unsigned delay = 1 + below(p_.longest_delay) * (chance(2) ? 10 : 1);
    events_.push({now_ + delay, sequence_++, n, 0, no_thread});
}

void random_machine::deliver(const message& m) {
    if (m.destination == first_agent) return host_agent_.receive(m);
    if (m.destination >= first_controller)
        return controllers_[m.destination - first_controller].perform(m);
    tiles_[m.destination].receive(m);
}

void random_machine::host_step() {
    if (host_.state == access_thread::idle) {
        if (host_.since != 0) count_access();
        host_.now = next_access(true);
        host_.since = now_;
        const bool read = host_.now.kind == access::uncached_load;
        // State first: the message is checked as it is sent.
        host_.state = access_thread::uncached;
        if (read)
            host_agent_.read(host_.now.line);
        else
            host_agent_.write(host_.now.line, host_.now.data, host_.now.mask);
    }
    wake(first_agent, 0, 1 + below(400));
}

// A debugger reads a line, and now and then writes to it.
void random_machine::debug_step() {
    const line_t line = first_line + below(p_.lines);
    debug_view view(line);
    for (random_tile& t : tiles_) t.debug_read(view);
    for (const message& m : flight_)
        if (m.kind != message_kind::count) view.in_flight(m);
    view.memory(memory_[line - first_line]);
    const line_data found = view.value();
    const auto will_write = [&](const random_tile& t) { return t.will_write(line, found); };
    if (found != image_[line - first_line] &&
        !std::any_of(tiles_.begin(), tiles_.end(), will_write))
        fail(fmt::format("a debugger reads an old value of line {:#x} at {}", line, now_));
    if (!chance(30)) return;
    const access a = next_access(true);
    for (random_tile& t : tiles_) t.debug_write(line, a.data.data(), a.mask);
    for (message& m : flight_)
        if (m.kind != message_kind::count) debug_write(m, line, a.data.data(), a.mask);
    copy_bytes(memory_[line - first_line].data(), a.data.data(), a.mask);
    commit(line, a.data, a.mask);
}

void random_machine::watch(const access_thread& t, const char* who, unsigned number) {
    if (t.state != access_thread::idle && now_ - t.since > patience)
        fail(fmt::format("{} {} waits for line {:#x} since {}, now {}", who, number, t.now.line,
                         t.since, now_));
}

// Until the accesses wanted are complete and nothing is under way.
bool random_machine::drain() {
    std::uint64_t steps = 0;
    while (!events_.empty() && error_.empty()) {
        const event e = events_.top();
        events_.pop();
        now_ = e.clock;
        if (e.message != none) {
            const message m = flight_[e.message];
            flight_[e.message].kind = message_kind::count;
            unused_.push_back(e.message);
            deliver(m);
        } else if (e.tile == first_agent) {
            if (complete_ < wanted_) host_step();
        } else if (complete_ < wanted_ ||
                   tiles_[e.tile].threads[e.thread].state != access_thread::idle) {
            tiles_[e.tile].try_access(e.thread);
        }
        if (++steps % 256 == 0) debug_step();
        if (steps % 256 == 128 && p_.l3 != nullptr) check_usage();
        if (steps % 65536 != 0) continue;
        watch(host_, "host", 0);
        for (unsigned t = 0; t < p_.tiles; ++t)
            for (const access_thread& x : tiles_[t].threads) watch(x, "tile", t);
    }
    return error_.empty();
}

// Nothing is under way: directories and caches agree.
void random_machine::check_rest() {
    for (unsigned t = 0; t < p_.tiles; ++t)
        if (!tiles_[t].at_rest()) fail(fmt::format("tile {} does not come to rest", t));
    for (line_t line = first_line; line < first_line + p_.lines; ++line) {
        if (p_.l3 != nullptr) {
            const auto r = tiles_[hash_.home(line)].l3->summary_of(line);
            for (unsigned t = 0; t < p_.tiles; ++t) {
                const bool holds = (r.holders >> t & 1) != 0, owns = r.owner == t;
                const l2_state s = tiles_[t].state_of(line);
                const bool owner_state = r.state == l3_state::le
                                             ? s == l2_state::e || s == l2_state::m
                                             : s == l2_state::o && r.state == l3_state::lo;
                if (!(owns ? holds && owner_state : s == (holds ? l2_state::s : l2_state::i)))
                    fail(fmt::format("line {:#x}: L3 in {}, tile {} in {}", line, name_of(r.state),
                                     t, name_of(s)));
            }
            continue;
        }
        const directory_record r = tiles_[hash_.home(line)].slice.save(line);
        for (unsigned t = 0; t < p_.tiles; ++t) {
            const bool holds = (r.holders >> t & 1) != 0, owns = r.owner == t;
            const l2_state s = tiles_[t].state_of(line);
            const bool owner_state = r.state == directory_state::ge
                                         ? s == l2_state::e || s == l2_state::m
                                         : s == l2_state::o && r.state == directory_state::gols;
            const bool agrees =
                owns ? holds && owner_state : s == (holds ? l2_state::s : l2_state::i);
            if (!agrees)
                fail(fmt::format("line {:#x}: slice in {}, tile {} in {}", line, name_of(r.state),
                                 t, name_of(s)));
        }
    }
}

// The counts of each monitoring ID are those of a walk through the tags.
void random_machine::check_usage() {
    for (unsigned t = 0; t < p_.tiles; ++t) {
        const knc::cache::l3_cache& c = *tiles_[t].l3;
        const std::vector<std::uint64_t> walked = c.walk();
        std::uint64_t sum = 0;
        for (unsigned r = 0; r < rmids; ++r) {
            const std::uint64_t lines = r < rmids - 1 ? c.usage()[r].lines : c.others().lines;
            if (lines != walked[r])
                fail(fmt::format("tile {}, monitoring ID {}: {} lines, counted {}", t, r, walked[r],
                                 lines));
            sum += lines;
        }
        if (sum != c.present()) fail("the monitoring IDs do not have all lines");
    }
}

std::string random_machine::run(std::uint64_t accesses) {
    wanted_ = accesses;
    if (!drain()) return error_;
    for (unsigned t = 0; t < p_.tiles; ++t)
        for (const access_thread& x : tiles_[t].threads)
            if (x.state != access_thread::idle) fail(fmt::format("tile {} waits for ever", t));
    check_rest();
    for (bool left = true; left && error_.empty();) {
        left = false;
        for (random_tile& t : tiles_) left |= t.evict_all();
        drain();
    }
    check_rest();
    for (bool left = p_.l3 != nullptr; left && error_.empty();) {
        check_usage();
        left = false;
        for (random_tile& t : tiles_) left |= t.empty_l3();
        drain();
    }
    for (random_tile& t : tiles_)
        if (t.l3 && t.l3->lines() + t.l3->parked() != 0) fail("the L3 is not empty");
    for (random_tile& t : tiles_)
        if (t.slice.lines() != 0) fail("a slice remembers lines that nobody has");
    if (memory_ != image_) fail("memory differs from what was stored");
    return error_;
}

}  // namespace knc::coherence::test
