// report.html: escaping, and the numbers of its drawings.
#include <platform/page.h>

#include <sstream>
#include <utility>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <platform/page_flame.h>
#include <platform/page_text.h>

namespace platform {
namespace {

TEST(page, escapes_what_is_markup) {
    EXPECT_EQ(escaped("a<b> & \"c\" 'd'"), "a&lt;b&gt; &amp; &quot;c&quot; &#39;d&#39;");
    // What is escaped already is text too.
    EXPECT_EQ(escaped("&lt;"), "&amp;lt;");
    EXPECT_EQ(escaped("gr\xC3\xBC\xC3\x9F"), "gr\xC3\xBC\xC3\x9F");
}

TEST(page, replaces_what_xml_cannot_have) {
    EXPECT_EQ(escaped(std::string_view{"a\0b\x1b\n\t\xFF", 7}), "a_b____");
    // U+FFFE and U+FFFF are UTF-8, but no characters of XML; their neighbour U+FFFD is one.
    EXPECT_EQ(escaped("\xEF\xBF\xBE\xEF\xBF\xBF\xEF\xBF\xBD"), "__\xEF\xBF\xBD");
}

TEST(page, shares_of_nothing_are_nothing) {
    EXPECT_EQ(percent_of(1, 4), 25);
    EXPECT_EQ(percent_of(3, 0), 0);
}

TEST(page, a_bar_stays_in_its_cell) {
    std::ostringstream out;
    bar_cell(out, "7", 250);
    bar_cell(out, "8", -1, true);
    EXPECT_EQ(out.str(),
              "<td class=\"n b\" style=\"--f:100.0%\">7</td>"
              "<td class=\"n b mark\" style=\"--f:0.0%\">8 !</td>");
    std::ostringstream empty;
    bar_cell(empty, "", 0);
    EXPECT_EQ(empty.str(), "<td></td>");
}

TEST(page, a_head_of_numbers_stands_above_them) {
    std::ostringstream out;
    begin_table(out, "", {"a", "#b"});
    EXPECT_NE(out.str().find("<th scope=\"col\">a</th><th scope=\"col\" class=\"n\">b</th>"),
              std::string::npos)
        << out.str();
}

TEST(page, one_value_does_not_hide_the_others) {
    EXPECT_EQ(strongest({}), 0);
    EXPECT_EQ(strongest({0, -1}), 0);
    EXPECT_EQ(strongest({3, 7, 5}), 7);
    // Of 20 values above 0, the 19th is the 95th percentile.
    std::vector<double> values(5, 0.0);
    for (int n = 1; n <= 19; ++n) values.push_back(n);
    values.push_back(1000);
    EXPECT_EQ(strongest(values), 19);
    EXPECT_EQ(strength_of(1000, 19), 1);
    EXPECT_EQ(strength_of(9.5, 19), 0.5);
    EXPECT_EQ(strength_of(-1, 19), 0);
    EXPECT_EQ(strength_of(1, 0), 0);
}

// Of 10 periods, main has 1 itself, its callees f and g 3 + 4 and 2.
constexpr const char* stacks = "x;main 1\nx;main;f 3\nx;main;f;g 4\nx;main;g 2\n";

TEST(page, a_flame_graph_adds_callees_to_callers) {
    const auto graphs = make_flame_graphs(stacks, false);
    ASSERT_EQ(graphs.size(), 1u);
    const flame_graph& g = graphs[0];
    EXPECT_EQ(g.event, "");
    EXPECT_EQ(g.weight, 10u);
    EXPECT_EQ(g.rows, 4u);
    EXPECT_EQ(g.hidden, 0u);
    std::ostringstream frames;
    for (const flame_frame& f : g.frames)
        frames << f.name << ' ' << f.row << ' ' << f.from << ' ' << f.weight << '\n';
    EXPECT_EQ(frames.str(), "x 0 0 10\nmain 1 0 10\nf 2 0 7\ng 3 0 4\ng 2 7 2\n");
}

TEST(page, events_have_a_flame_graph_each) {
    const auto graphs = make_flame_graphs("x;A;f 3\nx;B;f 5\nx;B;g 1\n", true);
    ASSERT_EQ(graphs.size(), 2u);
    EXPECT_EQ(graphs[0].event, "A");
    EXPECT_EQ(graphs[0].weight, 3u);
    EXPECT_EQ(graphs[1].event, "B");
    EXPECT_EQ(graphs[1].weight, 6u);
    EXPECT_EQ(graphs[1].frames.size(), 3u);
}

TEST(page, frames_that_cannot_be_seen_are_counted) {
    // 1 of 1001 is less than 0.1 %, 1 of 1000 is not.
    EXPECT_EQ(make_flame_graphs("x;f 1000\nx;g 1\n", false)[0].hidden, 1u);
    EXPECT_EQ(make_flame_graphs("x;f 999\nx;g 1\n", false)[0].hidden, 0u);
    // The lowest row is the image's; of 100 functions above one another 79 have a row.
    std::string high = "x";
    for (int n = 0; n < 100; ++n) high += ";f";
    const auto graphs = make_flame_graphs(high + " 1\n", false);
    EXPECT_EQ(graphs[0].rows, flame_graph::most_rows);
    EXPECT_EQ(graphs[0].frames.size(), 80u);
    EXPECT_EQ(graphs[0].hidden, 1u);
}

TEST(page, a_flame_graph_is_drawn_to_scale) {
    std::ostringstream out;
    write_svg(out, make_flame_graphs(stacks, false)[0]);
    const std::string svg = out.str();
    // 4 rows of 18 pixels; the callee g of main lies in the second row from above, behind the 70 %
    // of f, and is 20 % wide.
    EXPECT_NE(svg.find("height=\"72\""), std::string::npos) << svg;
    EXPECT_NE(svg.find("<svg x=\"70.000%\" y=\"18\" width=\"20.000%\" height=\"17\">"
                       "<title>g: 2 of 10, 20.00 %</title>"),
              std::string::npos)
        << svg;
    EXPECT_NE(svg.find("<svg x=\"0.000%\" y=\"54\" width=\"100.000%\" height=\"17\">"
                       "<title>x: 10 of 10, 100.00 %</title>"),
              std::string::npos)
        << svg;
}

TEST(page, most_functions_of_a_large_program_are_left_out) {
    profile_summary all;
    for (int n = 0; n < 450; ++n)
        all.functions.push_back({"p", fmt::format("f{}.", n), knc::base::user, 0, {1, 1}});
    report r;
    r.by_function = std::move(all);
    std::ostringstream out;
    write_page(out, r, "");
    EXPECT_NE(out.str().find("<th scope=\"row\">f399.</th>"), std::string::npos);
    EXPECT_EQ(out.str().find("f400."), std::string::npos);
    EXPECT_NE(out.str().find("<p class=\"note\">50 more functions are in report.json.</p>"),
              std::string::npos);
}

TEST(page, names_are_never_markup) {
    const std::string evil = "</title><script>alert('x')</script>&\"";
    report r;
    r.preset = r.image = r.cmdline = r.detail = r.unheard = r.dump = evil;
    r.reason = "limit";
    r.warnings = r.hints = {evil};
    r.expectations.push_back({evil, false, evil});
    r.profiles.emplace_back();
    profile& p = r.profiles.back();
    p.event = p.exact_unit = evil;
    p.samples = p.weight = p.events = 1;
    p.functions.push_back({evil, 1, 1, 1, 1});
    line_share line;
    line.at.file = line.function = evil;
    p.lines.push_back(line);
    r.by_function.emplace();
    r.by_function->programs.push_back({evil, evil, knc::base::user, 0, {1, 1}});
    r.by_function->functions.push_back({evil, evil, knc::base::user, 0, {1, 1}});
    std::ostringstream out;
    write_page(out, r, evil + ";" + evil + " 1\n");
    const std::string page = out.str();
    const auto count = [&](std::string_view what) {
        std::size_t n = 0;
        for (std::size_t at = 0; (at = page.find(what, at)) != std::string::npos; ++at) ++n;
        return n;
    };
    // The data, which have the image's name, and the page's own script.
    EXPECT_EQ(count("<script"), 2u);
    EXPECT_EQ(count("</script"), 2u);
    EXPECT_EQ(count("\"image\":\"\\u003c/title\\u003e\\u003cscript\\u003ealert('x')\\u003c/"
                    "script\\u003e\\u0026\\\"\""),
              1u);
    // Title and heading 2, outcome's detail 1, session 1, preset and command line 2, expectation
    // and actual 2, hint 1, warning 1, state 1; flame graph: 2 titles and 2 texts; profile: event
    // 1, unit 1, function 1, line and its function 2; exact profile: 1 + 2. Title and heading have
    // the image and the preset.
    EXPECT_EQ(count("&lt;script&gt;"), 4u + 1 + 1 + 2 + 2 + 1 + 1 + 1 + 4 + 1 + 1 + 1 + 2 + 3);
}

}  // namespace
}  // namespace platform
