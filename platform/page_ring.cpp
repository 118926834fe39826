#include <algorithm>
#include <cmath>
#include <ostream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <platform/page_parts.h>
#include <platform/page_ring.h>
#include <platform/page_text.h>

namespace platform {

namespace {

namespace ring = knc::ring;

constexpr const char* channel_names[] = {"data", "addresses", "acknowledgements"};
constexpr double pi = 3.14159265358979323846;

std::string label_of(const ring::place& p) {
    switch (p.what) {
        case ring::agent::tile:
            return fmt::format("tile {}", p.number);
        case ring::agent::controller:
            return fmt::format("controller {}", p.number);
        case ring::agent::sbox:
            break;
    }
    return "SBOX";
}

// Stops at equal distances on an ellipse, clockwise, the first one at the left.
class ellipse {
  public:
    explicit ellipse(unsigned stops)
        : a_(std::clamp(9.0 * stops, 290.0, 560.0)), b_(std::clamp(3.0 * stops, 115.0, 190.0)) {
        constexpr unsigned samples = 1440;
        std::vector<double> way{0};
        point p = at(angle(0, samples), 0);
        for (unsigned n = 1; n <= samples; ++n) {
            const point q = at(angle(n, samples), 0);
            way.push_back(way.back() + std::hypot(q.x - p.x, q.y - p.y));
            p = q;
        }
        unsigned n = 0;
        for (unsigned s = 0; s <= stops; ++s) {
            while (n < samples && way[n] < way.back() * s / stops) ++n;
            angles_.push_back(angle(n, samples));
        }
    }

    struct point {
        double x, y;
    };
    double width() const { return 2 * (a_ + margin); }
    double height() const { return 2 * (b_ + margin); }
    double of(unsigned stop) const { return angles_[stop]; }
    // So far outside the ellipse.
    point at(double angle, double outside) const {
        const double nx = std::cos(angle) / a_, ny = std::sin(angle) / b_, n = std::hypot(nx, ny);
        return {a_ * std::cos(angle) + outside * nx / n + a_ + margin,
                b_ * std::sin(angle) + outside * ny / n + b_ + margin};
    }

