#include <platform/scenario.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <sstream>

#include <fmt/format.h>
#include <toml.hpp>

#include <knc/base/event.h>
#include <knc/monitor/metric.h>
#include <knc/pmu/event_table.h>

#include <platform/input_error.h>
#include <platform/keys.h>
#include <platform/utf8.h>

namespace platform {

namespace {

// More open brackets than any scenario has; the parser recurses.
constexpr int deepest = 200;
// A clock of 10 GHz does not count further in SystemC's time.
constexpr double longest_seconds = 1e6;

class reader {
  public:
    reader(const std::string& text, const std::string& file) : file_(file), root_(parse(text)) {}

    scenario whole() {
        scenario s;
        for (const auto& [name, v] : root_) {
            if (name == "preset") {
                s.preset = text(name, v);
            } else if (name == "image") {
                s.image = text(name, v);
            } else if (name == "description") {
                s.description = text(name, v);
                if (s.description.find('\n') != std::string::npos)
                    fail(v, "key description: one line is wanted");
            } else if (name == "cmdline") {
                s.cmdline = text(name, v);
            } else if (name == "initrd") {
                s.initrd = text(name, v);
            } else if (name == "symbols") {
                s.symbols = texts(name, v);
            } else if (name == "console") {
                s.console = console(v);
            } else if (name == "session") {
                for (const toml::value& e : tables(name, v)) s.session.push_back(step(e));
            } else if (name == "msr_socket") {
                s.msr_socket = text(name, v);
            } else if (name == "msr") {
                for (const toml::value& e : tables(name, v)) s.msr.push_back(access(e));
            } else if (name == "expect") {
                for (const toml::value& e : tables(name, v))
                    s.expectations.push_back(one_expectation(e));
            } else {
                keys(name, v, s.keys);
            }
        }
        in_order(s.keys);
        return s;
    }

    std::vector<assignment> keys_only() {
        std::vector<assignment> a;
        for (const auto& member : root_) keys(member.first, member.second, a);
        return a;
    }

  private:
    [[noreturn]] void fail(const toml::value& v, const std::string& what) const {
        throw input_error(fmt::format("{}: {}", place(v), what));
    }
    std::string place(const toml::value& v) const {
        return fmt::format("{}:{}", file_, v.location().line());
    }

    toml::table parse(const std::string& text) const {
        const std::size_t bad = first_invalid_utf8(text);
        if (bad != text.size()) {
            const auto line =
                1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(bad), '\n');
            throw input_error(fmt::format("{}:{}: not UTF-8 text", file_, line));
        }
        int depth = 0, longest = 0;
        for (const char c : text) {
            if (c == '[' || c == '{') longest = std::max(longest, ++depth);
            if ((c == ']' || c == '}') && depth > 0) --depth;
        }
        if (longest > deepest) throw input_error(fmt::format("{}: nested too deeply", file_));
        try {
            std::istringstream in{text};
            return toml::parse(in, file_).as_table();
        } catch (const toml::exception& e) {
            throw input_error(
                fmt::format("{}:{}: {}", file_, e.location().line(), first_line(e.what())));
        } catch (const std::exception& e) {
            throw input_error(fmt::format("{}: {}", file_, first_line(e.what())));
        }
    }

    // The parser's message without its function name and its drawing of the place.
    static std::string first_line(const std::string& what) {
        std::string line = what.substr(0, what.find('\n'));
        if (line.rfind("[error] toml::", 0) == 0) {
            const auto colon = line.find(": ");
            if (colon != std::string::npos) line.erase(0, colon + 2);
        }
        return line;
    }

    std::string text(const std::string& key, const toml::value& v) const {
        if (!v.is_string()) fail(v, fmt::format("key {}: text is wanted", key));
        return v.as_string().str;
    }

    std::vector<std::string> texts(const std::string& key, const toml::value& v) const {
        if (!v.is_array()) fail(v, fmt::format("key {}: a list of texts is wanted", key));
        std::vector<std::string> all;
        for (const toml::value& element : v.as_array()) all.push_back(text(key, element));
        return all;
    }

    // Tables of keys: [core] issue_interval = 2 is key core.issue_interval.
    void keys(const std::string& path, const toml::value& v, std::vector<assignment>& out) const {
        if (v.is_table()) {
            for (const auto& [name, member] : v.as_table())
                keys(fmt::format("{}.{}", path, name), member, out);
        } else {
            out.push_back({path, scalar(path, v), place(v)});
        }
    }

