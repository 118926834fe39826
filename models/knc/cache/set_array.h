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
          tags_(std::size_t{sets_} * ways_, none),
          found_(sets_),
          lines_(tags_.size()) {}

    Line* find(line_t line) {
        const std::size_t set = set_of(line), first = set * ways_;
        std::uint8_t& found = found_[set];
        if (tags_[first + found] == line) return &lines_[first + found];
        for (unsigned way = 0; way < ways_; ++way) {
            if (tags_[first + way] != line) continue;
            found = static_cast<std::uint8_t>(way);
            return &lines_[first + way];
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
        __builtin_prefetch(&tags_[first]);
        for (std::size_t w = 0; w < ways_; w += step) __builtin_prefetch(&lines_[first + w].used);
    }
    bool holds(const Line& l) const { return tags_[index(l)] != none; }
    line_t line_of(const Line& l) const { return tags_[index(l)]; }
    void enter(Line& l, line_t line) { tags_[index(l)] = line; }
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
    base::aligned_vector<line_t> tags_;
    std::vector<std::uint8_t> found_;  // of each set: the way found last; no business of the guest
    base::aligned_vector<Line> lines_;
    std::uint64_t random_ = 0;
};

}  // namespace knc::cache

#endif
