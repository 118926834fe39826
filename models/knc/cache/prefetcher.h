// The L2's stream prefetcher: which lines to ask for when a demand access misses the L2, or is the
// first to a line it has brought.
//
// Models: streams of misses to neighbouring lines of one 4 KB page with one type of access, forward
// or backward; lines up to `distance` ahead, each asked for once, none beyond the page; the stream
// used least recently gives way to a new one. Leaves out: the requests themselves (whoever performs
// one raises HWP_L2HIT or HWP_L2MISS), a limit to those under way. Source: Intel 671479
// (sequential, within a page, of the access's type, up to four lines), Hot Chips 2012 (16 streams);
// decisions: docs/hierarchy.md.
#ifndef KNC_CACHE_PREFETCHER_H
#define KNC_CACHE_PREFETCHER_H

#include <cstdint>
#include <vector>

namespace knc::cache {

struct prefetcher_parameters {
    std::uint32_t streams = 16;  // 0: none, nothing is ever asked for. Hot Chips 2012.
    std::uint32_t distance = 4;  // lines ahead of a miss, 0-63. Intel 671479.
    // Misses to neighbouring lines that make a stream, the first included; 2 and up, as one miss
    // has no direction. Unverified.
    std::uint32_t threshold = 2;
    // Whether threads of a core train streams of their own. Unverified.
    bool by_thread = false;
};

enum class access_type : std::uint8_t { read, code, write };

// Neighbouring lines, in the order they are to be asked for.
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
    // Throws std::invalid_argument: distance or threshold out of range.
    explicit prefetcher(const prefetcher_parameters& = {});

    // A demand access found no valid copy of `line` (physical address / 64), whether or not it is
    // on its way already. The lines to ask for, by requests of the same type.
    line_run miss(std::uint64_t line, access_type, std::uint8_t thread);
    void reset();

  private:
    struct stream {
        std::uint64_t page = 0;
        access_type type = access_type::read;
        std::uint8_t thread = 0;
        std::int8_t direction = 0;  // 1, -1; 0 after one miss
        std::uint8_t last = 0;      // line in the page of the latest miss
        std::uint8_t asked = 0;     // line in the page asked for or missed last, going on
        std::uint32_t length = 0;   // misses in sequence, up to the threshold; 0: no stream
    };

    // The stream of an access, which then stands first of streams_; or the one that gives way,
    // emptied.
    stream& select(std::uint64_t page, access_type, std::uint8_t thread);
    // Takes the miss into the stream. Whether it leads it on.
    bool train(stream&, int line) const;
    bool follow(stream&, int line) const;
    line_run ask(stream&) const;

    prefetcher_parameters p_;
    std::vector<stream> streams_;  // used last comes first
};

}  // namespace knc::cache

#endif