    std::string scalar(const std::string& key, const toml::value& v) const {
        if (v.is_string()) return v.as_string().str;
        if (v.is_boolean()) return v.as_boolean() ? "true" : "false";
        if (v.is_integer()) return std::to_string(v.as_integer());
        if (!v.is_array())
            fail(v, fmt::format("key {}: a number, true, false or text is wanted", key));
        std::string joined;
        for (const toml::value& element : v.as_array())
            joined += (joined.empty() ? "" : ",") + text(key, element);
        return joined;
    }

    std::uint64_t number(const std::string& key, const toml::value& v) const {
        if (!v.is_integer() || v.as_integer() < 0)
            fail(v, fmt::format("key {}: a number is wanted", key));
        return static_cast<std::uint64_t>(v.as_integer());
    }

    // The tables [[name]].
    const toml::array& tables(const std::string& name, const toml::value& v) const {
        if (!v.is_array()) fail(v, fmt::format("key {0}: write [[{0}]]", name));
        for (const toml::value& e : v.as_array())
            if (!e.is_table()) fail(e, fmt::format("key {0}: write [[{0}]]", name));
        return v.as_array();
    }

    console_choice console(const toml::value& v) const {
        try {
            return parse_console(text("console", v));
        } catch (const input_error& e) {
            fail(v, fmt::format("key console: {}", e.what()));
        }
    }

    session_step step(const toml::value& table) const {
        session_step s;
        s.place = place(table);
        for (const auto& [name, v] : table.as_table()) {
            if (name == "wait")
                s.wait = text("session.wait", v);
            else if (name == "send")
                s.send = text("session.send", v);
            else if (name == "timeout")
                s.timeout = seconds("session.timeout", v);
            else
                fail(v, fmt::format("unknown key session.{}", name));
        }
        if (s.wait.empty() && s.send.empty()) fail(table, "key session: wants wait, send or both");
        return s;
    }

    msr_access access(const toml::value& table) const {
        msr_access a;
        a.place = place(table);
        int seen = 0;
        for (const auto& [name, v] : table.as_table()) {
            if (name == "at") {
                a.at = number("msr.at", v);
            } else if (name == "thread") {
                a.thread = number("msr.thread", v);
            } else if (name == "read") {
                a.number = msr_number("msr.read", v);
                ++seen;
            } else if (name == "write") {
                if (!v.is_array() || v.as_array().size() != 2)
                    fail(v, "key msr.write: [NUMBER, VALUE] is wanted");
                a.number = msr_number("msr.write", v.as_array()[0]);
                a.value = number("msr.write", v.as_array()[1]);
                a.write = true;
                ++seen;
            } else {
                fail(v, fmt::format("unknown key msr.{}", name));
            }
        }
        if (seen != 1 || table.as_table().count("at") == 0)
            fail(table, "key msr: wants at, and one of read and write");
        return a;
    }

