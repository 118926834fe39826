// Random misses: the prefetcher against one that keeps the whole history of each stream and works
// every answer out from its start.
#include <algorithm>
#include <list>
#include <random>
#include <set>
#include <vector>

#include <gtest/gtest.h>
#include <knc/cache/prefetcher.h>

namespace {

using namespace knc;
using cache::access_type;

struct reference {
    struct history {
        std::uint64_t page;
        access_type type;
        unsigned thread;
        std::vector<int> misses;
    };
    cache::prefetcher_parameters p;
    std::list<history> streams;  // used last comes first

    std::vector<std::uint64_t> miss(std::uint64_t line, access_type type, unsigned thread) {
        if (!p.by_thread) thread = 0;
        const std::uint64_t page = line / 64;
        auto s = std::find_if(streams.begin(), streams.end(), [&](const history& h) {
            return h.page == page && h.type == type && h.thread == thread;
        });
        if (s == streams.end()) s = streams.insert(streams.end(), {page, type, thread, {}});
        streams.splice(streams.begin(), streams, s);
        streams.front().misses.push_back(static_cast<int>(line % 64));
        std::vector<std::uint64_t> lines = replay(streams.front());
        while (streams.size() > p.streams) streams.pop_back();
        return lines;
    }

    // What the last miss of a history asks for.
    std::vector<std::uint64_t> replay(const history& h) const {
        const int distance = static_cast<int>(p.distance);
        std::vector<int> run;     // misses of the present sequence
        std::set<int> asked;      // since it began
        std::vector<int> latest;  // asked for by the latest miss
        for (const int line : h.misses) {
            latest.clear();
            const bool stream = run.size() >= p.threshold;
            const int way = run.size() < 2 ? 0 : run[1] - run[0];
            const int ahead = run.empty() ? 0 : (line - run.back()) * (stream ? way : 1);
            if (stream && ahead >= -distance && ahead <= 0) continue;
            if (!stream && !run.empty() && ahead == 0) continue;
            if (!run.empty() && !stream && (ahead == 1 || ahead == -1)) {
                if (run.size() >= 2 && ahead != way) run = {run.back()};
            } else if (!stream || ahead < 0 || ahead > distance + 1) {
                run.clear();
                asked.clear();
            }
            run.push_back(line);
            if (run.size() < p.threshold) continue;
            for (int n = 1; n <= distance; ++n) {
                const int l = line + n * (run[1] - run[0]);
                if (l >= 0 && l < 64 && asked.insert(l).second) latest.push_back(l);
            }
        }
        std::vector<std::uint64_t> lines;
        for (const int l : latest) lines.push_back(h.page * 64 + static_cast<unsigned>(l));
        return lines;
    }
};

TEST(prefetcher_random, agrees_with_the_reference) {
    std::size_t asked = 0;
    for (unsigned seed = 1; seed <= 200; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        std::mt19937 generator(seed);
        const auto below = [&](std::uint32_t n) {
            return static_cast<std::uint32_t>(generator() % n);
        };
        cache::prefetcher_parameters p;
        p.streams = 1 + below(6);
        p.distance = below(8);
        p.threshold = 2 + below(3);
        p.by_thread = below(2) != 0;
        cache::prefetcher model(p);
        reference r{p, {}};
        // Walks that mostly go on, in few pages, so that streams form and compete.
        std::uint64_t line[4] = {10, 64 + 20, 128 + 30, 192 + 63};
        int way[4] = {1, -1, 1, 1};
        for (unsigned n = 0; n < 400; ++n) {
            const unsigned walk = below(4);
            switch (below(16)) {
                case 0:
                    line[walk] = below(512);
                    break;
                case 1:
                    way[walk] = -way[walk];
                    break;
                case 2:
                    line[walk] +=
                        static_cast<std::uint64_t>(std::int64_t{way[walk]}) * (1 + below(9));
                    break;
                default:
                    line[walk] += static_cast<std::uint64_t>(std::int64_t{way[walk]});
            }
            line[walk] %= 512;
            const auto type = static_cast<access_type>(below(8) == 0 ? 1 + below(2) : 0);
            const auto thread = static_cast<std::uint8_t>(below(8) == 0 ? 1 : 0);
            const cache::line_run run = model.miss(line[walk], type, thread);
            std::vector<std::uint64_t> is;
            for (std::uint32_t k = 0; k < run.count; ++k) is.push_back(run[k]);
            ASSERT_EQ(is, r.miss(line[walk], type, thread)) << "miss " << n;
            asked += is.size();
        }
    }
    std::cout << "seeds 1..200, " << asked << " lines asked for\n";
    EXPECT_GT(asked, 10'000u);
}

}  // namespace
