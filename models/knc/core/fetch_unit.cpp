#include <knc/core/fetch_unit.h>

#include <algorithm>
#include <cstring>
#include <tuple>
#include <utility>

#include <knc/base/address_map.h>
#include <knc/base/archive.h>
#include <knc/core/issue_rules.h>
#include <knc/core/summary.h>
#include <knc/isa/decoder.h>

namespace knc::core {

using coherence::line_t;

namespace {

constexpr unsigned longest_instruction = 15;
constexpr std::uint64_t page_bytes = 0x1000;
constexpr std::uint64_t bus_bytes = 8;  // of a Pentium

// The number of bytes that determine `i`, decoded from `bytes`. For an undefined instruction, it is
// the number after which the decoder recognises that.
unsigned deciding_bytes(const isa::context& c, const isa::insn& i, const std::uint8_t* bytes) {
    unsigned n = i.length;
    isa::insn again;
    if ((i.flags & isa::insn_undefined) != 0)
        while (isa::decode(c.instruction_set, c.s.mode, bytes, n, again) ==
               isa::decode_result::more)
            ++n;
    return n;
}

}  // namespace

fetch_unit::fetch_unit(const parameters& p, timeline& time, load_store_unit& memory,
                       isa::code_view& code, thread_table& threads)
    : block_bytes_(p.fetch_bytes),
      more_flags_(p.pentium ? std::uint32_t{isa::insn_pentium} : 0),
      time_(time),
      memory_(memory),
      code_(code),
      threads_(threads),
      decoded_(code.groups()) {
    code_.attach(*this);
}

isa::status fetch_unit::line(thread& t, std::uint64_t paddr, std::uint8_t*& host) {
    host = nullptr;
    if (!memory_.is_ram(paddr)) return isa::status::ok;
    return memory_.use(t,
                       l1_->line_for_fetch(t.index(), memory_.line_of(paddr),
                                           t.context.code_cacheable, time_.now()),
                       host);
}

bool fetch_unit::holds_code(std::uint64_t paddr) const {
    return code_.holds_code(paddr) || l1_->holds_code(memory_.line_of(paddr));
}

// ---- the prefetch buffer

// `last`: the block of the last byte, which the buffer does not have.
bool fetch_unit::request_blocks(thread& t, std::uint64_t la, unsigned length, std::uint64_t last) {
    const std::uint64_t first = block_of(la);
    const bool goes_on = t.code.buffered(first);
    const std::uint64_t from = goes_on ? first + block_bytes_ : la, end = la + length - 1;
    if (!line_at_hand(t, la, from, end) && !lines_arrive(t, la, from, end)) return false;
    count_requests(t, !goes_on + ((last - first) >> __builtin_ctzll(block_bytes_)));
    t.code.buffer(last);
    return true;
}

// The common case of lines_arrive(): a single line, which the cache has.
inline bool fetch_unit::line_at_hand(thread& t, std::uint64_t la, std::uint64_t from,
                                     std::uint64_t last) {
    const line_t line = memory_.line_of(t.code.start + (from - la));
    if (memory_.line_of(from ^ last) != 0 || ((la ^ last) & ~(page_bytes - 1)) != 0 ||
        !l1_->use_code(t.index(), line, time_.now()))
        return false;
    t.code.buffer_line(line);
    return true;
}

// Whether the blocks of an instruction of the current page of code are available in this cycle.
bool fetch_unit::blocks_at_hand(const thread& t, std::uint64_t la, unsigned length) const {
    for (std::uint64_t at = block_of(la); at < la + length; at += block_bytes_) {
        if (t.code.buffered(at)) continue;
        const line_t line = memory_.line_of(t.code.physical(at));
        if (l1_->code_at_hand(line, time_.now()) == nullptr) return false;
    }
    return true;
}

// Requests the lines of an instruction at linear address `la`, from `from` to its last byte, from
// the L1 code cache. Returns false if the thread must wait for one.
bool fetch_unit::lines_arrive(thread& t, std::uint64_t la, std::uint64_t from, std::uint64_t last) {
    for (std::uint64_t at = from; at <= last; at = (at | (memory_.bytes_of_line() - 1)) + 1) {
        const bool here = at >> 12 == la >> 12;
        const std::uint64_t paddr =
            here ? t.code.start + (at - la) : t.code.rest + (at & (page_bytes - 1));
        std::uint8_t* host = nullptr;
        if (line(t, paddr, host) != isa::status::ok) {
            t.context.failure = isa::status::blocked;
            return false;
        }
        t.code.buffer_line(memory_.line_of(paddr));
    }
    return true;
}

// A Pentium reads a block that may not be cached by cycles of 8 bytes, whose time its bus has
// taken.
void fetch_unit::count_bus_reads(base::event_row& row, std::uint64_t blocks) const {
    const std::uint64_t cycles = blocks * (block_bytes_ / bus_bytes);
    row[base::code_read] += cycles - blocks;
    row[base::code_cache_miss] += cycles - blocks;
    row[base::p55c_uncached_reads] += cycles;
}

void fetch_unit::count_requests(thread& t, std::uint64_t n) const {
    base::event_row& row = t.context.events();
    row[base::code_read] += n;
    if (__builtin_expect(t.context.code_cacheable, 1)) return;
    row[base::code_cache_miss] += n;
    t.context.unusual = true;
    if (t.context.counts_accesses() && memory_.keeps_copies()) {
        count_bus_reads(row, n);
        return;
    }
    if (t.context.counts_accesses()) row[base::p55c_uncached_reads] += n;
    t.context.uncached += static_cast<std::uint32_t>(n);
}

// Copies up to `size` bytes of code at `paddr` within a page, as far as available in this cycle.
// Returns their number.
unsigned fetch_unit::bytes_at_hand(std::uint64_t paddr, unsigned size, std::uint8_t* bytes) const {
    unsigned done = 0;
    while (done < size) {
        const std::uint64_t first = paddr + done;
        const std::uint8_t* line = l1_->code_at_hand(memory_.line_of(first), time_.now());
        if (line == nullptr) break;
        const unsigned rest = bytes_to_end_of_line(first);
        const unsigned part = std::min(size - done, rest);
        std::memcpy(bytes + done, line + first % base::line_bytes, part);
        done += part;
    }
    return done;
}

// ---- decoding

namespace {

// Adds the properties that the pipelines use; `more`: flags of every instruction.
void prepare(isa::insn& i, std::uint32_t more) {
    set_issue_properties(
        i, (more & isa::insn_pentium) != 0 ? prefix_cost::earlier : prefix_cost::decoder);
    i.flags |= more;
    if ((i.flags & more_than_handler) == 0) i.flags |= isa::insn_plain;
}

}  // namespace

// Also checks instruction breakpoints: code of a page with one is not cached.
isa::insn* fetch_unit::decode(thread& t, std::uint64_t la, bool shadow) {
    isa::context& c = t.context;
    if (decoded_.has_dropped()) decoded_.collect();
    const std::uint64_t ip = c.s.r[isa::rip];
    const bool suppressed = (c.s.eflags & isa::flag_rf) != 0 || (shadow && c.debug_shadow);
    if (c.watched.on_instructions() && !suppressed) {
        if (const std::uint32_t met = c.watched.at_instruction(la)) {
            c.debug(met);
            return nullptr;
        }
    }
    const auto in_page = static_cast<unsigned>(page_bytes - (la & (page_bytes - 1)));
    std::uint64_t paddr = 0;
    std::uint8_t bytes[longest_instruction]{};
    const unsigned in_line = bytes_to_end_of_line(la);
    unsigned n = c.fetch(ip, std::min(longest_instruction, in_line), bytes, paddr);
    if (n == 0 || t.code.must_walk()) return nullptr;
    isa::decode_cache::page* page = nullptr;
    t.code.start = paddr;
    if (memory_.is_ram(paddr)) {
        page = decoded_.at(paddr >> 12, c.s.mode);
        if (!c.watched.instruction_in_page(la))
            t.code.remember(code_tag(la, c.s), page, paddr >> 12, c.code_cacheable);
        // Another thread, or another linear address, may have decoded it already.
        isa::insn* i = page->find(la);
        if (i != nullptr && !beyond_limit(c, ip, *i)) {
            t.code.translated();
            return i;
        }
    }
    isa::insn i;
    bool leaves_page = false;
    if (isa::decode(c.instruction_set, c.s.mode, bytes, n, i) == isa::decode_result::more) {
        leaves_page = in_line == in_page;
        c.failure = isa::status::ok;
        if (n == in_line) n = c.fetch(ip, longest_instruction, bytes, paddr);
        if (t.code.must_walk()) return nullptr;
        if (isa::decode(c.instruction_set, c.s.mode, bytes, n, i) == isa::decode_result::more) {
            // The instruction is too long, or it crosses the segment limit. A missing page has
            // priority.
            if (c.failure == isa::status::ok) c.failure = c.gp();
            return nullptr;
        }
    }
    t.code.translated();
    prepare(i, more_flags_);
    // An undefined instruction that crosses a page boundary has no length here.
    if (page == nullptr || (leaves_page && i.length <= in_page)) {
        i.pairing = isa::insn_alone;
        return t.code.unremembered(i);
    }
    if (i.length > in_page) {
        i.pairing = isa::insn_alone;
        return remember_crossing(t, i, la, paddr);
    }
    code_.mark(paddr, deciding_bytes(c, i, bytes));
    return page->add(la, i);
}

// Caches `i`, fetched just now, which crosses a page boundary; its first byte is at `paddr`, in
// RAM.
isa::insn* fetch_unit::remember_crossing(thread& t, const isa::insn& i, std::uint64_t la,
                                         std::uint64_t paddr) {
    const auto here = static_cast<unsigned>(page_bytes - (la & (page_bytes - 1)));
    const std::uint64_t rest = t.code.rest = t.context.last_fetched & ~(page_bytes - 1);
    if (!memory_.is_ram(rest) || t.context.watched.instruction_in_page(la)) {
        return t.code.unremembered(i);
    }
    code_.mark(paddr, here);
    code_.mark(rest, i.length - here);
    return t.code.add_crossing(la, code_tag(la, t.context.s), i);
}

namespace {

issue_class class_of(const isa::insn& i) {
    return {static_cast<pipe>(i.pipe), i.read_modify_write, i.rule, i.clocks};
}

}  // namespace

// `v`: the successor of `u` at `la` in its page; nullptr: it has none that could pair.
void fetch_unit::decide(isa::decode_cache::page& page, isa::insn& u, const isa::insn* v,
                        std::uint64_t la) const {
    if (v == nullptr || !may_pair(u, class_of(u), *v, class_of(*v))) {
        u.pairing = isa::insn_alone;
        v = nullptr;
    } else {
        u.pairing = isa::insn_paired;
        u.pair_cycles = static_cast<std::uint8_t>(pair_cycles(class_of(u), class_of(*v)));
        if ((v->flags & isa::insn_vector) != 0) u.flags |= isa::insn_vector_partner;
        if ((v->flags & isa::insn_mmx) != 0) u.flags |= isa::insn_mmx_partner;
    }
    const isa::static_group g = summarize(u, v, la, block_bytes_);
    if (g.is(isa::static_group::ready)) page.make_ready(la, u, v, g);
}

// Decides, once, whether `u` at linear address `la` pairs with its successor in its page; a pair
// never crosses a page boundary. Returns the present address of `u`.
isa::insn* fetch_unit::decide_pairing(thread& t, isa::insn* u, std::uint64_t la) {
    const std::uint64_t next = la + u->length;
    const isa::code_mode mode = t.context.s.mode;
    // Code of a page with a breakpoint is not cached.
    if (!t.code.in_page(code_tag(la, t.context.s))) return u;
    if (next >> 12 != la >> 12) {
        decide(t.code.page(), *u, nullptr, la);
        return u;
    }
    const isa::insn* v = t.code.find(next);
    if (v == nullptr) {
        const std::uint64_t paddr = t.code.physical(next);
        isa::insn i;
        const unsigned available = std::min(
            static_cast<unsigned>(page_bytes - (next & (page_bytes - 1))), longest_instruction);
        std::uint8_t bytes[longest_instruction]{};
        const unsigned n = bytes_at_hand(paddr, available, bytes);
        const isa::decode_result r = isa::decode(t.context.instruction_set, mode, bytes, n, i);
        if (r == isa::decode_result::more && n < available) return u;  // undecided so far
        if (r == isa::decode_result::ok) {
            prepare(i, more_flags_);
            code_.mark(paddr, deciding_bytes(t.context, i, bytes));
            v = t.code.add(next, i);
            u = t.code.find(la);
        } else {
            code_.mark(paddr, available);
        }
    }
    decide(t.code.page(), *u, v, la);
    return u;
}

// ---- checkpoints

void fetch_unit::known_insn::serialize(base::archive& a) {
    a(at, pairing);
}

void fetch_unit::known_page::serialize(base::archive& a) {
    a(number, mode, instructions);
}

// Whether two instructions pair is decided when the bytes of both have been fetched; until then,
// the first issues alone. So what is known has an effect.
void fetch_unit::serialize(base::archive& a) {
    std::vector<known_page> pages;
    decoded_.each_page([&](std::uint64_t number, isa::code_mode m, const auto& p) {
        known_page k{number, m, std::vector<known_insn>(p.instructions.size() - 1)};
        for (std::size_t at = 0; at < p.at.size(); ++at) {
            if (p.at[at] == 0) continue;
            const isa::insn& i = p.instructions[p.at[at]];
            k.instructions[p.at[at] - 1u] = {static_cast<std::uint16_t>(at), i.pairing};
        }
        // One that has been decoded again at its place.
        const auto replaced = [](const known_insn& i) { return i.at == known_insn::nowhere; };
        k.instructions.erase(std::remove_if(k.instructions.begin(), k.instructions.end(), replaced),
                             k.instructions.end());
        pages.push_back(std::move(k));
    });
    std::sort(pages.begin(), pages.end(), [](const known_page& x, const known_page& y) {
        return std::tie(x.number, x.mode) < std::tie(y.number, y.mode);
    });
    a(pages);
    if (!a.loading()) return;
    decoded_.clear();
    for (const known_page& p : pages) decode_again(p.number, p.mode, p.instructions);
}

void fetch_unit::decode_again(std::uint64_t number, isa::code_mode mode,
                              const std::vector<known_insn>& instructions) {
    if (!memory_.is_ram(number << 12)) throw base::archive_error("code outside of the memory");
    std::vector<std::uint8_t> bytes(page_bytes);
    memory_.peek(number << 12, static_cast<unsigned>(page_bytes), bytes.data());
    isa::decode_cache::page& page = *decoded_.at(number, mode);
    for (const known_insn& k : instructions) {
        if (k.at >= page_bytes) throw base::archive_error("code outside of its page");
        const auto n = static_cast<unsigned>(page_bytes - k.at);
        isa::insn i;
        if (isa::decode(threads_[0]->context.instruction_set, mode, bytes.data() + k.at,
                        std::min(n, longest_instruction), i) == isa::decode_result::more)
            throw base::archive_error("code that cannot be decoded");
        prepare(i, more_flags_);
        page.add(k.at, i);
    }
    for (const known_insn& k : instructions) {
        if (k.pairing == isa::insn_unknown) continue;
        isa::insn& u = *page.find(k.at);
        const std::uint64_t next = k.at + u.length;
        const bool paired = k.pairing == isa::insn_paired && next < page_bytes;
        decide(page, u, paired ? page.find(next) : nullptr, k.at);
    }
}

// ---- writes to code

void fetch_unit::code_marked(std::uint64_t paddr) {
    if (memory_.keeps_copies() || !memory_.in_memory(paddr)) return;
    const std::uint8_t* line = l1_->code_at_hand(memory_.line_of(paddr), time_.now());
    for (auto& t : threads_) t->context.forget_writes_to(paddr, line);
}

void fetch_unit::code_dropped(std::uint64_t page_number) {
    decoded_.drop(page_number);
    for (auto& t : threads_) {
        // With caches, the loss of a line invalidates the code decoded from it.
        if (memory_.keeps_copies())
            t->code.forget_decoded();
        else
            t->code.reset();
        if (functional_) t->context.unusual = true;
    }
}

}  // namespace knc::core
