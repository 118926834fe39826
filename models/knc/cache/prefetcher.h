// The L2's stream prefetcher: the lines to request when a demand access misses the L2, or is the
// first one to a prefetched line.
//
// Models: streams of misses to neighbouring lines of one 4 KB page with one access type, forward or
// backward. It requests lines up to `distance` ahead, each once, none beyond the page. A new stream
// replaces the least recently used one. Leaves out: the requests themselves (their executor raises
// HWP_L2HIT or HWP_L2MISS), a limit on outstanding ones. Source: Intel 671479 (sequential, within a
// page, of the access's type, up to four lines), Hot Chips 2012 (16 streams); decisions:
// docs/hierarchy.md.
#ifndef KNC_CACHE_PREFETCHER_H
#define KNC_CACHE_PREFETCHER_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace knc::cache {

struct prefetcher_parameters {
    std::uint32_t streams = 16;  // 0: no prefetching. Hot Chips 2012.
    std::uint32_t distance = 4;  // lines ahead of a miss, 0-63. Intel 671479.
    // Misses to neighbouring lines that establish a stream, including the first; at least 2,
    // because one miss has no direction. Unverified.
    std::uint32_t threshold = 2;
    // Whether each thread of a core trains its own streams. Unverified.
    bool by_thread = false;
};

enum class access_type : std::uint8_t { read, code, write };

// Neighbouring lines, in the order of the requests.
struct line_run {
    std::uint64_t first = 0;
    std::int32_t step = 1;  // 1 or -1
    std::uint32_t count = 0;

    // `n` < count.
    std::uint64_t operator[](std::uint32_t n) const {
        return first + static_cast<std::uint64_t>(std::int64_t{step} * n);
    }
};

class prefetcher {
  public:
    // Throws std::invalid_argument if distance or threshold is out of range.
    explicit prefetcher(const prefetcher_parameters& = {});

    // A demand access found no valid copy of `line` (physical address / 64), whether or not a
    // request is outstanding. Returns the lines to request, with the same access type.
    line_run miss(std::uint64_t line, access_type, std::uint8_t thread);
    void reset();
    // The streams that it follows, those of one miss included.
    std::size_t streams() const;

  private:
    struct stream {
        std::uint64_t page = 0;
        std::int8_t direction = 0;  // 1, -1; 0 after one miss
        std::uint8_t last = 0;      // the line of the latest miss, within the page
        std::uint8_t asked =
            0;  // the last line requested or missed in the direction, within the page
        std::uint32_t length = 0;  // misses in sequence, up to the threshold; 0: no stream
    };

    static constexpr std::uint64_t no_key = ~std::uint64_t{0};

    // The stream of an access; if there is none, clears the one to replace.
    stream& select(std::uint64_t page, access_type, std::uint8_t thread);
    // Adds the miss to the stream. Returns whether it continues the stream.
    bool train(stream&, int line) const;
    bool follow(stream&, int line) const;
    line_run ask(stream&) const;

    prefetcher_parameters p_;
    std::vector<stream> streams_;
    // Of each stream, apart because every miss reads all of them: its page, type and thread, or
    // no_key; the number of the miss that used it last.
    std::vector<std::uint64_t> keys_, used_;
    std::uint64_t misses_ = 0;
};

}  // namespace knc::cache

#endif
