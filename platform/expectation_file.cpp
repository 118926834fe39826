#include <platform/expectation_file.h>

#include <algorithm>
#include <array>
#include <map>

#include <fmt/format.h>

#include <knc/monitor/metric.h>
#include <knc/pmu/event_table.h>

namespace platform {

namespace {

using subject = expectation::subject;

class reader {
  public:
    // `table`: the name of the tables.
    reader(const toml_file& file, std::string table, bool bounded)
        : file_(file), table_(std::move(table)), takes_bounds_(bounded) {}

    expectation read(const toml::value& table) const {
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
                e.what = file_.text(key(name), v);
                e.event = knc::pmu::find_event(e.what);
                ++subjects_seen;
            } else if (name == "name") {
                e.name = file_.text(key("name"), v);
            } else if (name == "core" || name == "thread") {
                (name == "core" ? e.core : e.thread) =
                    static_cast<unsigned>(file_.number(key(name), v));
            } else if (name == "from" || name == "to") {
                (name == "from" ? e.from : e.to) = mark_number(key(name), v);
            } else if (name == "level") {
                e.level = level(v);
            } else if (takes_bounds_ && (name == "min" || name == "max" || name == "equals")) {
                bounds.emplace(name, &v);
            } else {
                file_.fail(v, "unknown key " + key(name));
            }
        }
        for (const auto& [name, v] : bounds) bound(e, name, *v);
        check(table, e, subjects_seen, !bounds.empty());
        return e;
    }

  private:
    std::string key(const std::string& name) const {
        return name.empty() ? table_ : table_ + "." + name;
    }
    [[noreturn]] void fail(const toml::value& at, const std::string& name,
                           const std::string& what) const {
        file_.fail(at, fmt::format("key {}: {}", key(name), what));
    }

    void bound(expectation& e, const std::string& name, const toml::value& v) const {
        if (e.of == subject::metric) {
            if (name == "equals") fail(v, "equals", "a metric has min and max");
            (name == "min" ? e.least : e.most) = file_.real(key(name), v);
            return;
        }
        const std::uint64_t n = file_.number(key(name), v);
        if (name != "max") e.low = n;
        if (name != "min") e.high = n;
    }

    std::uint32_t mark_number(const std::string& key, const toml::value& v) const {
        const std::uint64_t n = file_.number(key, v);
        if (n > 0xffff'ffff) file_.fail(v, fmt::format("key {}: no mark has this number", key));
        return static_cast<std::uint32_t>(n);
    }

    expectation::levels level(const toml::value& v) const {
        const std::string which = file_.text(key("level"), v);
        if (which == "kernel") return expectation::levels::kernel;
        if (which == "user") return expectation::levels::user;
        fail(v, "level", "kernel or user is wanted");
    }

    void check(const toml::value& at, const expectation& e, int subjects_seen, bool bounded) const {
        if (e.name.empty()) fail(at, "name", "every one has a name");
        if (subjects_seen != 1) fail(at, "", "wants one of event, count, metric, console, exit");
        const bool numeric =
            e.of == subject::event || e.of == subject::count || e.of == subject::metric;
        if (!takes_bounds_) check_column(at, e);
        if (e.of == subject::event && e.event == knc::base::event_count)
            fail(at, "event", fmt::format("no event '{}' (knc-vp list events)", e.what));
        if (e.of == subject::count) check_count(at, e);
        if (e.of == subject::metric) check_metric(at, e);
        if (takes_bounds_ && numeric && !bounded) fail(at, "", "wants min, max or equals");
        if (e.of == subject::console && bounded)
            fail(at, "", "console text has no min, max or equals");
        if (!numeric && (e.core || e.thread || e.from || e.to))
            fail(at, "", "core and thread, from and to go with event, count and metric");
        if (e.level != expectation::levels::all && e.of != subject::event)
            fail(at, "", "level goes with event");
        if (e.low > e.high || e.least > e.most) fail(at, "min", "greater than expect.max");
    }

    // A report has the events and most counts of the whole run only.
    void check_column(const toml::value& at, const expectation& e) const {
        if (e.of == subject::exit || e.what.empty())
            fail(at, "", "wants one of event, count, metric, console");
        if (e.of == subject::console) return;
        if ((e.from || e.to) && e.of != subject::metric && e.what != "cycles")
            fail(at, "", "from and to go with metric and with the count cycles");
    }

    void check_count(const toml::value& at, const expectation& e) const {
        const auto rule = find_count(e.what);
        if (!rule) fail(at, "count", fmt::format("no count '{}'", e.what));
        if (!rule->of_threads && (e.core || e.thread))
            fail(at, "", fmt::format("{} is of the card, not of a thread", e.what));
        if (!rule->of_phases && (e.from || e.to))
            fail(at, "", fmt::format("{} is of the whole run, not of a phase", e.what));
    }

    void check_metric(const toml::value& at, const expectation& e) const {
        const knc::monitor::metric* const m = knc::monitor::find_metric(e.what);
        if (m == nullptr)
            fail(at, "metric", fmt::format("no metric '{}' (knc-vp list metrics)", e.what));
        if (e.thread && (!e.core || !m->of_threads || *e.thread >= knc::base::threads_per_core))
            fail(at, "thread", "of a metric of threads, with core");
    }

    const toml_file& file_;
    std::string table_;
    bool takes_bounds_;  // with min, max, equals
};

}  // namespace

expectation read_expectation(const toml_file& file, const toml::value& table) {
    return reader{file, "expect", true}.read(table);
}

expectation read_column(const toml_file& file, const toml::value& table) {
    return reader{file, "column", false}.read(table);
}

}  // namespace platform
