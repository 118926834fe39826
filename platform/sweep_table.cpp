#include <platform/sweep_table.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <ostream>

#include <fmt/format.h>

#include <platform/report_counts.h>

namespace platform {

namespace {

using json = nlohmann::ordered_json;

// The row of core, or of core and thread, in a phase; null: it has none.
const json* metrics_row(const json& phase, const expectation& e) {
    if (!e.core) return &phase.at("card");
    for (const json& row : phase.at(e.thread ? "threads" : "cores"))
        if (row.at("core") == *e.core && (!e.thread || row.at("thread") == *e.thread)) return &row;
    return nullptr;
}

// A report has phases from one mark to the next, and the whole run.
const json* phase_of(const json& phases, const expectation& e) {
    const auto name = [](const std::optional<std::uint32_t>& mark, const char* otherwise) {
        return mark ? fmt::format("mark {}", *mark) : std::string{otherwise};
    };
    const std::string from = name(e.from, "begin"), to = name(e.to, "end");
    const auto found = std::find_if(phases.begin(), phases.end(), [&](const json& p) {
        return p.at("from") == from && p.at("to") == to;
    });
    return found == phases.end() ? nullptr : &*found;
}

sweep_cell cell_of(const json& value) {
    if (value.is_null()) return {};
    if (value.is_string()) return {value.get<std::string>(), false};
    return {value.dump(), true};
}

std::size_t failed_expectations(const json& report) {
    const json& all = report.at("expectations");
    return static_cast<std::size_t>(
        std::count_if(all.begin(), all.end(), [](const json& e) { return e.at("pass") == false; }));
}

// RFC 4180: a field with a comma, a quote or a line's end stands in quotes.
std::string field(const std::string& text) {
    if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
    std::string quoted = "\"";
    for (const char c : text) quoted += c == '"' ? std::string{"\"\""} : std::string{c};
    return quoted + '"';
}

}  // namespace

json value_of(const expectation& e, const json& written, const report& counts) {
    if (e.of == expectation::subject::metric) {
        const json* const phase = phase_of(written.at("phases"), e);
        const json* const row = phase != nullptr ? metrics_row(*phase, e) : nullptr;
        return row != nullptr ? row->at("metrics").value(e.what, json{}) : json{};
    }
    const verdict v = judge(e, counts, "");
    return v.actual.is_number() ? v.actual : json{};
}

json number_behind(const std::string& text, const std::string& console) {
    const std::size_t place = console.find(text);
    if (place == std::string::npos) return {};
    const std::size_t at = console.find_first_not_of(" \t", place + text.size());
    if (at == std::string::npos) return {};
    const char *const begin = console.data() + at, *const end = console.data() + console.size();
    std::int64_t whole = 0;
    double any = 0;
    const auto as_whole = std::from_chars(begin, end, whole);
    const auto as_any = std::from_chars(begin, end, any, std::chars_format::fixed);
    if (as_any.ec != std::errc{} || !std::isfinite(any)) return {};
    return as_whole.ec == std::errc{} && as_whole.ptr == as_any.ptr ? json(whole) : json(any);
}

sweep_table empty_table(const sweep_file& s) {
    sweep_table t;
    t.heads.emplace_back(run_column);
    for (const sweep_axis& a : s.axes) t.heads.push_back(a.key);
    t.keys = s.axes.size();
    for (const std::string_view name : outcome_columns) t.heads.emplace_back(name);
    for (const sweep_column& c : s.columns) t.heads.push_back(c.name);
    return t;
}

void add_run(sweep_table& t, const sweep_file& s, const sweep_point& point, int status,
             const std::optional<json>& report, const std::string& console) {
    std::vector<sweep_cell> row{{std::to_string(t.rows.size() + 1), true}};
    for (const std::string& value : point) row.push_back({value, false});
    row.push_back({std::to_string(status), true});
    if (report) {
        const json& time = report->at("time");
        row.push_back(cell_of(report->at("exit").at("reason")));
        row.push_back(cell_of(time.at("cycles")));
        row.push_back(cell_of(time.at("instructions")));
        const platform::report counts = counts_of(*report);
        for (const sweep_column& c : s.columns)
            row.push_back(cell_of(!c.of ? json(failed_expectations(*report))
                                  : c.of->of == expectation::subject::console
                                      ? number_behind(c.of->what, console)
                                      : value_of(*c.of, *report, counts)));
    }
    row.resize(t.heads.size());
    t.rows.push_back(std::move(row));
}

void write_csv(std::ostream& out, const sweep_table& t) {
    const auto line = [&](const auto& fields, auto text) {
        for (std::size_t n = 0; n < fields.size(); ++n)
            out << (n == 0 ? "" : ",") << field(text(fields[n]));
        out << "\r\n";
    };
    line(t.heads, [](const std::string& head) { return head; });
    for (const auto& row : t.rows) line(row, [](const sweep_cell& cell) { return cell.text; });
}

}  // namespace platform