  private:
    static constexpr double margin = 44;
    static double angle(unsigned n, unsigned of) { return pi + 2 * pi * n / of; }
    const double a_, b_;
    std::vector<double> angles_;  // of the stops, and the first one again
};

std::string path(const ellipse& e, double from, double to, double outside) {
    // Round enough for half of the ellipse.
    const unsigned pieces = to - from > 1 ? 48 : (to - from > 0.3 ? 16 : 4);
    std::string d;
    for (unsigned n = 0; n <= pieces; ++n) {
        const auto p = e.at(from + (to - from) * n / pieces, outside);
        d += fmt::format("{}{:.1f} {:.1f}", n == 0 ? "M" : "L", p.x, p.y);
    }
    return d;
}

std::string link_title(const report& r, unsigned from, ring::direction way) {
    const auto& stops = r.ring.stops;
    const auto n = static_cast<unsigned>(stops.size());
    const unsigned to = (way == ring::direction::up ? from + 1 : from + n - 1) % n;
    std::string title = fmt::format("{} to {}", label_of(stops[from].at), label_of(stops[to].at));
    for (unsigned c = 0; c < ring::channels; ++c)
        title += fmt::format("{} {}: {} messages, {:.3f} %", c == 0 ? ":" : ";", channel_names[c],
                             link_messages(r.ring, from, way, c), link_load(r, from, way, c));
    return title;
}

void write_links(std::ostream& out, const report& r, const ellipse& e) {
    const auto n = static_cast<unsigned>(r.ring.stops.size());
    double most = 0;
    for (unsigned s = 0; s < n; ++s)
        for (const auto way : {ring::direction::up, ring::direction::down})
            most = std::max(most, link_load(r, s, way, 0));
    constexpr double lane = 5;
    for (const double side : {lane, -lane})
        out << fmt::format("<path class=\"track\" d=\"{}{}\"/>\n", path(e, pi, 2 * pi, side),
                           path(e, 2 * pi, 3 * pi, side));
    for (unsigned s = 0; s < n; ++s)
        for (const auto way : {ring::direction::up, ring::direction::down}) {
            const bool up = way == ring::direction::up;
            const double load = link_load(r, s, way, 0);
            const unsigned low = up ? s : (s + n - 1) % n;
            out << fmt::format(
                "<path class=\"load\" stroke-width=\"{:.2f}\" d=\"{}\"><title>{}</title></path>\n",
                load > 0 ? 0.5 + 7.5 * load / most : 0.0,
                path(e, e.of(low), e.of(low + 1), up ? lane : -lane), link_title(r, s, way));
        }
}

void write_box(std::ostream& out, const char* kind, ellipse::point at, double width, double height,
               const std::string& opacity, const std::string& title) {
    out << fmt::format(
        "<rect class=\"stop\" x=\"{0:.1f}\" y=\"{1:.1f}\" width=\"{2}\" height=\"{3}\" "
        "rx=\"3\"/><rect class=\"{4}\" x=\"{0:.1f}\" y=\"{1:.1f}\" width=\"{2}\" height=\"{3}\" "
        "rx=\"3\"{5}><title>{6}</title></rect>",
        at.x - width / 2, at.y - height / 2, width, height, kind, opacity, title);
}

void write_stops(std::ostream& out, const report& r, const ellipse& e) {
    const auto n = static_cast<unsigned>(r.ring.stops.size());
    const std::vector<tile_values> tiles = values_of_tiles(r);
    const double most = strongest(tiles.front().values);
    for (unsigned s = 0; s < n; ++s) {
        const auto& stop = r.ring.stops[s];
        const bool tile = stop.at.what == ring::agent::tile;
        const auto at = e.at(e.of(s), tile ? 26 : -38);
        const auto on = e.at(e.of(s), tile ? 10 : -10);
        out << fmt::format("<path class=\"track\" d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}\"/>", on.x, on.y,
                           at.x, at.y);
        std::string title = label_of(stop.at), text = "SBOX", more;
        for (unsigned c = 0; c < ring::channels; ++c)
            title +=
                fmt::format("{} sent on the rings for {}", c == 0 ? ":" : ",", channel_names[c]) +
                fmt::format(" {}", stop.traffic[c][0].injected + stop.traffic[c][1].injected);
        if (tile) {
            title += fmt::format("; its slice of the directory accepted {} messages", stop.lookups);
            for (const tile_values& v : tiles)
                if (v.from_metric)
                    title += fmt::format("; {} {:.6g}", v.name, v.values[stop.at.number]);
            write_box(out, "heat", at, 27, 20,
                      fmt::format(" fill-opacity=\"{:.3f}\"",
                                  strength_of(tiles.front().values[stop.at.number], most)),
                      title);
            text = fmt::to_string(stop.at.number);
        } else {
            if (stop.at.what == ring::agent::controller) {
                const auto gigabytes = memory_rate(r, stop.at.number);
                text = fmt::format("MC {}", stop.at.number);
                more = fmt::format("{:.2f} GB/s", gigabytes.read + gigabytes.written);
                title += fmt::format("; {:.3f} GB/s read, {:.3f} GB/s written", gigabytes.read,
                                     gigabytes.written);
            }
            write_box(out, "port", at, 70, 34, "", title);
        }
        out << fmt::format("<text class=\"t\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>", at.x,
                           at.y + (more.empty() ? 4 : -2), text);
        if (!more.empty())
            out << fmt::format("<text class=\"t\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>", at.x,
                               at.y + 13, more);
        out << '\n';
    }
}

void write_centre(std::ostream& out, const report& r, const ellipse& e) {
    rate all{};
    for (unsigned c = 0; c < r.shape.controllers; ++c) {
        const rate one = memory_rate(r, c);
        all.read += one.read;
        all.written += one.written;
    }
    std::uint64_t lookups = 0;
    for (const auto& s : r.ring.stops) lookups += s.lookups;
    const auto& end = r.phases.front().after;
    const std::string lines[] = {
        fmt::format("memory: {:.2f} GB/s read, {:.2f} GB/s written", all.read, all.written),
        fmt::format("rings for data: {:.2f} % of the slots in use",
                    percent_of(static_cast<double>(end.ring_busy),
                               static_cast<double>(r.shape.ring_slots * r.cycles))),
        fmt::format("tag directory: {} messages", lookups)};
    double y = e.height() / 2 - 16;
    for (const std::string& line : lines) {
        out << fmt::format("<text class=\"t\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", e.width() / 2,
                           y, line);
        y += 20;
    }
}

void write_stop_table(std::ostream& out, const report& r) {
    out << "<details><summary>Stops of the ring</summary>\n";
    begin_table(out, "messages since the start of the run; loads of the links to both neighbours",
                {"stop", "#data sent", "#waited, clocks", "#addresses sent",
                 "#acknowledgements sent", "#data, to the next", "#data, to the one before",
                 "#directory: messages", "#waited, clocks"});
    for (unsigned s = 0; s < r.ring.stops.size(); ++s) {
        const auto& stop = r.ring.stops[s];
        const auto sent = [&](unsigned c) {
            return fmt::to_string(stop.traffic[c][0].injected + stop.traffic[c][1].injected);
        };
        begin_row(out, label_of(stop.at));
        number_cell(out, sent(0));
        number_cell(out, fmt::to_string(stop.traffic[0][0].waited + stop.traffic[0][1].waited));
        number_cell(out, sent(1));
        number_cell(out, sent(2));
        for (const auto way : {ring::direction::up, ring::direction::down}) {
            const double load = link_load(r, s, way, 0);
            bar_cell(out, fmt::format("{:.3f} %", load), load);
        }
        const bool tile = stop.at.what == ring::agent::tile;
        number_cell(out, tile ? fmt::to_string(stop.lookups) : "");
        number_cell(out, tile ? fmt::to_string(stop.waited) : "");
        end_row(out);
    }
    end_table(out);
    out << "</details>\n";
}

}  // namespace

void write_page_ring(std::ostream& out, const report& r) {
    if (r.ring.stops.empty() || r.phases.empty()) return;
    const ellipse e{static_cast<unsigned>(r.ring.stops.size())};
    out << "<section id=\"ring\"><h2>Ring, directory and memory</h2>\n<p class=\"note\">The stops "
           "in the order round the ring: tiles outside, memory controllers (MC) and SBOX inside. "
           "The outer lane goes clockwise, the inner one back; its width is the load. <span "
           "id=\"ring-said\"></span> <span id=\"tiles-said\">A tile's colour: instructions per "
           "clock.</span></p>\n<div id=\"ring-choices\" "
           "class=\"choices\"></div>\n";
    out << fmt::format(
        "<svg id=\"ring-picture\" class=\"ring\" role=\"img\" aria-label=\"the ring with its "
        "load\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\">\n",
        e.width(), e.height());
    write_links(out, r, e);
    write_stops(out, r, e);
    write_centre(out, r, e);
    out << "</svg>\n";
    write_stop_table(out, r);
    write_page_memory(out, r);
    out << "</section>\n";
}

}  // namespace platform
