#include <platform/function_profile.h>

#include <algorithm>
#include <ostream>

#include <fmt/format.h>

namespace platform {

namespace {

namespace base = knc::base;
using row = profile_summary::row;

constexpr std::array levels = {base::supervisor, base::user};
constexpr std::size_t most_rows = 30;  // of functions in the text

const char* name_of(base::privilege p) {
    return p == base::user ? "user" : "kernel";
}

void add(profile_cell& to, const profile_cell& c) {
    to.instructions += c.instructions;
    to.clocks += c.clocks;
}

bool empty(const profile_cell& c) {
    return (c.instructions | c.clocks) == 0;
}

void most_first(std::vector<row>& rows) {
    std::stable_sort(rows.begin(), rows.end(), [](const row& a, const row& b) {
        return a.count.clocks != b.count.clocks ? a.count.clocks > b.count.clocks
                                                : a.count.instructions > b.count.instructions;
    });
}

double percent(std::uint64_t part, std::uint64_t whole) {
    return whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

profile_cell function_profile::count(std::size_t program, std::size_t function,
                                     base::privilege p) const {
    const auto& cells = cells_[program][p];
    if (cells.empty()) return {};
    return function == function_table::none ? cells.back() : cells[function];
}

knc::core::code_finder_if::stretch function_profile::find(const knc::core::code_location& at) {
    const symbols::place& p = found_ = symbols_.locate(at);
    if (p.in == nullptr) return {p.low, p.high - p.low, &none_[at.level]};
    const auto number = static_cast<std::size_t>(p.in - programs().data());
    auto& cells = cells_[number][at.level];
    if (cells.empty()) cells.resize(p.in->functions.functions().size() + 1);
    profile_cell& c = p.function == function_table::none ? cells.back() : cells[p.function];
    return {p.low, p.high - p.low, &c};
}

void function_profile::forget() {
    ++changes_;
    symbols_.forget();
    invalidate();
}

void function_profile::code_dropped(std::uint64_t page_number) {
    ++changes_;
    if (symbols_.page_changed(page_number)) invalidate();
}

profile_summary summarize(const function_profile& f, const knc::card::card& c) {
    profile_summary s;
    s.instructions = c.instructions();
    s.clocks = c.now() * c.tiles() * base::threads_per_core;
    const auto add_row = [&](const std::string& program, const std::string& function,
                             base::privilege p, std::uint64_t address, const profile_cell& n) {
        if (empty(n)) return;
        add(s.levels[p], n);
        s.functions.push_back({program, function, p, address, n});
    };
    for (const base::privilege p : levels) {
        for (std::size_t n = 0; n < f.programs().size(); ++n) {
            const program& q = f.programs()[n];
            const std::size_t first = s.functions.size();
            const auto& functions = q.functions.functions();
            for (std::size_t i = 0; i < functions.size(); ++i)
                add_row(q.file.name, functions[i].name, p, functions[i].address, f.count(n, i, p));
            add_row(q.file.name, no_function, p, 0, f.count(n, function_table::none, p));
            profile_cell sum;
            for (std::size_t i = first; i < s.functions.size(); ++i) add(sum, s.functions[i].count);
            if (!empty(sum)) s.programs.push_back({q.file.name, "", p, 0, sum});
        }
        if (empty(f.of_none(p))) continue;
        s.programs.push_back({no_function, "", p, 0, f.of_none(p)});
        add_row(no_function, no_function, p, 0, f.of_none(p));
    }
    for (std::size_t i = 0; i < c.tiles(); ++i) {
        const knc::core::profile& p = *c[i].cpu().profiled();
        s.idle_clocks += p.halted();
        s.off_clocks += p.stopped();
    }
    most_first(s.programs);
    most_first(s.functions);
    return s;
}

nlohmann::ordered_json to_json(const profile_summary& s) {
    using json = nlohmann::ordered_json;
    const auto counts = [](const profile_cell& c) {
        return json{{"instructions", c.instructions}, {"clocks", c.clocks}};
    };
    json o = {{"instructions", s.instructions},
              {"clocks", s.clocks},
              {"kernel", counts(s.levels[base::supervisor])},
              {"user", counts(s.levels[base::user])},
              {"idle", {{"clocks", s.idle_clocks}}},
              {"off", {{"clocks", s.off_clocks}}},
              {"programs", json::array()},
              {"functions", json::array()}};
    for (const row& r : s.programs) {
        json p = {{"program", r.program}, {"level", name_of(r.level)}};
        p.update(counts(r.count));
        o["programs"].push_back(std::move(p));
    }
    for (const row& r : s.functions) {
        json f = {{"program", r.program},
                  {"level", name_of(r.level)},
                  {"name", r.function},
                  {"address", r.address}};
        f.update(counts(r.count));
        o["functions"].push_back(std::move(f));
    }
    return o;
}

void write_text(std::ostream& out, const profile_summary& s) {
    constexpr const char* line = "  {:<28} {:<24} {:>6} {:>16} {:>8} {:>16} {:>8}\n";
    const auto share = [](std::uint64_t n, std::uint64_t of) {
        return fmt::format("{:.2f}%", percent(n, of));
    };
    const auto write = [&](const std::string& what, const std::string& where,
                           const std::string& level, const profile_cell& c) {
        out << fmt::format(line, what, where, level, c.instructions,
                           share(c.instructions, s.instructions), c.clocks,
                           share(c.clocks, s.clocks));
    };
    const auto clocks = [&](std::uint64_t n) { return share(n, s.clocks); };
    out << fmt::format("clocks of all threads: kernel {}, user {}, idle {}, not running {}\n",
                       clocks(s.levels[base::supervisor].clocks),
                       clocks(s.levels[base::user].clocks), clocks(s.idle_clocks),
                       clocks(s.off_clocks));
    out << fmt::format(line, "", "", "level", "instructions", "share", "clocks", "share");
    write("all", "", "", {s.instructions, s.clocks});
    write("kernel", "", "kernel", s.levels[base::supervisor]);
    write("user", "", "user", s.levels[base::user]);
    write("idle (HLT)", "", "", {0, s.idle_clocks});
    write("not running", "", "", {0, s.off_clocks});
    out << fmt::format(line, "program", "", "", "", "", "", "");
    for (const row& r : s.programs) write(r.program, "", name_of(r.level), r.count);
    out << fmt::format(line, "function", "program", "", "", "", "", "");
    for (std::size_t n = 0; n < std::min(most_rows, s.functions.size()); ++n) {
        const row& r = s.functions[n];
        write(r.function, r.program, name_of(r.level), r.count);
    }
    if (s.functions.size() > most_rows)
        out << fmt::format("  and {} more functions\n", s.functions.size() - most_rows);
}

}  // namespace platform