    std::uint32_t msr_number(const std::string& key, const toml::value& v) const {
        const std::uint64_t n = number(key, v);
        if (n > 0xffff'ffff) fail(v, fmt::format("key {}: no MSR has this number", key));
        return static_cast<std::uint32_t>(n);
    }

    // None: no limit.
    std::optional<double> seconds(const std::string& key, const toml::value& v) const {
        if (v.is_string() && v.as_string().str == "none") return {};
        const double n = v.is_integer()    ? static_cast<double>(v.as_integer())
                         : v.is_floating() ? v.as_floating()
                                           : 0;
        if (!(n > 0 && n <= longest_seconds))
            fail(v, fmt::format("key {}: seconds above 0 or none are wanted", key));
        return n;
    }

    expectation one_expectation(const toml::value& table) const {
        using subject = expectation::subject;
        static const std::array<std::pair<std::string, subject>, 5> subjects = {
            {{"event", subject::event},
             {"count", subject::count},
             {"metric", subject::metric},
             {"console", subject::console},
             {"exit", subject::exit}}};
        expectation e;
        int subjects_seen = 0;
        std::map<std::string, const toml::value*> bounds;
        for (const auto& [name, v] : table.as_table()) {
            const auto s = std::find_if(subjects.begin(), subjects.end(),
                                        [&key = name](const auto& p) { return p.first == key; });
            if (s != subjects.end()) {
                e.of = s->second;
                e.what = text("expect." + name, v);
                e.event = knc::pmu::find_event(e.what);
                ++subjects_seen;
            } else if (name == "name") {
                e.name = text("expect.name", v);
            } else if (name == "core" || name == "thread") {
                (name == "core" ? e.core : e.thread) =
                    static_cast<unsigned>(number("expect." + name, v));
            } else if (name == "from" || name == "to") {
                (name == "from" ? e.from : e.to) = mark_number("expect." + name, v);
            } else if (name == "level") {
                e.level = level(v);
            } else if (name == "min" || name == "max" || name == "equals") {
                bounds.emplace(name, &v);
            } else {
                fail(v, fmt::format("unknown key expect.{}", name));
            }
        }
        for (const auto& [name, v] : bounds) bound(e, name, *v);
        check(table, e, subjects_seen, !bounds.empty());
        return e;
    }

    void bound(expectation& e, const std::string& name, const toml::value& v) const {
        if (e.of == expectation::subject::metric) {
            if (name == "equals") fail(v, "key expect.equals: a metric has min and max");
            (name == "min" ? e.least : e.most) = real("expect." + name, v);
            return;
        }
        const std::uint64_t n = number("expect." + name, v);
        if (name != "max") e.low = n;
        if (name != "min") e.high = n;
    }

    double real(const std::string& key, const toml::value& v) const {
        const double x = v.is_floating()  ? v.as_floating()
                         : v.is_integer() ? static_cast<double>(v.as_integer())
                                          : std::numeric_limits<double>::quiet_NaN();
        if (!std::isfinite(x)) fail(v, fmt::format("key {}: a number is wanted", key));
        return x;
    }

    std::uint32_t mark_number(const std::string& key, const toml::value& v) const {
        const std::uint64_t n = number(key, v);
        if (n > 0xffff'ffff) fail(v, fmt::format("key {}: no mark has this number", key));
        return static_cast<std::uint32_t>(n);
    }

    expectation::levels level(const toml::value& v) const {
        const std::string which = text("expect.level", v);
        if (which == "kernel") return expectation::levels::kernel;
        if (which == "user") return expectation::levels::user;
        fail(v, "key expect.level: kernel or user is wanted");
    }

    void check(const toml::value& at, const expectation& e, int subjects_seen, bool bounded) const {
        using subject = expectation::subject;
        if (e.name.empty()) fail(at, "key expect.name: every expectation has a name");
        if (subjects_seen != 1)
            fail(at, "key expect: wants one of event, count, metric, console, exit");
        const bool numeric =
            e.of == subject::event || e.of == subject::count || e.of == subject::metric;
        if (e.of == subject::event && e.event == knc::base::event_count)
            fail(at, fmt::format("key expect.event: no event '{}' (knc-vp list events)", e.what));
        if (e.of == subject::count) check_count(at, e);
        if (e.of == subject::metric) check_metric(at, e);
        if (numeric && !bounded) fail(at, "key expect: wants min, max or equals");
        if (e.of == subject::console && bounded)
            fail(at, "key expect: console text has no min, max or equals");
        if (!numeric && (e.core || e.thread || e.from || e.to))
            fail(at, "key expect: core and thread, from and to go with event, count and metric");
        if (e.level != expectation::levels::all && e.of != subject::event)
            fail(at, "key expect: level goes with event");
        if (e.low > e.high || e.least > e.most) fail(at, "key expect.min: greater than expect.max");
    }

    void check_count(const toml::value& at, const expectation& e) const {
        const auto rule = find_count(e.what);
        if (!rule) fail(at, fmt::format("key expect.count: no count '{}'", e.what));
        if (!rule->of_threads && (e.core || e.thread))
            fail(at, fmt::format("key expect: {} is of the card, not of a thread", e.what));
        if (!rule->of_phases && (e.from || e.to))
            fail(at, fmt::format("key expect: {} is of the whole run, not of a phase", e.what));
    }

    void check_metric(const toml::value& at, const expectation& e) const {
        const knc::monitor::metric* const m = knc::monitor::find_metric(e.what);
        if (m == nullptr)
            fail(at,
                 fmt::format("key expect.metric: no metric '{}' (knc-vp list metrics)", e.what));
        if (e.thread && (!e.core || !m->of_threads || *e.thread >= knc::base::threads_per_core))
            fail(at, "key expect.thread: of a metric of threads, with core");
    }

    // The parser's tables have no order of their own: sorted, so that messages do not vary.
    static void in_order(std::vector<assignment>& a) {
        std::sort(a.begin(), a.end(),
                  [](const assignment& x, const assignment& y) { return x.key < y.key; });
    }

    std::string file_;
    toml::table root_;
};

}  // namespace

scenario read_scenario(const std::string& text, const std::string& file) {
    return reader{text, file}.whole();
}

void set_all(settings& s, const std::vector<assignment>& assignments) {
    for (const assignment& a : assignments) {
        try {
            set_key(s, a.key, a.text);
        } catch (const key_error& e) {
            throw input_error(fmt::format("{}: {}", a.place, e.what()));
        }
    }
}

void apply_keys(settings& s, const std::string& text, const std::string& file) {
    set_all(s, reader{text, file}.keys_only());
}

}  // namespace platform
