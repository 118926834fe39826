// The TLBs against a list of ways per set, kept as text-book tables.
#include "tlb_walk.h"

#include <algorithm>
#include <map>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace knc::core::test {
namespace {

struct held {
    unsigned thread;
    std::uint64_t start, page_start, page_bytes;  // of the part held, of the whole page
    bool global;
    bool is_table;           // of smaller pages
    std::uint64_t leads_to;  // physical address of the page or of its table
};

// One array: sets are found by division, the ways of a set are a vector of optionals.
class table {
  public:
    table(unsigned entries, unsigned ways, std::uint64_t bytes)
        : ways_(ways), sets_(entries / ways), bytes_(bytes) {}

    held* find(unsigned thread, std::uint64_t la) {
        for (auto& way : set(la).first)
            if (way && way->thread == thread && way->start == la / bytes_ * bytes_) return &*way;
        return nullptr;
    }
    std::optional<held> put(unsigned thread, std::uint64_t la, std::uint64_t page_bytes,
                            bool global, std::uint64_t leads_to) {
        const std::uint64_t whole = std::max(page_bytes, bytes_);
        const held h{
            thread,  la / bytes_ * bytes_, la / whole * whole, whole, global, page_bytes < bytes_,
            leads_to};
        auto& [ways, turn] = set(la);
        for (auto& way : ways) {
            if (way) continue;
            way = h;
            return {};
        }
        return std::exchange(ways[turn++ % ways_], h);
    }
    template <class Gone>
    void drop(Gone gone) {
        for (auto& [index, s] : all_)
            for (auto& way : s.first)
                if (way && gone(*way)) way.reset();
    }
    std::uint64_t bytes() const { return bytes_; }

  private:
    using ways_and_turn = std::pair<std::vector<std::optional<held>>, unsigned>;
    ways_and_turn& set(std::uint64_t la) {
        ways_and_turn& s = all_[la / bytes_ % sets_];
        s.first.resize(ways_);
        return s;
    }
    unsigned ways_, sets_;
    std::uint64_t bytes_;
    std::map<std::uint64_t, ways_and_turn> all_;
};

struct reference {
    table data_4k{8, 2, 0x1000}, data_64k{4, 2, 0x10000}, data_2m{2, 1, 0x200000};
    table code{8, 4, 0x1000}, second{8, 4, 0x200000};

    tlb_result access(bool is_code, unsigned thread, std::uint64_t la, const isa::page_walk& w) {
        const std::uint64_t bytes = w.page.page_bytes;
        table& first = is_code            ? code
                       : bytes == 0x1000  ? data_4k
                       : bytes == 0x10000 ? data_64k
                                          : data_2m;
        const bool large = bytes >= 0x200000;
        const std::uint64_t region_leads_to = large ? w.page.paddr : w.table.paddr;
        held* region = second.find(thread, la);
        if (region != nullptr) region->leads_to = region_leads_to;
        tlb_result r;
        const auto drops = [&](const held& h) {
            r.evicted_page = h.start;
            r.evicted_bytes = first.bytes();
            r.evicted_thread = static_cast<std::uint8_t>(h.thread);
        };
        if (held* h = first.find(thread, la)) {
            r.l1_hit = true;
            if (std::exchange(h->leads_to, w.page.paddr) != w.page.paddr) drops(*h);
            return r;
        }
        if (const auto gone = first.put(thread, la, bytes, w.page.global, w.page.paddr))
            drops(*gone);
        r.l2_hit = region != nullptr;
        r.clocks = !r.l2_hit ? 100 : large ? 8 : 25;
        if (!r.l2_hit) second.put(thread, la, bytes, large && w.page.global, region_leads_to);
        return r;
    }
    held* find_data(unsigned thread, std::uint64_t la) {
        for (table* t : {&data_4k, &data_64k, &data_2m})
            if (held* h = t->find(thread, la)) return h;
        return nullptr;
    }
    template <class Gone>
    void drop(Gone gone) {
        for (table* t : {&data_4k, &data_64k, &data_2m, &code, &second}) t->drop(gone);
    }
};

void expect_same(const isa::held_translation* is, const held* should) {
    ASSERT_EQ(is != nullptr, should != nullptr);
    if (is != nullptr) {
        ASSERT_EQ(is->paddr, should->leads_to);
    }
}

TEST(tlb, agrees_with_the_reference) {
    tlb_parameters small;
    small.data_4k = {8, 2};
    small.data_64k = {4, 2};
    small.data_2m = {2, 1};
    small.code = {8, 4};
    small.second = {8, 4};
    tlb t(small);
    reference r;
    std::mt19937 random(1994);
    unsigned counts[4] = {};
    for (unsigned n = 0; n < 200'000; ++n) {
        const auto thread = static_cast<std::uint8_t>(random() % 2);
        // Twelve regions of 2 MB; the region decides about the page size and about being global.
        const std::uint64_t region = random() % 12;
        const std::uint64_t la =
            (0xffff'8000'0000'0000 + region * 0x200000) + random() % 6 * 0x7123;
        constexpr std::uint64_t sizes[] = {0x1000, 0x10000, 0x200000, 0x400000};
        const std::uint64_t bytes = sizes[region / 2 % 4];
        const bool global = region % 3 == 0;
        switch (random() % 64) {
            case 0: {
                const bool keep = random() % 2 != 0;
                t.flush(thread, keep);
                r.drop([&](const held& h) { return h.thread == thread && !(keep && h.global); });
                continue;
            }
            case 1:
            case 2:
                t.flush_page(thread, la);
                r.drop([&](const held& h) {
                    const bool same_page = la >= h.page_start && la - h.page_start < h.page_bytes;
                    return h.thread == thread && (h.is_table || same_page);
                });
                continue;
            default:
                break;
        }
        const bool is_code = random() % 3 == 0;
        expect_same(t.held_data(thread, la), r.find_data(thread, la));
        expect_same(t.held_code(thread, la), r.code.find(thread, la));
        expect_same(t.held_region(thread, la), r.second.find(thread, la));
        if (HasFatalFailure()) return;
        // Now and then the tables have been changed.
        isa::page_walk w = walk_to(la, bytes, global);
        if (random() % 16 == 0) w.page.paddr += bytes;
        if (random() % 16 == 0) w.table.paddr += 0x1000;
        const tlb_result is = is_code ? t.access_code(thread, la, w) : t.access_data(thread, la, w);
        const tlb_result should = r.access(is_code, thread, la, w);
        ASSERT_EQ(is.l1_hit, should.l1_hit) << n;
        ASSERT_EQ(is.l2_hit, should.l2_hit) << n;
        ASSERT_EQ(is.clocks, should.clocks) << n;
        ASSERT_EQ(is.evicted_page, should.evicted_page) << n;
        ASSERT_EQ(is.evicted_bytes, should.evicted_bytes) << n;
        ASSERT_EQ(is.evicted_thread, should.evicted_thread) << n;
        ++counts[is.l1_hit ? 0 : is.l2_hit ? 1 : 2];
        counts[3] += is.evicted_bytes != 0;
    }
    for (const unsigned c : counts) EXPECT_GT(c, 5'000u);  // every case came often
}

}  // namespace
}  // namespace knc::core::test
