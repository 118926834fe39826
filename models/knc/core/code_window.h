// Where one thread finds its decoded code, and what its prefetch buffer holds.
//
// Models: the block of code bytes fetched last and its line. Remembers, without anything the guest
// could see: decoded pages that the thread was in lately, instructions that lie in two pages, pages
// whose walk the present fetch has waited for. Leaves out: decoding and the caches
// (knc/core/fetch_unit.h). Source: docs/pipeline.md.
#ifndef KNC_CORE_CODE_WINDOW_H
#define KNC_CORE_CODE_WINDOW_H

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include <knc/base/clock.h>
#include <knc/coherence/message.h>
#include <knc/isa/decode_cache.h>

namespace knc::core {

class code_window {
  public:
    static constexpr std::uint64_t none = ~0ull;

    // ---- the present page of decoded code; a tag is its linear address and what it was decoded as
    bool in_page(std::uint64_t tag) const { return tag_ == tag; }
    bool has_page() const { return tag_ != none; }
    isa::insn* find(std::uint64_t la) const { return page_->find(la); }
    isa::insn* add(std::uint64_t la, const isa::insn& i) const { return page_->add(la, i); }
    // Physical address of the page's byte at `la`.
    std::uint64_t physical(std::uint64_t la) const {
        return number_ << 12 | (la & (page_bytes - 1));
    }
    // The page of `tag` becomes the present one, if it was so lately; `cacheable` is then what was
    // given with it.
    void enter(std::uint64_t tag, bool& cacheable) {
        const recent_page& r = recent_[slot(tag)];
        if (r.tag != tag || r.generation != generation_) return;
        tag_ = tag;
        page_ = r.page;
        number_ = r.number;
        cacheable = r.cacheable;
    }
    void remember(std::uint64_t tag, isa::decode_cache::page* p, std::uint64_t number,
                  bool cacheable) {
        recent_[slot(tag)] = {tag, p, number, generation_, cacheable};
        enter(tag, cacheable);
    }

    // ---- the instruction at `la` that goes on in the next page
    isa::insn* find_crossing(std::uint64_t la, std::uint64_t tag) {
        crossing& x = crossings_[slot(la)];
        if (x.la != la || x.tag != tag || x.generation != generation_) return nullptr;
        rest = x.rest;
        return &x.code;
    }
    // It goes on at `rest`.
    isa::insn* add_crossing(std::uint64_t la, std::uint64_t tag, const isa::insn& i) {
        crossing& x = crossings_[slot(la)];
        x = {la, tag, generation_, rest, i};
        return &x.code;
    }
    // An instruction that is decoded each time.
    isa::insn* unremembered(const isa::insn& i) { return &(unremembered_ = i); }

    // ---- what ends
    // What was decoded may be void; what is in the prefetch buffer is not.
    void forget_decoded() {
        tag_ = none;
        ++generation_;
    }
    // The code TLB has dropped the page at `la`.
    void forget_page(std::uint64_t la) {
        const std::uint64_t page = la >> 12;
        if (tag_ >> 12 == page) tag_ = none;
        recent_page& r = recent_[slot(la)];
        if (r.tag >> 12 == page) r.tag = none;
        for (const std::uint64_t first : {page, page - 1}) {
            crossing& x = crossings_[first & (slots - 1)];
            if (x.la >> 12 == first) x.tag = none;
        }
    }
    // Nothing that was fetched before is used any more.
    void reset() {
        empty_buffer();
        translated();
        forget_decoded();
    }

    // ---- prefetch buffer: an aligned block of linear addresses, and the line of its last bytes
    bool buffered(std::uint64_t block) const { return block == block_; }
    void buffer(std::uint64_t block) { block_ = block; }
    void buffer_line(coherence::line_t l) { line_ = l; }
    void empty_buffer() { block_ = none; }
    // The line has been written elsewhere.
    void line_lost(coherence::line_t l) {
        if (line_ == l) empty_buffer();
    }

    // ---- walks of the present fetch
    // A walk for the page at `la` takes `cycles`. False: the fetch has waited for one already.
    bool walk(std::uint64_t la, base::cycle_t cycles) {
        const std::uint64_t page = la >> 12;
        if (std::find(walked_.begin(), walked_.end(), page) != walked_.end()) return false;
        walked_[walked_[0] == none ? 0 : 1] = page;
        walk_cycles_ += cycles;
        return true;
    }
    bool must_walk() const { return walk_cycles_ != 0; }
    base::cycle_t take_walk() { return std::exchange(walk_cycles_, 0); }
    // The fetch has its instruction: the next one begins anew.
    void translated() { walked_.fill(none); }

    // Where the instruction fetched last is in memory: its first byte, and the beginning of the
    // next page for one that goes on there.
    std::uint64_t start = 0, rest = 0;

  private:
    static constexpr std::uint64_t page_bytes = 0x1000;
    static constexpr std::size_t slots = 16;
    static std::size_t slot(std::uint64_t la) { return la >> 12 & (slots - 1); }

    struct recent_page {
        std::uint64_t tag = none;
        isa::decode_cache::page* page = nullptr;
        std::uint64_t number = 0;
        std::uint64_t generation = 0;
        bool cacheable = true;
    };
    struct crossing {
        std::uint64_t la = 0, tag = none, generation = 0, rest = 0;
        isa::insn code;
    };

    std::uint64_t tag_ = none;
    isa::decode_cache::page* page_ = nullptr;
    std::uint64_t number_ = 0;  // physical page number
    std::uint64_t block_ = none;
    coherence::line_t line_ = none;
    std::uint64_t generation_ = 1;
    base::cycle_t walk_cycles_ = 0;
    std::array<std::uint64_t, 2> walked_{none, none};
    std::array<recent_page, slots> recent_;
    std::array<crossing, slots> crossings_;
    isa::insn unremembered_;
};

}  // namespace knc::core

#endif
