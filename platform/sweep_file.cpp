#include <platform/sweep_file.h>

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include <knc/monitor/metric.h>
#include <knc/pmu/event_table.h>

#include <platform/expectation_file.h>
#include <platform/input_error.h>
#include <platform/keys.h>
#include <platform/preset.h>
#include <platform/run_options.h>
#include <platform/toml_file.h>

namespace platform {

namespace {

class reader : private toml_file {
  public:
    using toml_file::toml_file;

    sweep_file whole() {
        sweep_file s;
        s.name = name();
        for (const auto& [name, v] : root()) {
            if (name == "description") {
                s.description = line(name, v);
            } else if (name == "scenario") {
                s.scenario = text(name, v);
            } else if (name == "axis") {
                for (const toml::value& e : tables(name, v)) s.axes.push_back(axis(e));
            } else if (name == "columns" || name == "column") {
                // Below: the list's come first, whatever the order of the tables.
            } else if (name == image_key) {
                s.image = text(name, v);
            } else if (name == preset_key) {
                s.preset = text(name, v);
                check_value(name, *s.preset, name, v);
            } else if (name == cmdline_key) {
                s.cmdline = text(name, v);
            } else {
                const std::size_t before = s.keys.size();
                keys(name, v, s.keys);
                settings scratch;
                for (std::size_t n = before; n < s.keys.size(); ++n) set_all(scratch, {s.keys[n]});
            }
        }
        sort_by_key(s.keys);
        if (const auto v = root().find("columns"); v != root().end())
            for (const std::string& c : texts(v->first, v->second))
                s.columns.push_back(named_column(c, v->second));
        if (const auto v = root().find("column"); v != root().end())
            for (const toml::value& e : tables(v->first, v->second)) {
                const expectation c = read_column(*this, e);
                s.columns.push_back({c.name, c});
            }
        check(s);
        return s;
    }

  private:
    sweep_axis axis(const toml::value& table) const {
        sweep_axis a;
        a.place = place(table);
        const toml::value *values = nullptr, *key = nullptr;
        std::size_t range = 0;
        for (const auto& [name, v] : table.as_table()) {
            if (name == "key") {
                a.key = text("axis.key", v);
                key = &v;
            } else if (name == "values") {
                values = &v;
            } else if (name == "zip") {
                a.group = text("axis.zip", v);
            } else if (name == "from" || name == "to" || name == "step" || name == "factor") {
                ++range;
            } else {
                fail(v, fmt::format("unknown key axis.{}", name));
            }
        }
        if (key == nullptr) fail(table, "key axis.key: every axis has one");
        check_key(a.key, *key);
        if ((values != nullptr) == (range != 0))
            fail(table, "key axis: wants values, or from and to");
        if (values != nullptr)
            list(a, *values);
        else
            a.values = this->range(table);
        std::set<std::string> seen;
        for (const std::string& v : a.values) {
            if (!seen.insert(v).second)
                fail(table, fmt::format("key axis.values: {} stands there twice", v));
            check_value(a.key, v, "axis.values", values != nullptr ? *values : table);
        }
        return a;
    }

    void list(sweep_axis& a, const toml::value& values) const {
        if (!values.is_array() || values.as_array().empty())
            fail(values, "key axis.values: a list of values is wanted");
        for (const toml::value& v : values.as_array()) a.values.push_back(scalar("axis.values", v));
    }

