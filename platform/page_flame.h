// Flame graphs of folded stacks, as inline SVG.
//
// A frame's width is its share of the samples' weight, the caller is below its callees. Leaves out:
// frames too narrow to be seen, and those above the highest row. Both are counted, a narrow frame
// once with all its callees. The page's script widens frames.
#ifndef KNC_PLATFORM_PAGE_FLAME_H
#define KNC_PLATFORM_PAGE_FLAME_H

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

namespace platform {

struct flame_frame {
    std::string name;
    unsigned row = 0;        // 0: the lowest
    std::uint64_t from = 0;  // of the graph's weight
    std::uint64_t weight = 0;
};

struct flame_graph {
    std::string event;  // empty: the stacks do not say
    std::uint64_t weight = 0;
    std::vector<flame_frame> frames;  // callers before callees, row by row within a stack
    unsigned rows = 0;
    std::size_t hidden = 0;  // frames that are left out

    static constexpr double least_percent = 0.1;
    static constexpr unsigned most_rows = 80;
};

// `folded`: lines "IMAGE;OUTER;...;INNER COUNT"; with `by_event`, "IMAGE;EVENT;OUTER;...", which
// makes a graph of each event, in the order of their names.
std::vector<flame_graph> make_flame_graphs(std::string_view folded, bool by_event);
void write_svg(std::ostream&, const flame_graph&);

}  // namespace platform

#endif
