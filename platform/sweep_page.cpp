#include <platform/sweep_page.h>

#include <ostream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <platform/page_frame.h>
#include <platform/page_text.h>

namespace platform {

namespace {

using json = nlohmann::ordered_json;

json value_of(const sweep_cell& c, bool of_axis) {
    if (c.number) return json::parse(c.text);
    return c.text.empty() && !of_axis ? json() : json(c.text);
}

json data_of(const sweep_file& s, const sweep_table& t, const std::string& title) {
    // `image` and `marks` are what the script of charts wants of a run.
    json data = {{"image", title},
                 {"marks", json::array()},
                 {"axes", json::array()},
                 {"heads", t.heads},
                 {"rows", json::array()}};
    for (const sweep_axis& a : s.axes) data["axes"].push_back({{"key", a.key}, {"group", a.group}});
    for (const auto& row : t.rows) {
        json values = json::array();
        for (std::size_t n = 0; n < row.size(); ++n)
            values.push_back(value_of(row[n], n >= 1 && n <= t.keys));
        data["rows"].push_back(values);
    }
    return data;
}

// Digits that nobody reads make the table wide; the file of values has them.
std::string short_text(const sweep_cell& c) {
    const json value = json::parse(c.text);
    return value.is_number_float() ? fmt::format("{:.6g}", value.get<double>()) : c.text;
}

void write_runs(std::ostream& out, const sweep_table& t, const std::vector<std::string>& links) {
    const std::size_t status = t.keys + 1;
    out << "<div class=\"wide\"><table id=\"runs\">\n<thead><tr>";
    for (const std::string& h : t.heads) out << "<th scope=\"col\">" << escaped(h) << "</th>";
    out << "</tr></thead>\n<tbody>\n";
    for (std::size_t n = 0; n < t.rows.size(); ++n) {
        const auto& row = t.rows[n];
        out << "<tr><th scope=\"row\">";
        if (links[n].empty())
            out << row[0].text;
        else
            out << fmt::format("<a href=\"{}\">{}</a>", escaped(links[n]), row[0].text);
        out << "</th>";
        for (std::size_t c = 1; c < row.size(); ++c) {
            if (row[c].number)
                number_cell(out, short_text(row[c]), c == status && row[c].text != "0");
            else
                text_cell(out, row[c].text);
        }
        end_row(out);
    }
    end_table(out);
}

}  // namespace

void write_sweep_page(std::ostream& out, const sweep_file& s, const sweep_table& t,
                      const std::vector<std::string>& links) {
    const std::string title = s.description.empty() ? s.name : s.description;
    const std::string of = s.scenario.value_or(s.image.value_or("several images"));
    begin_page(out, title, sweep_script_hash);
    out << "<header><h1>" << escaped(title) << "</h1>\n<p class=\"note\">" << t.rows.size()
        << " runs of " << escaped(of.substr(of.rfind('/') + 1))
        << "</p></header>\n<main>\n<section id=\"chart\"><h2>Chart</h2>\n<noscript><p "
           "class=\"note\">The chart needs JavaScript. The table has its numbers.</p></noscript>\n"
           "<div id=\"sweep-chart\"></div>\n</section>\n<section id=\"table\"><h2>Runs</h2>\n<p "
           "class=\"note\">A number leads to the page of its run; the head of a column "
           "sorts.</p>\n";
    write_runs(out, t, links);
    out << "</section>\n";
    write_about(out, "docs/sweep.md describes sweeps.");
    end_page(out, data_of(s, t, title), sweep_script);
}

}  // namespace platform
