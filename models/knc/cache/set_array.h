// A set-associative array of lines.
//
// Models: sets by the low bits of the line number, free ways first, replacement among the lines
// that the caller allows. `Line` has a member `used`, the cycle of its last use. Leaves out: the
// content of a line, time.
#ifndef KNC_CACHE_SET_ARRAY_H
#define KNC_CACHE_SET_ARRAY_H

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include <knc/base/aligned_vector.h>
#include <knc/cache/parameters.h>
#include <knc/coherence/message.h>

namespace knc::cache {

using coherence::line_t;

template <class Line>
class set_array {
  public:
    // The geometry must be possible; see impossible().
    explicit set_array(const geometry& g, std::uint32_t bytes_of_line = coherence::line_bytes)
        : policy_(g.policy),
          ways_(g.ways),
          sets_(g.bytes / bytes_of_line / g.ways),
          set_bits_(static_cast<unsigned>(__builtin_ctz(sets_))),
          words_((ways_ + 7) / 8),
          parts_(std::size_t{sets_} * words_),
          tags_(std::size_t{sets_} * ways_ + 8, none),
          lines_(std::size_t{sets_} * ways_) {}

    Line* find(line_t line) {
        const std::size_t set = set_of(line), first = set * ways_;
        for (unsigned w = 0; w < words_; ++w) {
            // The lowest byte that is 0, and perhaps some above it, has its highest bit set.
            const std::uint64_t differ = parts_[set * words_ + w] ^ ones * part_of(line);
            std::uint64_t equal = (differ - ones) & ~differ & ones << 7;
            for (; equal != 0; equal &= equal - 1) {
                const std::size_t way = w * 8 + static_cast<unsigned>(__builtin_ctzll(equal)) / 8;
                if (tags_[first + way] == line) return &lines_[first + way];
            }
        }
        return nullptr;
    }
    const Line* find(line_t line) const { return const_cast<set_array*>(this)->find(line); }

    // The place for the line: a free one, or that of a line for which may(number, line) is true;
    // nullptr if there is none. Does not ask about more lines than it has to.
    template <class May>
    Line* choose(line_t line, May may) {
        const std::size_t first = first_of(line);
        unsigned oldest = 0;
        base::cycle_t least = base::never;
        for (unsigned w = 0; w < ways_; ++w) {
            if (tags_[first + w] == none) return &lines_[first + w];
            const base::cycle_t used = lines_[first + w].used;
            oldest = used < least ? w : oldest;
            least = std::min(used, least);
        }
        // In most cases, the line that was not used for longest may go.
        Line& l = lines_[first + oldest];
        if (policy_ == replacement::lru && may(tags_[first + oldest], l)) return &l;
        return choose_among(first, may);
    }
    // The host fetches what find() and choose() will read.
    void expect(line_t line) const {
        constexpr std::size_t step = std::max(std::size_t{1}, base::host_line_bytes / sizeof(Line));
        const std::size_t first = first_of(line);
        __builtin_prefetch(&parts_[set_of(line) * words_]);
        __builtin_prefetch(&tags_[first]);
        for (std::size_t w = 0; w < ways_; w += step) __builtin_prefetch(&lines_[first + w].used);
    }
    bool holds(const Line& l) const { return tags_[index(l)] != none; }
    line_t line_of(const Line& l) const { return tags_[index(l)]; }
    void enter(Line& l, line_t line) {
        const std::size_t n = index(l), way = n - first_of(line);
        std::uint64_t& word = parts_[set_of(line) * words_ + way / 8];
        const unsigned bit = way % 8 * 8;
        word = (word & ~(std::uint64_t{0xff} << bit)) | part_of(line) << bit;
        tags_[n] = line;
    }
    void remove(Line& l) { tags_[index(l)] = none; }
    void clear() { std::fill(tags_.begin(), tags_.end(), none); }

    // Calls `f` with the number of each line.
    template <class F>
    void each_line(F f) const {
        for (const line_t l : tags_)
            if (l != none) f(l);
    }
    std::size_t size() const { return lines_.size(); }
    // The place with index `n`, whether or not it contains a line; and its index.
    Line& at(std::size_t n) { return lines_[n]; }
    std::size_t index(const Line& l) const { return static_cast<std::size_t>(&l - lines_.data()); }

  private:
    static constexpr line_t none = ~line_t{0};
    static constexpr std::uint64_t ones = 0x0101010101010101;

    // The part of the tag that is compared first.
    std::uint64_t part_of(line_t line) const { return line >> set_bits_ & 0xff; }
    std::size_t set_of(line_t line) const { return line & (sets_ - 1); }
    std::size_t first_of(line_t line) const { return set_of(line) * ways_; }

    // choose() in a set without a free place.
    template <class May>
    Line* choose_among(std::size_t first, May may) {
        std::array<base::cycle_t, 32> used;
        for (unsigned w = 0; w < ways_; ++w) used[w] = lines_[first + w].used;
        std::uint32_t left = ~std::uint32_t{0} >> (32 - ways_);
        const auto allowed = [&](unsigned w) { return may(tags_[first + w], lines_[first + w]); };
        // A random choice is one among all lines that are allowed.
        if (policy_ == replacement::random)
            for (unsigned w = 0; w < ways_; ++w)
                if (!allowed(w)) left &= ~(1u << w);
        while (left != 0) {
            const unsigned w = choose_victim(policy_, used.data(), ways_, left, random_);
            if (policy_ == replacement::random || allowed(w)) return &lines_[first + w];
            left &= ~(1u << w);
        }
        return nullptr;
    }

    replacement policy_;
    std::uint32_t ways_;
    std::uint32_t sets_;
    unsigned set_bits_;
    std::size_t words_;  // of a set
    // A byte for each way: part of its tag, so that a look at one word finds most lines, and what
    // is not there. Places beyond the ways, or without a line, may contain anything.
    base::aligned_vector<std::uint64_t> parts_;
    base::aligned_vector<line_t> tags_;  // and of eight places beyond the last way
    base::aligned_vector<Line> lines_;
    std::uint64_t random_ = 0;
};

}  // namespace knc::cache

#endif
