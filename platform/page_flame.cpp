#include <platform/page_flame.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <ostream>

#include <fmt/format.h>

#include <platform/page_text.h>

namespace platform {

namespace {

constexpr unsigned row_height = 18;
constexpr double least_named_percent = 1.5;  // there is no room for a name in less
constexpr unsigned colours = 8;

struct node {
    std::uint64_t weight = 0;
    std::map<std::string, node, std::less<>> callees;
};

// The text up to the next semicolon, which leaves `rest`.
std::string_view cut(std::string_view& rest) {
    const std::size_t end = std::min(rest.find(';'), rest.size());
    const std::string_view part = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    return part;
}

struct tree {
    node root;
    std::size_t too_high = 0;  // stacks that were cut

    void add(std::string_view image, std::string_view stack, std::uint64_t weight) {
        node* n = &root;
        n->weight += weight;
        n = &n->callees[std::string{image}];
        n->weight += weight;
        for (unsigned row = 1; !stack.empty(); ++row) {
            if (row == flame_graph::most_rows) {
                ++too_high;
                return;
            }
            n = &n->callees[std::string{cut(stack)}];
            n->weight += weight;
        }
    }
};

void place(flame_graph& g, const node& n, unsigned row, std::uint64_t from) {
    for (const auto& [name, callee] : n.callees) {
        const double width =
            percent_of(static_cast<double>(callee.weight), static_cast<double>(g.weight));
        if (width < flame_graph::least_percent) {
            ++g.hidden;
        } else {
            g.frames.push_back({name, row, from, callee.weight});
            g.rows = std::max(g.rows, row + 1);
            place(g, callee, row + 1, from);
        }
        from += callee.weight;
    }
}

// The same for a name in every graph of every run (FNV-1a).
unsigned colour_of(std::string_view name) {
    std::uint32_t hash = 2166136261;
    for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619;
    return hash % colours;
}

}  // namespace

std::vector<flame_graph> make_flame_graphs(std::string_view folded, bool by_event) {
    std::map<std::string, tree> trees;
    while (!folded.empty()) {
        const std::size_t end = std::min(folded.find('\n'), folded.size());
        std::string_view line = folded.substr(0, end);
        folded.remove_prefix(std::min(end + 1, folded.size()));
        const std::size_t blank = line.rfind(' ');
        std::uint64_t weight = 0;
        if (blank == std::string_view::npos) continue;
        std::from_chars(line.data() + blank + 1, line.data() + line.size(), weight);
        line = line.substr(0, blank);
        const std::string_view image = cut(line);
        const std::string event{by_event ? cut(line) : std::string_view{}};
        trees[event].add(image, line, weight);
    }
    std::vector<flame_graph> graphs;
    for (const auto& [event, t] : trees) {
        flame_graph g;
        g.event = event;
        g.weight = t.root.weight;
        g.hidden = t.too_high;
        place(g, t.root, 0, 0);
        graphs.push_back(std::move(g));
    }
    return graphs;
}

void write_svg(std::ostream& out, const flame_graph& g) {
    const auto share = [&](std::uint64_t part) {
        return percent_of(static_cast<double>(part), static_cast<double>(g.weight));
    };
    out << fmt::format(
        "<svg class=\"flame\" role=\"img\" aria-label=\"flame graph\" width=\"100%\" "
        "height=\"{}\">\n",
        g.rows * row_height);
    for (const flame_frame& f : g.frames) {
        const std::string name = escaped(f.name);
        out << fmt::format(
            "<svg x=\"{:.3f}%\" y=\"{}\" width=\"{:.3f}%\" height=\"{}\"><title>{}: {} of {}, "
            "{:.2f} %</title><rect class=\"c{}\" width=\"100%\" height=\"100%\"/>",
            share(f.from), (g.rows - 1 - f.row) * row_height, share(f.weight), row_height - 1, name,
            f.weight, g.weight, share(f.weight), colour_of(f.name));
        if (share(f.weight) >= least_named_percent)
            out << "<text x=\"3\" y=\"13\">" << name << "</text>";
        out << "</svg>\n";
    }
    out << "</svg>\n";
}

}  // namespace platform
