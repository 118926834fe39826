// The decoded code of one thread, and its prefetch buffer.
//
// Models: the block of code bytes fetched last and its line. Also caches, invisibly to the guest,
// the decoded pages that the thread used recently, the instructions that cross a page boundary, and
// the pages whose walk the present fetch has completed. Leaves out: decoding and the caches
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

    // ---- the current page of decoded code; a tag is its linear address and its decoding mode
    bool in_page(std::uint64_t tag) const { return tag_ == tag; }
    bool has_page() const { return tag_ != none; }
    // Whether `la` lies in the current page, if that has the mode and privilege level of `la`.
    // Without a current page, perhaps true too; page() is empty then.
    bool in_same_page(std::uint64_t la) const { return (la ^ tag_) < page_bytes; }
    // The current page, if there is one, has the mode and privilege level of `tag`.
    bool in_mode(std::uint64_t tag) const { return ((tag_ ^ tag) & (page_bytes - 1)) == 0; }
    isa::insn* find(std::uint64_t la) const { return page_->find(la); }
    isa::insn* add(std::uint64_t la, const isa::insn& i) const { return page_->add(la, i); }
    // The current page, valid until the core decodes again; an empty one if there is none.
    isa::decode_cache::page& page() const { return *page_; }
    // How often it has become another page, or none.
    std::uint64_t page_changes() const { return page_changes_; }
    // The physical address of the page's byte at `la`.
    std::uint64_t physical(std::uint64_t la) const {
        return number_ << 12 | (la & (page_bytes - 1));
    }
    // Makes the page of `tag` the current one if it was in use recently; `cacheable` then receives
    // the value stored with it.
    void enter(std::uint64_t tag, bool& cacheable) {
        const recent_page& r = recent_[slot(tag)];
        if (r.tag != tag || r.generation != generation_) return;
        tag_ = tag;
        page_ = r.page;
        ++page_changes_;
        number_ = r.number;
        cacheable = r.cacheable;
    }
    void remember(std::uint64_t tag, isa::decode_cache::page* p, std::uint64_t number,
                  bool cacheable) {
        recent_[slot(tag)] = {tag, p, number, generation_, cacheable};
        enter(tag, cacheable);
    }

    // ---- the instruction at `la` that crosses into the next page
    isa::insn* find_crossing(std::uint64_t la, std::uint64_t tag) {
        crossing& x = crossings_[slot(la)];
        if (x.la != la || x.tag != tag || x.generation != generation_) return nullptr;
        rest = x.rest;
        return &x.code;
    }
    // Its remaining bytes start at `rest`.
    isa::insn* add_crossing(std::uint64_t la, std::uint64_t tag, const isa::insn& i) {
        crossing& x = crossings_[slot(la)];
        x = {la, tag, generation_, rest, i};
        return &x.code;
    }
    // For a waveform: the instruction fetched last; nullptr: its page has been written since.
    const isa::insn* fetched() const {
        if (!has_page()) return nullptr;
        if (const isa::insn* const i = page_->find(start)) return i;
        const crossing& x = crossings_[slot(tag_)];
        return x.tag == tag_ && (x.la & (page_bytes - 1)) == (start & (page_bytes - 1))
                   ? &x.code
                   : &unremembered_;
    }
    // An instruction that must be decoded each time.
    isa::insn* unremembered(const isa::insn& i) { return &(unremembered_ = i); }

    // ---- invalidation
    // The decoded code may be stale; the prefetch buffer remains valid.
    void forget_decoded() {
        leave_page();
        ++generation_;
    }
    // The code TLB has evicted the page at `la`.
    void forget_page(std::uint64_t la) {
        const std::uint64_t page = la >> 12;
        if (tag_ >> 12 == page) leave_page();
        recent_page& r = recent_[slot(la)];
        if (r.tag >> 12 == page) r.tag = none;
        for (const std::uint64_t first : {page, page - 1}) {
            crossing& x = crossings_[first & (slots - 1)];
            if (x.la >> 12 == first) x.tag = none;
        }
    }
    // Invalidates all fetched and decoded code.
    void reset() {
        empty_buffer();
        translated();
        forget_decoded();
    }

    // ---- prefetch buffer: an aligned block of linear addresses, and the line of its last bytes
    bool buffered(std::uint64_t block) const { return block == block_; }
    std::uint64_t block() const { return block_; }
    void buffer(std::uint64_t block) { block_ = block; }
    void buffer_line(coherence::line_t l) { line_ = l; }
    void empty_buffer() { block_ = none; }
    bool buffer_is_empty() const { return block_ == none; }
    // Another agent has written the line.
    void line_lost(coherence::line_t l) {
        if (line_ == l) empty_buffer();
    }

    // ---- walks of the present fetch
    // Adds a walk of `cycles` for the page at `la`. Returns false if the fetch has done that walk
    // already.
    bool walk(std::uint64_t la, base::cycle_t cycles) {
        const std::uint64_t page = la >> 12;
        if (std::find(walked_.begin(), walked_.end(), page) != walked_.end()) return false;
        walked_[walked_[0] == none ? 0 : 1] = page;
        walk_cycles_ += cycles;
        return true;
    }
    bool must_walk() const { return walk_cycles_ != 0; }
    base::cycle_t take_walk() { return std::exchange(walk_cycles_, 0); }
    // The fetch has its instruction; the next fetch has done no walks.
    void translated() { walked_.fill(none); }

    // The physical address of the instruction fetched last; for an instruction that crosses a page
    // boundary, also that of its part in the next page.
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

    void leave_page() {
        tag_ = none;
        page_ = &no_page_;
        ++page_changes_;
    }

    inline static isa::decode_cache::page no_page_;  // never written
    std::uint64_t tag_ = none;
    isa::decode_cache::page* page_ = &no_page_;
    std::uint64_t page_changes_ = 0;
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
