// Instruction fetch: decoded code, prefetch buffers, the code TLB's part of a page change, partners
// for the V pipe.

#include <knc/core/core.h>

#include <algorithm>

#include <knc/isa/decoder.h>

namespace knc::core {

namespace {

constexpr unsigned longest_instruction = 15;
constexpr std::uint64_t page_bytes = 0x1000, line_bytes = 64;

// Bytes that decide what `i`, decoded from `bytes`, is: of no instruction at all, as many as it
// takes to see that.
unsigned deciding_bytes(const isa::context& c, const isa::insn& i, const std::uint8_t* bytes) {
    unsigned n = i.length;
    isa::insn again;
    if ((i.flags & isa::insn_undefined) != 0)
        while (isa::decode(c.instruction_set, c.s.mode, bytes, n, again) ==
               isa::decode_result::more)
            ++n;
    return n;
}

// What a page of decoded code belongs to, beside its address.
std::uint64_t code_tag(std::uint64_t la, const isa::state& s) {
    return (la & ~(page_bytes - 1)) | static_cast<std::uint64_t>(s.mode) | (s.cpl == 3 ? 4u : 0u);
}

}  // namespace

// The instruction at RIP, or nullptr: context.failure says why, or the thread waits for a
// translation.
isa::insn* core::fetch(thread& t, std::uint64_t la, bool shadow) {
    const std::uint64_t tag = code_tag(la, t.context.s);
    if (__builtin_expect(t.code_tag != tag, 0)) t.enter_code_page(tag);
    isa::insn* i = nullptr;
    if (__builtin_expect(t.code_tag == tag, 1)) {
        t.fetch_paddr = t.code_page << 12 | (la & (page_bytes - 1));
        i = t.code->find(la);
        if (i == nullptr) i = t.find_crossing(la, tag);
        if (i != nullptr && beyond_limit(t.context, t.context.s.r[isa::rip], *i)) i = nullptr;
    }
    if (__builtin_expect(i == nullptr, 0)) {
        i = fetch_slow(t, la, shadow);
        if (i == nullptr) return nullptr;
    }
    return request_code(t, la, i->length) ? i : nullptr;
}

// The prefetch buffer asks for the blocks of an instruction that it does not hold. False: one of
// them is not there yet.
bool core::request_code(thread& t, std::uint64_t la, unsigned length) {
    const std::uint64_t block = parameters_.fetch_bytes;
    const std::uint64_t first = la & ~(block - 1);
    const std::uint64_t last = (la + length - 1) & ~(block - 1);
    if (last == t.fetch_chunk) return true;
    const bool goes_on = first == t.fetch_chunk;
    if (caches_ != nullptr && !code_arrives(t, la, goes_on ? first + block : la, la + length - 1))
        return false;
    count_fetches(t, !goes_on + (last - first) / block);
    t.fetch_chunk = last;
    return true;
}

// Whether the blocks of an instruction of the present page of code could be had in this clock.
bool core::code_can_be_had(const thread& t, std::uint64_t la, unsigned length) const {
    const std::uint64_t block = parameters_.fetch_bytes;
    const std::uint64_t page = t.code_page << 12;
    for (std::uint64_t at = la & ~(block - 1); at < la + length; at += block) {
        if (at == t.fetch_chunk) continue;
        const std::uint64_t paddr = page | (at & (page_bytes - 1));
        if (caches_->code_at_hand(paddr / line_bytes, time_.now()) == nullptr) return false;
    }
    return true;
}

void core::count_fetches(thread& t, std::uint64_t requests) {
    base::event_row& row = t.context.events();
    row[base::code_read] += requests;
    if (__builtin_expect(t.context.code_cacheable, 1)) return;
    row[base::code_cache_miss] += requests;
    t.context.uncached += static_cast<std::uint32_t>(requests);
    t.context.unusual = true;
}

// Looks at instruction breakpoints too: what a page with one decodes to is not remembered.
isa::insn* core::fetch_slow(thread& t, std::uint64_t la, bool shadow) {
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
    const auto in_line = static_cast<unsigned>(line_bytes - (la & (line_bytes - 1)));
    unsigned n = c.fetch(ip, std::min(longest_instruction, in_line), bytes, paddr);
    if (n == 0 || t.walk_cycles != 0) return nullptr;
    isa::decode_cache::page* page = nullptr;
    t.fetch_paddr = paddr;
    if (t.is_ram(paddr)) {
        page = decoded_.at(paddr >> 12, c.s.mode);
        if (!c.watched.instruction_in_page(la))
            t.set_code_page(code_tag(la, c.s), page, paddr >> 12);
        // Another thread, or another linear address, may have decoded it already.
        isa::insn* i = page->find(la);
        if (i != nullptr && !beyond_limit(c, ip, *i)) {
            t.walked.fill(thread::no_code);
            return i;
        }
    }
    isa::insn i;
    bool leaves_page = false;
    if (isa::decode(c.instruction_set, c.s.mode, bytes, n, i) == isa::decode_result::more) {
        leaves_page = in_line == in_page;
        c.failure = isa::status::ok;
        if (n == in_line) n = c.fetch(ip, longest_instruction, bytes, paddr);
        if (t.walk_cycles != 0) return nullptr;
        if (isa::decode(c.instruction_set, c.s.mode, bytes, n, i) == isa::decode_result::more) {
            // Too long, or it goes on behind the limit, unless it goes on where a page is missing.
            if (c.failure == isa::status::ok) c.failure = c.gp();
            return nullptr;
        }
    }
    t.walked.fill(thread::no_code);
    prepare(i);
    // No instruction at all has no length: what it would have been lies in two pages.
    if (page == nullptr || (leaves_page && i.length <= in_page)) {
        i.pairing = isa::insn_alone;
        t.unremembered = i;
        return &t.unremembered;
    }
    if (i.length > in_page) {
        i.pairing = isa::insn_alone;
        return remember_crossing(t, i, la, paddr);
    }
    code_map_.mark(paddr, deciding_bytes(c, i, bytes));
    return page->add(la, i);
}

// `i`, fetched just now, lies in two pages; its first byte at `paddr`, in RAM.
isa::insn* core::remember_crossing(thread& t, const isa::insn& i, std::uint64_t la,
                                   std::uint64_t paddr) {
    const auto here = static_cast<unsigned>(page_bytes - (la & (page_bytes - 1)));
    const std::uint64_t rest = t.fetch_rest = t.context.last_fetched & ~(page_bytes - 1);
    if (!t.is_ram(rest) || t.context.watched.instruction_in_page(la)) {
        t.unremembered = i;
        return &t.unremembered;
    }
    code_map_.mark(paddr, here);
    code_map_.mark(rest, i.length - here);
    return t.add_crossing(la, code_tag(la, t.context.s), i);
}

// What the pipelines must know of an instruction.
void core::prepare(isa::insn& i) {
    const issue_class k = classify(i);
    i.pipe = static_cast<unsigned>(k.pipe) & 3u;
    i.clocks = k.clocks;
    i.rule = k.rule;
    i.read_modify_write = k.read_modify_write;
    // Its store may have to wait when its load is done, if it is to a device.
    constexpr std::uint32_t both = isa::insn_reads | isa::insn_writes;
    if ((i.flags & both) == both) i.flags |= isa::insn_several_accesses;
    const issue_rule& rule = issue_rule_at(k.rule);
    i.x87_held = rule.latency.unit_held;
    if (rule.microcode)
        i.flags |= isa::insn_microcode;
    else
        i.flags &= ~std::uint32_t{isa::insn_microcode};
}

namespace {

issue_class class_of(const isa::insn& i) {
    return {static_cast<pipe>(i.pipe), i.read_modify_write, i.rule, i.clocks};
}

}  // namespace

// Decides, once, whether `u` at linear address `la` pairs with what follows it in its page; a pair
// never spans pages. Returns where `u` is afterwards.
isa::insn* core::decide_pairing(thread& t, isa::insn* u, std::uint64_t la) {
    const std::uint64_t next = la + u->length;
    const isa::code_mode mode = t.context.s.mode;
    const auto offset = static_cast<unsigned>(next & (page_bytes - 1));
    // A page that is watched by a breakpoint is not remembered.
    if (t.code_tag != code_tag(la, t.context.s)) return u;
    if (next >> 12 != la >> 12) {
        u->pairing = isa::insn_alone;
        return u;
    }
    const isa::insn* v = t.code->find(next);
    if (v == nullptr) {
        const std::uint64_t paddr = t.code_page << 12 | offset;
        isa::insn i;
        const unsigned available =
            std::min(static_cast<unsigned>(page_bytes - offset), longest_instruction);
        std::uint8_t bytes[longest_instruction]{};
        const unsigned n = code_bytes(paddr, available, bytes);
        const isa::decode_result r = isa::decode(t.context.instruction_set, mode, bytes, n, i);
        if (r == isa::decode_result::more && n < available) return u;  // not to be told yet
        if (r == isa::decode_result::ok) {
            prepare(i);
            code_map_.mark(paddr, deciding_bytes(t.context, i, bytes));
            v = t.code->add(next, i);
            u = t.code->find(la);
        } else {
            code_map_.mark(paddr, available);
        }
    }
    if (v != nullptr && may_pair(*u, class_of(*u), *v, class_of(*v))) {
        u->pairing = isa::insn_paired;
        u->pair_cycles = static_cast<std::uint8_t>(pair_cycles(class_of(*u), class_of(*v)));
    } else {
        u->pairing = isa::insn_alone;
    }
    return u;
}

}  // namespace knc::core
