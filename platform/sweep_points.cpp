#include <platform/sweep_points.h>

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include <platform/input_error.h>

namespace platform {

namespace {

// Axes that advance together, as indices.
using group = std::vector<std::size_t>;

std::vector<group> groups_of(const std::vector<sweep_axis>& axes) {
    std::vector<group> groups;
    for (std::size_t n = 0; n < axes.size(); ++n) {
        const auto mine = std::find_if(groups.begin(), groups.end(), [&](const group& g) {
            return !axes[n].group.empty() && axes[g[0]].group == axes[n].group;
        });
        if (mine == groups.end()) {
            groups.push_back({n});
            continue;
        }
        const sweep_axis& first = axes[mine->front()];
        if (first.values.size() != axes[n].values.size())
            throw input_error(fmt::format("{}: key axis.zip: {} values of {}, {} of {}",
                                          axes[n].place, axes[n].values.size(), axes[n].key,
                                          first.values.size(), first.key));
        mine->push_back(n);
    }
    return groups;
}

}  // namespace

std::vector<sweep_point> expand(const sweep_file& s) {
    std::vector<sweep_point> points{sweep_point(s.axes.size())};
    for (const group& g : groups_of(s.axes)) {
        const std::size_t values = s.axes[g[0]].values.size();
        if (points.size() * values > most_sweep_runs)
            throw input_error(fmt::format("{}: key axis: {} runs or more; {} are the most",
                                          s.axes[g[0]].place, points.size() * values,
                                          most_sweep_runs));
        std::vector<sweep_point> longer;
        for (const sweep_point& p : points) {
            for (std::size_t v = 0; v < values; ++v) {
                longer.push_back(p);
                for (const std::size_t a : g) longer.back()[a] = s.axes[a].values[v];
            }
        }
        points = std::move(longer);
    }
    return points;
}

std::string with_word(const std::string& command_line, const std::string& word,
                      const std::string& value) {
    const std::string name = word + '=';
    std::string out;
    bool found = false;
    for (std::size_t at = 0; at < command_line.size();) {
        const std::size_t end = std::min(command_line.find(' ', at), command_line.size());
        const bool here = command_line.compare(at, name.size(), name) == 0;
        out += here ? name + value : command_line.substr(at, end - at);
        if (end < command_line.size()) out += ' ';
        found = found || here;
        at = end + 1;
    }
    if (found) return out;
    return out + (out.empty() || out.back() == ' ' ? "" : " ") + name + value;
}

run_options options_at(const sweep_file& s, const sweep_point& point) {
    run_options o;
    o.preset = s.preset;
    o.cmdline = s.cmdline;
    o.image = s.image;
    for (const assignment& a : s.keys) o.set.push_back(a.key + '=' + a.text);
    for (std::size_t n = 0; n < point.size(); ++n) {
        const std::string& key = s.axes[n].key;
        if (key == preset_key)
            o.preset = point[n];
        else if (key == image_key)
            o.image = point[n];
        else if (key == cmdline_key)
            o.cmdline = point[n];
        else if (key.rfind(word_prefix, 0) != 0)
            o.set.push_back(key + '=' + point[n]);
    }
    if (o.image) o.image = beside(s.name, *o.image);
    if (s.scenario) {
        o.file = beside(s.name, *s.scenario);
    } else {
        o.file = *o.image;
        o.image.reset();
    }
    // Words are those of the command line that the run has otherwise.
    for (std::size_t n = 0; n < point.size(); ++n) {
        const std::string& key = s.axes[n].key;
        if (key.rfind(word_prefix, 0) != 0) continue;
        if (!o.cmdline && s.scenario)
            o.cmdline = read_scenario(read_file(o.file), o.file).cmdline.value_or("");
        o.cmdline = with_word(o.cmdline.value_or(""), key.substr(word_prefix.size()), point[n]);
    }
    o.console = "none";
    o.quiet = true;
    return o;
}

std::string point_text(const sweep_file& s, const sweep_point& point) {
    std::string text;
    for (std::size_t n = 0; n < point.size(); ++n)
        text += fmt::format("{}{}={}", n == 0 ? "" : " ", s.axes[n].key, point[n]);
    return text;
}

}  // namespace platform
