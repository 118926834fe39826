#include "codec.h"

#include <algorithm>
#include <utility>

namespace knc::coherence::test {
namespace {

// Codes of nodes other than tiles 0-3.
constexpr unsigned code_home = 4, code_controller = 5, code_agent = 6, code_none = 7;

bool from_home(message_kind k) {
    return (k >= message_kind::fwd_get_s && k <= message_kind::write_done) ||
           (k >= message_kind::mem_read_e && k <= message_kind::mem_write_bytes);
}

line_data line_of(unsigned bits) {
    line_data d{};
    for (unsigned w = 0; w < words; ++w) d[word_byte[w]] = bits >> w & 1;
    return d;
}

}  // namespace

codec::codec(world& w)
    : w_(w),
      tiles_(w.parameters().tiles),
      lines_(static_cast<unsigned>(w.parameters().lines.size())),
      tile_code_(tiles_),
      homes_(lines_),
      l3_(lines_),
      victims_(1) {
    trying_.tile.resize(tiles_);
    trying_.at_tile.resize(tiles_);
    trying_.line.resize(lines_);
    trying_.at_line.resize(lines_);
}

unsigned codec::word_bits(unsigned line, const line_data& d) const {
    unsigned bits = 0;
    for (unsigned w = 0; w < words; ++w) bits |= (d[word_byte[w]] == w_.latest[line][w]) << w;
    return bits;
}

unsigned codec::node_code(const numbering& n, node_t node) const {
    if (node < tiles_) return n.tile[node];
    if (node == first_controller) return code_controller;
    return node == uncached_node ? code_agent : code_none;
}

const std::string& codec::save() {
    for (unsigned l = 0; l < lines_; ++l) {
        if (w_.parameters().l3 != nullptr)
            l3_[l] = w_.l3_of(l).save(w_.parameters().lines[l]);
        else
            homes_[l] = w_.home_of(l).save(w_.parameters().lines[l]);
    }
    have_best_ = false;
    numbering& n = trying_;
    for (unsigned swap = 0; swap < lines_; ++swap) {
        for (unsigned l = 0; l < lines_; ++l) {
            n.line[l] = static_cast<std::uint8_t>(l ^ swap);
            n.at_line[n.line[l]] = static_cast<std::uint8_t>(l);
        }
        tile_codes(n);
        for (unsigned t = 0; t < tiles_; ++t) n.at_tile[t] = static_cast<std::uint8_t>(t);
        std::sort(n.at_tile.begin(), n.at_tile.end(),
                  [this](unsigned a, unsigned b) { return tile_code_[a] < tile_code_[b]; });
        try_orders(n, 0);
    }
    return best_;
}

// What a tile's own state contributes, whatever the tile's number: these codes come first, so only
// an ascending order of them can be the least.
void codec::tile_codes(const numbering& n) {
    for (unsigned t = 0; t < tiles_; ++t) {
        const world::cache& c = w_.caches[t];
        std::uint32_t code = 0;
        if (c.line != -1) {
            const auto line = static_cast<unsigned>(c.line);
            const bool has_data =
                c.state != l2_state::is_d && c.state != l2_state::im_d && c.state != l2_state::im_a;
            const unsigned bits = has_data && !c.l1_dirty ? word_bits(line, c.data) : 0;
            const unsigned l1 = c.l1_dirty ? 4 | word_bits(line, c.l1) : 0;
            code = (1u + n.line[line]) | static_cast<unsigned>(c.state) << 2 | bits << 6 | l1 << 8;
        }
        const l2_agent::victim& v = c.agent.victims()[0];
        if (v.state != l2_state::i) {
            const auto line = static_cast<unsigned>(w_.index_of(v.line));
            const unsigned bits = v.state != l2_state::ii_a ? word_bits(line, v.data) : 0;
            code |= (1u + n.line[line]) << 11 | static_cast<unsigned>(v.state) << 13 | bits << 17;
        }
        tile_code_[t] = code;
    }
}

// All orders of tiles with equal codes.
void codec::try_orders(numbering& n, unsigned position) {
    if (position == tiles_) {
        for (unsigned t = 0; t < tiles_; ++t) n.tile[n.at_tile[t]] = static_cast<std::uint8_t>(t);
        encode(n);
        return;
    }
    for (unsigned other = position; other < tiles_; ++other) {
        if (tile_code_[n.at_tile[other]] != tile_code_[n.at_tile[position]]) break;
        std::swap(n.at_tile[position], n.at_tile[other]);
        try_orders(n, position + 1);
        std::swap(n.at_tile[position], n.at_tile[other]);
    }
}

void codec::encode(const numbering& n) {
    trial_.clear();
    for (unsigned t = 0; t < tiles_; ++t) {
        const std::uint32_t code = tile_code_[n.at_tile[t]];
        for (unsigned shift = 0; shift < 24; shift += 8) put(code >> shift & 255);
    }
    for (unsigned l = 0; l < lines_; ++l) put_home(n, n.at_line[l]);
    messages_.clear();
    for (const message& m : w_.network) put_message(n, m, messages_.emplace_back());
    std::sort(messages_.begin(), messages_.end());
    for (const std::uint32_t code : messages_)
        for (unsigned shift = 0; shift < 24; shift += 8) put(code >> shift & 255);
    if (!have_best_ || trial_.size() < best_.size() ||
        (trial_.size() == best_.size() && trial_ < best_))
        best_ = trial_;
    have_best_ = true;
}

// The host's access to the line.
void codec::put_operation(unsigned line) {
    unsigned operation = 0;
    for (const uncached_agent::operation& o : w_.uncached.operations())
        if (w_.index_of(o.line) == static_cast<int>(line)) operation = o.write ? 2 : 1;
    put(operation);
}

// An L3 replaces a line for nobody; its messages name the home tile as the requester.
bool codec::for_nobody(message_kind k) {
    return k == message_kind::invalidate || k == message_kind::recall ||
           k == message_kind::inv_ack || k == message_kind::recall_data ||
           k == message_kind::mem_write || k == message_kind::write_ack;
}

void codec::put_l3(const numbering& n, unsigned line) {
    const knc::cache::l3_record& r = l3_[line];
    unsigned holders = 0;
    for (unsigned t = 0; t < tiles_; ++t)
        if ((r.holders >> t & 1) != 0) holders |= 1u << n.tile[t];
    put(static_cast<unsigned>(r.state) | word_bits(line, w_.memory[line]) << 6);
    put(holders | node_code(n, r.owner) << 4);
    put_operation(line);
    put((r.placed ? 1u : 0u) | (r.present ? 2u : 0u) | (r.current ? 4u : 0u) | (r.dirty ? 8u : 0u) |
        (r.current ? word_bits(line, r.data) : 0) << 4);
    if (is_stable(r.state)) return;
    const knc::cache::l3_transaction& t = r.transaction;
    const bool nobody = t.request.kind == message_kind::count;
    put(static_cast<unsigned>(t.request.kind));
    put(t.awaited | node_code(n, t.forwarder) << 5);
    put(nobody ? code_none : node_code(n, t.request.requester));
    put((t.holds ? 4 | word_bits(line, t.held) : 0) | (t.recalled ? 8 : 0) |
        static_cast<unsigned>(r.queue.size()) << 4);
    for (const message& m : r.queue) {
        std::uint32_t code;
        put_message(n, m, code);
        for (unsigned shift = 0; shift < 24; shift += 8) put(code >> shift & 255);
    }
}

void codec::put_home(const numbering& n, unsigned line) {
    if (w_.parameters().l3 != nullptr) return put_l3(n, line);
    const directory_record& r = homes_[line];
    unsigned holders = 0;
    for (unsigned t = 0; t < tiles_; ++t)
        if ((r.holders >> t & 1) != 0) holders |= 1u << n.tile[t];
    put(static_cast<unsigned>(r.state) | word_bits(line, w_.memory[line]) << 6);
    put(holders | node_code(n, r.owner) << 4);
    put_operation(line);
    if (is_stable(r.state)) return;
    const directory_transaction& t = r.transaction;
    put(static_cast<unsigned>(t.request.kind) | node_code(n, t.request.requester) << 5);
    put(t.awaited | node_code(n, t.forwarder) << 5);
    put((t.has_recalled ? 4 | word_bits(line, t.recalled) : 0) |
        static_cast<unsigned>(r.queue.size()) << 3);
    for (const message& m : r.queue) {
        std::uint32_t code;
        put_message(n, m, code);
        for (unsigned shift = 0; shift < 24; shift += 8) put(code >> shift & 255);
    }
}

void codec::put_message(const numbering& n, const message& m, std::uint32_t& code) const {
    const auto line = static_cast<unsigned>(w_.index_of(m.line));
    const bool to_home = properties(m.kind).receiver == receiver_kind::directory;
    const bool counts = m.kind == message_kind::put_dirty || m.kind == message_kind::mem_write ||
                        m.kind == message_kind::mem_write_bytes ||
                        (m.kind >= message_kind::l3_data_s && m.kind <= message_kind::l3_data_m) ||
                        m.kind == message_kind::fetched || m.kind == message_kind::recall_data ||
                        m.kind == message_kind::data_s || m.kind == message_kind::data_e ||
                        m.kind == message_kind::data_m;
    const bool nobody = w_.parameters().l3 != nullptr && for_nobody(m.kind);
    code = static_cast<unsigned>(m.kind) | static_cast<unsigned>(n.line[line]) << 6 |
           (from_home(m.kind) ? code_home : node_code(n, m.source)) << 7 |
           (to_home ? code_home : node_code(n, m.destination)) << 10 |
           (nobody ? code_none : node_code(n, m.requester)) << 13 |
           (counts ? word_bits(line, m.data) : 0) << 16 | (m.mask == all_bytes ? 1u : 0u) << 18;
}

void codec::load(const std::uint8_t* code, std::size_t size) {
    const std::uint8_t* const end = code + size;
    next_ = code;
    for (auto& line : w_.latest)
        for (std::uint8_t& version : line) version = 1;
    for (unsigned t = 0; t < tiles_; ++t) load_cache(t);
    w_.uncached.restore({});
    for (unsigned l = 0; l < lines_; ++l) load_home(l);
    w_.network.clear();
    while (next_ != end) {
        std::uint32_t m = get();
        m |= static_cast<std::uint32_t>(get()) << 8;
        m |= static_cast<std::uint32_t>(get()) << 16;
        w_.network.push_back(load_message(m));
    }
}

void codec::load_cache(unsigned tile) {
    world::cache& c = w_.caches[tile];
    std::uint32_t code = get();
    code |= static_cast<std::uint32_t>(get()) << 8;
    code |= static_cast<std::uint32_t>(get()) << 16;
    c.line = static_cast<int>(code & 3) - 1;
    c.state = static_cast<l2_state>(code >> 2 & 15);
    c.data = line_of(code >> 6 & 3);
    c.l1_dirty = (code >> 10 & 1) != 0;
    c.l1 = line_of(code >> 8 & 3);
    l2_agent::victim& v = victims_[0];
    v = {};
    if ((code >> 11 & 3) != 0) {
        v.line = w_.parameters().lines[(code >> 11 & 3) - 1];
        v.state = static_cast<l2_state>(code >> 13 & 15);
        v.data = line_of(code >> 17 & 3);
    }
    c.agent.restore(victims_);
}

void codec::load_operation(unsigned line, unsigned operation) {
    if (operation == 0) return;
    auto operations = w_.uncached.operations();
    operations.push_back({w_.parameters().lines[line], operation == 2});
    w_.uncached.restore(operations);
}

void codec::load_l3(unsigned line) {
    const auto node = [](unsigned c) {
        if (c < code_home) return static_cast<node_t>(c);
        return c == code_agent ? uncached_node : no_node;
    };
    knc::cache::l3_record r;
    r.line = w_.parameters().lines[line];
    const unsigned first = get(), second = get(), operation = get(), third = get();
    r.state = static_cast<l3_state>(first & 63);
    w_.memory[line] = line_of(first >> 6);
    r.holders = second & 15;
    r.owner = node(second >> 4);
    load_operation(line, operation);
    r.placed = (third & 1) != 0;
    r.present = (third & 2) != 0;
    r.current = (third & 4) != 0;
    r.dirty = (third & 8) != 0;
    r.data = line_of(third >> 4 & 3);
    if (!is_stable(r.state)) {
        const unsigned kind = get(), progress = get(), requester = get(), rest = get();
        knc::cache::l3_transaction& t = r.transaction;
        if (kind == static_cast<unsigned>(message_kind::count)) {
            t.request.line = r.line;
            t.request.requester = no_node;
        } else {
            t.request =
                load_message(kind | line << 6 | requester << 7 | code_home << 10 | requester << 13);
        }
        t.awaited = progress & 31;
        t.forwarder = node(progress >> 5);
        t.holds = (rest & 4) != 0;
        t.recalled = (rest & 8) != 0;
        t.held = line_of(rest & 3);
        for (unsigned n = rest >> 4; n != 0; --n) {
            std::uint32_t m = get();
            m |= static_cast<std::uint32_t>(get()) << 8;
            m |= static_cast<std::uint32_t>(get()) << 16;
            r.queue.push_back(load_message(m));
        }
    }
    w_.l3_of(line).restore(r);
}

void codec::load_home(unsigned line) {
    if (w_.parameters().l3 != nullptr) return load_l3(line);
    const auto node = [](unsigned c) {
        if (c < code_home) return static_cast<node_t>(c);
        return c == code_agent ? uncached_node : no_node;
    };
    directory_record r;
    r.line = w_.parameters().lines[line];
    const unsigned first = get(), second = get(), operation = get();
    r.state = static_cast<directory_state>(first & 63);
    w_.memory[line] = line_of(first >> 6);
    r.holders = second & 15;
    r.owner = node(second >> 4);
    load_operation(line, operation);
    if (!is_stable(r.state)) {
        const unsigned request = get(), progress = get(), rest = get();
        directory_transaction& t = r.transaction;
        t.request = load_message((request & 31) | line << 6 | (request >> 5) << 7 |
                                 code_home << 10 | (request >> 5) << 13);
        t.awaited = progress & 31;
        t.forwarder = node(progress >> 5);
        t.has_recalled = (rest >> 2 & 1) != 0;
        t.recalled = line_of(rest & 3);
        for (unsigned n = rest >> 3; n != 0; --n) {
            std::uint32_t m = get();
            m |= static_cast<std::uint32_t>(get()) << 8;
            m |= static_cast<std::uint32_t>(get()) << 16;
            r.queue.push_back(load_message(m));
        }
    }
    w_.home_of(line).restore(r);
}

message codec::load_message(std::uint32_t code) {
    message m;
    m.kind = static_cast<message_kind>(code & 63);
    m.line = w_.parameters().lines[code >> 6 & 1];
    const auto node = [&](unsigned c) {
        switch (c) {
            case code_home:
                return w_.home_node(code >> 6 & 1);
            case code_controller:
                return first_controller;
            case code_agent:
                return uncached_node;
            case code_none:
                return no_node;
            default:
                return static_cast<node_t>(c);
        }
    };
    m.source = node(code >> 7 & 7);
    m.destination = node(code >> 10 & 7);
    m.requester = node(code >> 13 & 7);
    if (m.kind == message_kind::write_once) {
        m.mask = second_word;
        m.data[word_byte[1]] = fresh;
    } else {
        m.data = line_of(code >> 16 & 3);
        if (m.kind == message_kind::mem_write_bytes)
            m.mask = (code >> 18 & 1) != 0 ? all_bytes : second_word;
    }
    return m;
}

}  // namespace knc::coherence::test
