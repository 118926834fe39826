// Instruction fetch of the four threads: from a linear address to a decoded instruction.
//
// Models: prefetch buffers of aligned blocks and the requests for them, lines that have to arrive
// in the L1 code cache, instructions that lie in two blocks, lines or pages, code from memory that
// may not be cached, instruction breakpoints, the static pairing of neighbours. Decodes once and
// remembers, without anything the guest could see. Leaves out: the code TLB (translation_unit), the
// branch predictor (knc/core/branch_predictor.h), wrong-path fetches. Source: docs/pipeline.md.
#ifndef KNC_CORE_FETCH_UNIT_H
#define KNC_CORE_FETCH_UNIT_H

#include <cstdint>

#include <knc/cache/l1_if.h>
#include <knc/core/load_store_unit.h>
#include <knc/core/parameters.h>
#include <knc/core/thread.h>
#include <knc/core/timeline.h>
#include <knc/isa/code_map.h>
#include <knc/isa/decode_cache.h>

namespace knc::core {

class fetch_unit final : private isa::code_map::observer {
  public:
    fetch_unit(const parameters&, timeline&, load_store_unit&, isa::code_map&, thread_table&);
    // The L1 code cache, or what stands in for it.
    void connect(cache::l1i_if& c) { l1_ = &c; }
    void reset() { decoded_ = {}; }

    // The line of code at `paddr`, to be fetched from; see isa::environment.
    isa::status line(thread&, std::uint64_t paddr, std::uint8_t*& host);
    // Whether the line at `paddr` has decoded code in it, or is in the L1 code cache.
    bool holds_code(std::uint64_t paddr) const;
    // A thread wrote [paddr, paddr + size).
    void code_written(std::uint64_t paddr, unsigned size) { code_map_.written(paddr, size); }

    // The instruction at RIP, at linear address `la`. nullptr: context.failure says why, or the
    // thread waits for a translation (code_window::must_walk). `shadow`: behind MOV SS or STI.
    isa::insn* fetch(thread& t, std::uint64_t la, bool shadow) {
        const std::uint64_t tag = code_tag(la, t.context.s);
        if (__builtin_expect(!t.code.in_page(tag), 0)) t.code.enter(tag, t.context.code_cacheable);
        isa::insn* i = nullptr;
        if (__builtin_expect(t.code.in_page(tag), 1)) {
            t.code.start = t.code.physical(la);
            i = t.code.find(la);
            if (__builtin_expect(i == nullptr, 0)) i = t.code.find_crossing(la, tag);
            if (i != nullptr && beyond_limit(t.context, t.context.s.r[isa::rip], *i)) i = nullptr;
        }
        if (__builtin_expect(i == nullptr, 0)) {
            i = decode(t, la, shadow);
            if (i == nullptr) return nullptr;
        }
        return request(t, la, i->length) ? i : nullptr;
    }

    // Whether `u` at `la` pairs with what follows it has not been decided yet: it is now. Returns
    // where `u` is afterwards.
    isa::insn* decide_pairing(thread&, isa::insn* u, std::uint64_t la);
    // The instruction behind `u`, at RIP `ip`, with which it pairs; nullptr: none.
    isa::insn* partner(const thread& t, const isa::insn& u, std::uint64_t ip,
                       std::uint64_t la) const {
        if (u.pairing != isa::insn_paired) return nullptr;
        isa::insn* const v = t.code.find(la + u.length);
        if (v != nullptr && beyond_limit(t.context, ip + u.length, *v)) return nullptr;
        return v;
    }
    // The partner, `length` bytes at `la`, enters the prefetch buffer with the instruction before
    // it. False: it could not be had in this cycle, or the page is no longer what was decoded.
    bool fetch_partner(thread& t, std::uint64_t la, unsigned length, unsigned of_u) {
        if (!t.code.has_page() || !at_hand(t, la, length)) return false;
        t.code.start += of_u;
        request(t, la, length);
        return true;
    }

  private:
    static std::uint64_t code_tag(std::uint64_t la, const isa::state& s) {
        return (la & ~std::uint64_t{0xfff}) | static_cast<std::uint64_t>(s.mode) |
               (s.cpl == 3 ? 4u : 0u);
    }
    // What was decoded from memory may lie behind the limit of the present code segment.
    static bool beyond_limit(const isa::context& c, std::uint64_t ip, const isa::insn& i) {
        return __builtin_expect(c.code_limited, 0) && ip + i.length - 1 > c.s.seg[isa::cs].limit;
    }
    std::uint64_t block_of(std::uint64_t la) const { return la & ~(block_bytes_ - 1); }

    // The prefetch buffer asks for the blocks of an instruction that it does not hold. False: one
    // of them is not there yet.
    bool request(thread& t, std::uint64_t la, unsigned length) {
        const std::uint64_t last = block_of(la + length - 1);
        return __builtin_expect(t.code.buffered(last), 1) || request_blocks(t, la, length, last);
    }
    bool at_hand(const thread& t, std::uint64_t la, unsigned length) const {
        return t.code.buffered(block_of(la + length - 1)) || blocks_at_hand(t, la, length);
    }
    bool request_blocks(thread&, std::uint64_t la, unsigned length, std::uint64_t last);
    bool blocks_at_hand(const thread&, std::uint64_t la, unsigned length) const;
    bool line_at_hand(thread&, std::uint64_t la, std::uint64_t from, std::uint64_t last);
    bool lines_arrive(thread&, std::uint64_t la, std::uint64_t from, std::uint64_t last);
    static void count_requests(thread&, std::uint64_t n);
    isa::insn* decode(thread&, std::uint64_t la, bool shadow);
    isa::insn* remember_crossing(thread&, const isa::insn&, std::uint64_t la, std::uint64_t paddr);
    unsigned bytes_at_hand(std::uint64_t paddr, unsigned size, std::uint8_t* bytes) const;

    // isa::code_map::observer
    void code_marked(std::uint64_t paddr) override;
    void code_dropped(std::uint64_t page_number) override;

    const std::uint64_t block_bytes_;
    timeline& time_;
    load_store_unit& memory_;
    isa::code_map& code_map_;
    cache::l1i_if* l1_ = nullptr;
    thread_table& threads_;
    isa::decode_cache decoded_;
};

}  // namespace knc::core

#endif