    std::vector<std::string> range(const toml::value& table) const {
        const toml::table& t = table.as_table();
        const auto given = [&](const char* name, std::uint64_t otherwise) {
            const auto v = t.find(name);
            return v == t.end() ? otherwise : number(fmt::format("axis.{}", name), v->second);
        };
        if (t.count("from") == 0 || t.count("to") == 0)
            fail(table, "key axis: a range has from and to");
        if (t.count("step") != 0 && t.count("factor") != 0)
            fail(table, "key axis: a range has step or factor");
        const std::uint64_t from = given("from", 0), to = given("to", 0), step = given("step", 1),
                            factor = given("factor", 1);
        if (from > to) fail(table, "key axis.from: greater than axis.to");
        if (step == 0) fail(table, "key axis.step: a number above 0 is wanted");
        const bool product = t.count("factor") != 0;
        if (product && (factor < 2 || from == 0))
            fail(table, "key axis.factor: from 2 up, and axis.from from 1 up");
        std::vector<std::string> values;
        // Before `n` leaves the range, so it cannot wrap.
        for (std::uint64_t n = from;; n = product ? n * factor : n + step) {
            values.push_back(std::to_string(n));
            if (values.size() > most_sweep_runs)
                fail(table, fmt::format("key axis: more than {} values", most_sweep_runs));
            if (product ? n > to / factor : to - n < step) return values;
        }
    }

    static bool is_word(const std::string& key) { return key.rfind(word_prefix, 0) == 0; }

    void check_key(const std::string& key, const toml::value& v) const {
        if (key == preset_key || key == image_key || key == cmdline_key) return;
        if (is_word(key)) {
            const std::string word = key.substr(word_prefix.size());
            if (word.empty() || word.find_first_of(" \t\n=") != std::string::npos)
                fail(v, fmt::format("key axis.key: {}: a word is wanted", key));
            return;
        }
        const auto& all = platform::keys();
        if (std::none_of(all.begin(), all.end(),
                         [&](const platform::key& k) { return k.name == key; }))
            fail(v, fmt::format("key axis.key: unknown key {} (knc-vp list keys)", key));
    }

    // `where`: the key of this file that gives it.
    void check_value(const std::string& key, const std::string& value, const std::string& where,
                     const toml::value& v) const {
        try {
            if (key == preset_key) {
                preset_settings(value);
            } else if (key == image_key) {
                read_file(beside(name(), value));
            } else if (is_word(key)) {
                if (value.find_first_of(" \t\n") != std::string::npos)
                    throw input_error(fmt::format("'{}' is not one word", value));
            } else if (key != cmdline_key) {
                settings scratch;
                set_key(scratch, key, value);
            }
        } catch (const std::runtime_error& e) {
            fail(v, fmt::format("key {}: {}", where, e.what()));
        }
    }

    // An event, a count or a metric of the whole run and all threads.
    sweep_column named_column(const std::string& name, const toml::value& v) const {
        using subject = expectation::subject;
        if (name == failed_column) return {name, {}};
        expectation e;
        e.name = e.what = name;
        e.event = knc::pmu::find_event(name);
        if (knc::monitor::find_metric(name) != nullptr)
            e.of = subject::metric;
        else if (e.event != knc::base::event_count)
            e.of = subject::event;
        else if (find_count(name))
            e.of = subject::count;
        else
            fail(v, fmt::format("key columns: no metric, event or count '{}'", name));
        return {name, e};
    }

    void check(const sweep_file& s) const {
        const auto whole_file = [&](const std::string& what) {
            throw input_error(fmt::format("{}: {}", name(), what));
        };
        if (s.axes.empty()) whole_file("key axis: a sweep has one at least");
        const auto has = [&](std::string_view key) {
            return std::any_of(s.axes.begin(), s.axes.end(),
                               [&](const sweep_axis& a) { return a.key == key; });
        };
        if (!s.scenario && !s.image && !has(image_key))
            whole_file("key image: a sweep names a scenario or an image");
        std::set<std::string_view> names{run_column};
        names.insert(std::begin(outcome_columns), std::end(outcome_columns));
        for (const sweep_axis& a : s.axes)
            if (!names.insert(a.key).second)
                throw input_error(fmt::format("{}: key axis.key: {} has two axes", a.place, a.key));
        for (const sweep_column& c : s.columns)
            if (!names.insert(c.name).second)
                whole_file(fmt::format("key columns: there is a column {} already", c.name));
    }
};

}  // namespace

sweep_file read_sweep(const std::string& text, const std::string& file) {
    return reader{text, file}.whole();
}

}  // namespace platform
