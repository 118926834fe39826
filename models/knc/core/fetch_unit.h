// Instruction fetch of the four threads: from a linear address to a decoded instruction.
//
// Models: prefetch buffers of aligned blocks and their requests, waiting for lines in the L1 code
// cache, instructions that cross blocks, lines or pages, code in memory that may not be cached,
// instruction breakpoints, static pairing of neighbours. Decodes an instruction once and caches it,
// invisibly to the guest. Leaves out: the code TLB (translation_unit), the branch predictor
// (knc/core/branch_predictor.h), wrong-path fetches. Source: docs/pipeline.md.
#ifndef KNC_CORE_FETCH_UNIT_H
#define KNC_CORE_FETCH_UNIT_H

#include <cstdint>

#include <knc/base/archive_forward.h>
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
    fetch_unit(const parameters&, timeline&, load_store_unit&, isa::code_view&, thread_table&);
    // The L1 code cache, or ideal memory instead of it.
    void connect(cache::l1i_if& c) { l1_ = &c; }
    void reset() { decoded_.clear(); }
    // Fast-forward: a write to decoded code makes the instruction that makes it unusual.
    void execute_functionally(bool on) { functional_ = on; }
    // What is decoded, and what is known of pairs. Loads it by decoding the memory again, which is
    // loaded already.
    void serialize(base::archive&);

    // Requests the line of code at `paddr` for a fetch; see isa::environment.
    isa::status line(thread&, std::uint64_t paddr, std::uint8_t*& host);
    // Whether decoded code comes from the line at `paddr`, or the L1 code cache has the line.
    bool holds_code(std::uint64_t paddr) const;
    // A thread wrote [paddr, paddr + size).
    void code_written(std::uint64_t paddr, unsigned size) { code_.written(paddr, size); }

    // The instruction at RIP, at linear address `la`. Returns nullptr if there is none yet:
    // context.failure has the reason, or the thread waits for a translation
    // (code_window::must_walk). `shadow`: after MOV SS or STI.
    isa::insn* fetch(thread& t, std::uint64_t la, bool shadow) {
        isa::insn* const i = find(t, la, shadow);
        return i != nullptr && request(t, la, i->length) ? i : nullptr;
    }
    // The same without time.
    isa::insn* find(thread& t, std::uint64_t la, bool shadow) {
        const std::uint64_t tag = code_tag(la, t.context.s);
        if (__builtin_expect(!t.code.in_page(tag), 0)) t.code.enter(tag, t.context.code_cacheable);
        isa::insn* i = nullptr;
        if (__builtin_expect(t.code.in_page(tag), 1)) {
            t.code.start = t.code.physical(la);
            i = t.code.find(la);
            if (__builtin_expect(i == nullptr, 0)) i = t.code.find_crossing(la, tag);
            if (i != nullptr && beyond_limit(t.context, t.context.s.r[isa::rip], *i)) i = nullptr;
        }
        if (__builtin_expect(i == nullptr, 0)) i = decode(t, la, shadow);
        return i;
    }
    // The instruction at `la` in 64-bit code, without time; nullptr: it is not decoded, or the
    // thread has not used its page recently.
    isa::insn* known(thread& t, std::uint64_t la) const {
        if (__builtin_expect(!t.code.in_same_page(la), 0)) {
            t.code.enter(code_tag(la, t.context.s), t.context.code_cacheable);
            if (!t.code.in_same_page(la)) return nullptr;
        }
        return t.code.find(la);
    }

    // Decides whether `u` at `la` pairs with its successor, if that is undecided. Returns the
    // present address of `u`.
    isa::insn* decide_pairing(thread&, isa::insn* u, std::uint64_t la);
    // The successor of `u`, at RIP `ip`, if the two pair; nullptr otherwise.
    isa::insn* partner(const thread& t, const isa::insn& u, std::uint64_t ip,
                       std::uint64_t la) const {
        if (u.pairing != isa::insn_paired) return nullptr;
        isa::insn* const v = t.code.find(la + u.length);
        if (v != nullptr && beyond_limit(t.context, ip + u.length, *v)) return nullptr;
        return v;
    }
    // Fetches the partner, `length` bytes at `la`, in the cycle of the first instruction. Returns
    // false if its bytes are not available in this cycle, or if the decoded page has been
    // invalidated.
    bool fetch_partner(thread& t, std::uint64_t la, unsigned length, unsigned of_u) {
        if (!t.code.has_page() || !at_hand(t, la, length)) return false;
        t.code.start += of_u;
        request(t, la, length);
        return true;
    }

    // ---- the same for issues that are known beforehand (isa::static_group), in 64-bit code
    // The thread's current page belongs to its mode and privilege level, or it has none.
    static bool in_page_of_its_mode(const thread& t) {
        return !t.code.has_page() || t.code.in_mode(code_tag(0, t.context.s));
    }
    // The index of the summary of an issue at `la` in what its page shares; 0: there is none so
    // far, the thread has not used the page recently, or memory of the page is not cached.
    unsigned index(thread& t, std::uint64_t la) const {
        if (__builtin_expect(!t.code.in_same_page(la), 0)) {
            const std::uint64_t tag = code_tag(la, t.context.s);
            t.code.enter(tag, t.context.code_cacheable);
            if (!t.code.in_page(tag) || !t.context.code_cacheable) return 0;
        }
        return t.code.page().find_ready(la);
    }
    // Fetches `length` bytes at `la` in the current page, which is cached. Returns false as fetch()
    // returns nullptr.
    bool fetch_known(thread& t, std::uint64_t la, unsigned length) {
        const std::uint64_t end = la + length - 1, last = block_of(end);
        if (__builtin_expect(t.code.buffered(last), 1)) return true;
        const std::uint64_t first = block_of(la);
        const bool goes_on = t.code.buffered(first);
        const std::uint64_t from = goes_on ? first + block_bytes_ : la;
        const coherence::line_t line = t.code.physical(from) / base::line_bytes;
        if (((from ^ end) & ~(base::line_bytes - 1)) != 0 ||
            !l1_->use_code(t.index(), line, time_.now())) {
            t.code.start = t.code.physical(la);
            return request_blocks(t, la, length, last);
        }
        t.code.buffer_line(line);
        t.context.events()[base::code_read] +=
            !goes_on + ((last - first) >> __builtin_ctzll(block_bytes_));
        t.code.buffer(last);
        return true;
    }
    // fetch_partner() of the next `length` bytes after those of `of_u` bytes at `la`, in the
    // current page.
    bool fetch_known_partner(thread& t, std::uint64_t la, unsigned of_u, unsigned length) {
        if (t.code.buffered(block_of(la + of_u + length - 1))) return true;
        t.code.start = t.code.physical(la);
        return fetch_partner(t, la + of_u, length, of_u);
    }

  private:
    // An instruction in a page, and whether it pairs.
    struct known_insn {
        static constexpr std::uint16_t nowhere = 0xffff;
        std::uint16_t at = nowhere;
        std::uint8_t pairing = isa::insn_unknown;

        void serialize(base::archive&);
    };
    struct known_page {
        std::uint64_t number = 0;
        isa::code_mode mode{};
        std::vector<known_insn> instructions;  // in the order in which they were decoded

        void serialize(base::archive&);
    };

    static std::uint64_t code_tag(std::uint64_t la, const isa::state& s) {
        return (la & ~std::uint64_t{0xfff}) | static_cast<std::uint64_t>(s.mode) |
               (s.cpl == 3 ? 4u : 0u);
    }
    // The limit of the code segment may have changed since the instruction was decoded.
    static bool beyond_limit(const isa::context& c, std::uint64_t ip, const isa::insn& i) {
        return __builtin_expect(c.code_limited, 0) && ip + i.length - 1 > c.s.seg[isa::cs].limit;
    }
    std::uint64_t block_of(std::uint64_t la) const { return la & ~(block_bytes_ - 1); }

    // Requests the blocks of an instruction that the prefetch buffer does not have. Returns false
    // if one of them has not arrived yet.
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
    void count_requests(thread&, std::uint64_t n) const;
    void count_bus_reads(base::event_row&, std::uint64_t blocks) const;
    unsigned bytes_to_end_of_line(std::uint64_t address) const {
        return memory_.bytes_of_line() -
               static_cast<unsigned>(address & (memory_.bytes_of_line() - 1));
    }
    isa::insn* decode(thread&, std::uint64_t la, bool shadow);
    void decide(isa::decode_cache::page&, isa::insn& u, const isa::insn* v, std::uint64_t la) const;
    isa::insn* remember_crossing(thread&, const isa::insn&, std::uint64_t la, std::uint64_t paddr);
    unsigned bytes_at_hand(std::uint64_t paddr, unsigned size, std::uint8_t* bytes) const;

    void decode_again(std::uint64_t number, isa::code_mode, const std::vector<known_insn>&);

    // isa::code_map::observer
    void code_marked(std::uint64_t paddr) override;
    void code_dropped(std::uint64_t page_number) override;

    const std::uint64_t block_bytes_;  // a power of two
    const std::uint32_t more_flags_;   // of every instruction
    timeline& time_;
    load_store_unit& memory_;
    isa::code_view& code_;
    cache::l1i_if* l1_ = nullptr;
    thread_table& threads_;
    isa::decode_cache decoded_;
    bool functional_ = false;
};

}  // namespace knc::core

#endif
