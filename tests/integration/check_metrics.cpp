// check_metrics REPORT CONSOLE [--exact] [--error PERCENT] [--bounds PERCENT] [--phase PERCENT]
//     [--marks]
//
// Compares what the image `metrics` printed with the report of its run. All that the run does at
// ring 3 lies inside its sessions, so the truth is the report's events at CPL 1-3. It is made into
// metrics by the texts of models/knc/monitor/metrics.def. Every event and metric of every row must
// be there.
//   --exact         value and bounds are the truth
//   --error         the value is at most so far from the truth
//   --bounds        the truth is between the bounds, or at most so far outside
//   --phase         the card's value is at most so far from the report's metric between marks 1
//                   and 2, which includes ring 0
//   --marks         "!" is where the report has it in that phase
// A distance in percent is one of the truth; a ratio may also be off by 0.02. Distances are only
// asked of what turns see often enough: events with 10000 or more for each thread, and metrics
// whose denominator (or else numerator) is made of such.
// --both, alone: the run counted the instructions of both rings, in a session of two events. Those
// of ring 0 are the way from the session's start to ring 3 and back to its stop: the same number
// for each thread. The phase from mark to mark has up to 3000 more, for the starts, stops and
// waits. Prints this number. Prints firmware and truth side by side, and how many of the latter are
// between the bounds.
#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace {

using json = nlohmann::ordered_json;
using counts = std::map<std::string, std::uint64_t>;
int failures = 0;

void fail(const std::string& what) {
    std::cout << "FAIL: " << what << '\n';
    ++failures;
}

std::string capitals(std::string s) {
    for (char& c : s) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    return s;
}

const std::map<std::string, bool> of_core = {
#define KNC_EVENT(name, select, umask, unit, scope, ...) \
    {capitals(#name), std::string{#scope} == "core"},
#include <knc/base/events.def>
#undef KNC_EVENT
};

struct definition {
    std::string name, numerator, denominator;
    int divisor;
    std::string style, limit;
};
const std::vector<definition> definitions = {
#define KNC_METRIC(name, numerator, denominator, divisor, style, place, limit, meaning) \
    {name, numerator, denominator, divisor, #style, #limit},
#include <knc/monitor/metrics.def>
#undef KNC_METRIC
};

bool is_name(const std::string& word) {
    return std::isalpha(static_cast<unsigned char>(word[0])) != 0;
}

std::vector<std::string> words_of(const std::string& text) {
    std::istringstream in{text};
    return {std::istream_iterator<std::string>{in}, {}};
}

std::set<std::string> names_of(const std::string& formula) {
    std::set<std::string> names;
    for (const std::string& word : words_of(formula))
        if (is_name(word)) names.insert(word);
    return names;
}

std::int64_t evaluate(const std::string& text, const counts& c) {
    std::int64_t sum = 0;
    int sign = 1;
    for (const std::string& word : words_of(text)) {
        if (word == "+" || word == "-")
            sign = word == "+" ? 1 : -1;
        else
            sum += sign * static_cast<std::int64_t>(is_name(word) ? c.at(word) : std::stoull(word));
    }
    return sum;
}

// What the firmware has to print for exact counts: digits are cut off behind the sixth. The counts
// of these runs are far below 10^12, so their millionths fit.
std::string exact_text(const definition& d, const counts& c) {
    const std::int64_t above = evaluate(d.numerator, c);
    const std::int64_t below = evaluate(d.denominator, c) * d.divisor;
    if (below == 0) return "-";
    if (d.style == "count") return std::to_string(above / below);
    const std::int64_t value =
        d.style == "gigabytes" ? above * 64 / (1000 * below) : above * 1'000'000 / below;
    const std::string digits = std::to_string(1'000'000 + std::abs(value) % 1'000'000).substr(1);
    return (value < 0 ? "-" : "") + std::to_string(std::abs(value) / 1'000'000) + "." + digits;
}

double number(const std::string& text) {
    return std::strtod(text.c_str(), nullptr);
}

struct printed {
    std::string value, least, most;
    bool marked;
};
using row = std::map<std::string, printed>;

// "card", "core 1", "thread 1.2"
std::map<std::string, row> read_console(const char* path) {
    std::map<std::string, row> rows;
    std::ifstream in{path};
    for (std::string line; std::getline(in, line);) {
        std::vector<std::string> w = words_of(line);
        if (w.empty() || (w[0] != "card" && w[0] != "core" && w[0] != "thread")) continue;
        if (w[0] != "card") {
            w[0] += " " + w.at(1);
            w.erase(w.begin() + 1);
        }
        const bool marked = w.size() == 6 && w[5] == "!";
        if (w.size() != 5 && !marked) fail("line " + line);
        if (!rows[w[0]].insert({w.at(1), {w.at(2), w.at(3), w.at(4), marked}}).second)
            fail("twice: " + line);
    }
    return rows;
}

void add(counts& sum, const counts& part, bool threads) {
    for (const auto& [name, n] : part)
        if (!threads || !of_core.at(name) || sum.count(name) == 0) sum[name] += n;
}

// The truth of each row, from the report's events at CPL 1-3, of threads that had any.
struct truth {
    std::map<std::string, counts> rows;
    std::map<std::string, unsigned> threads;  // in the row
};
truth read_truth(const json& report) {
    truth t;
    for (const json& thread : report.at("threads")) {
        const auto c = thread.at("events_user").get<counts>();
        if (c.at("INSTRUCTIONS_EXECUTED") == 0) continue;
        const std::string core = std::to_string(thread.at("core").get<int>());
        const std::string name =
            "thread " + core + "." + std::to_string(thread.at("thread").get<int>());
        t.rows[name] = c;
        add(t.rows["core " + core], c, true);
        t.threads[name] = 1;
        ++t.threads["core " + core];
        ++t.threads["card"];
    }
    for (const auto& [name, c] : std::map<std::string, counts>{t.rows})
        if (name.rfind("core ", 0) == 0) add(t.rows["card"], c, false);
    return t;
}

const json& phase_of(const json& report) {
    for (const json& p : report.at("phases"))
        if (p.at("from") == "mark 1" && p.at("to") == "mark 2") return p;
    throw std::runtime_error("no phase from mark 1 to mark 2");
}
const json& row_of_phase(const json& phase, const std::string& name) {
    if (name == "card") return phase.at("card");
    for (const json& r : phase.at(name[0] == 'c' ? "cores" : "threads")) {
        std::string label = "core " + r.at("core").dump();
        if (name[0] == 't') label = "thread " + r.at("core").dump() + "." + r.at("thread").dump();
        if (label == name) return r;
    }
    throw std::runtime_error("no " + name + " in the phase");
}

struct options {
    bool exact = false, marks = false;
    std::optional<double> error, bounds, phase;
};

class comparison {
  public:
    explicit comparison(const options& o) : options_{o} {}

    // One value beside the truth. `large`: its distances matter. `phase` may be empty.
    void add(const std::string& what, const printed& p, const std::string& want, bool large,
             const std::string& phase) {
        std::printf("%-46s %16s %16s %16s %16s %16s\n", what.c_str(), p.value.c_str(),
                    p.least.c_str(), p.most.c_str(), want.c_str(), phase.c_str());
        if (options_.exact && (p.value != want || p.least != want || p.most != want))
            fail(what + ": " + p.value + ", the truth is " + want);
        if (!large) return;
        if ((want == "-") != (p.value == "-")) fail(what + ": division by zero");
        if (want == "-" || p.value == "-") return;
        const bool ratio = want.find('.') != std::string::npos;
        const double value = number(p.value), truth = number(want);
        check_distance(what, value, truth, ratio, options_.error, "the truth");
        check_bounds(what, p, truth, ratio);
        if (!phase.empty())
            check_distance(what, value, number(phase), ratio, options_.phase, "the phase");
        if (std::abs(value - truth) > allowance(truth, ratio, 0))
            largest_ = std::max(largest_, 100 * std::abs(value - truth) / std::abs(truth));
    }
    void write_summary() const {
        std::printf("%zu of %zu between the bounds, largest error %.2f %%\n", inside_, compared_,
                    largest_);
    }

  private:
    static double allowance(double truth, bool ratio, double percent) {
        return std::max(percent / 100 * std::abs(truth), ratio ? 0.02 : 0);
    }
    static void check_distance(const std::string& what, double value, double truth, bool ratio,
                               const std::optional<double>& percent, const char* of) {
        if (percent && std::abs(value - truth) > allowance(truth, ratio, *percent))
            fail(what + ": " + std::to_string(value) + " is too far from " + of + ", " +
                 std::to_string(truth));
    }
    void check_bounds(const std::string& what, const printed& p, double truth, bool ratio) {
        const double below = p.least == "-" ? 0 : number(p.least) - truth;
        const double above = p.most == "-" ? 0 : truth - number(p.most);
        const double outside = std::max(below, above);
        ++compared_;
        inside_ += outside <= (ratio ? 1e-6 : 0);
        if (options_.bounds && outside > allowance(truth, ratio, *options_.bounds))
            fail(what + ": " + std::to_string(truth) + " is not between " + p.least + " and " +
                 p.most);
    }

    const options options_;
    std::size_t inside_ = 0, compared_ = 0;
    double largest_ = 0;
};

class checker {
  public:
    checker(const json& report, const options& o)
        : truth_{read_truth(report)}, phase_{phase_of(report)}, marks_{o.marks}, comparison_{o} {}

    void check_row(const std::string& name, const row& r) {
        if (truth_.rows.count(name) == 0) return fail(name + " has executed nothing");
        const counts& c = truth_.rows.at(name);
        const json& phase = row_of_phase(phase_, name);
        std::size_t known = 0;
        for (const auto& [event, n] : c) {
            if (r.count(event) == 0) continue;
            ++known;
            comparison_.add(name + " " + event, r.at(event), std::to_string(n),
                            is_large(name, event), "");
        }
        for (const definition& d : definitions) {
            if (!can_exist(d, name, r)) continue;
            if (r.count(d.name) == 0) {
                fail(name + " has no " + d.name);
                continue;
            }
            ++known;
            const json& value = phase.at("metrics").at(d.name);
            const bool beside = name == "card" && !value.is_null();
            comparison_.add(name + " " + d.name, r.at(d.name), exact_text(d, c), is_large(name, d),
                            beside ? value.dump() : "");
            if (marks_) check_mark(name, d, r.at(d.name), phase);
        }
        if (known != r.size()) fail(name + " has something that it should not have");
    }
    void check_all_there(const std::map<std::string, row>& rows) const {
        for (const auto& [name, c] : truth_.rows)
            if (rows.count(name) == 0) fail("no row " + name);
        comparison_.write_summary();
    }

  private:
    bool is_large(const std::string& name, const std::string& event) const {
        return truth_.rows.at(name).at(event) >= 10'000ull * truth_.threads.at(name);
    }
    bool is_large(const std::string& name, const definition& d) const {
        std::set<std::string> names = names_of(d.denominator);
        if (names.empty()) names = names_of(d.numerator);
        return std::all_of(names.begin(), names.end(),
                           [&](const std::string& e) { return is_large(name, e); });
    }
    // Made of nothing but events of the row; a thread's has none of the core but its clock.
    static bool can_exist(const definition& d, const std::string& name, const row& r) {
        if (d.style == "rate") return false;
        const bool thread = name[0] == 't';
        if (thread && d.limit.rfind("CORES_ONLY", 0) == 0) return false;
        for (const std::string& e : names_of(d.numerator + " + " + d.denominator))
            if (of_core.count(e) == 0 || r.count(e) == 0 ||
                (thread && of_core.at(e) && e != "CPU_CLK_UNHALTED"))
                return false;
        return true;
    }
    static void check_mark(const std::string& name, const definition& d, const printed& p,
                           const json& phase) {
        bool marked = false;
        for (const json& m : phase.at("beyond_limit")) marked = marked || m == d.name;
        if (marked != p.marked) fail(name + " " + d.name + ": the mark differs from the report's");
    }

    const truth truth_;
    const json& phase_;
    const bool marks_;
    comparison comparison_;
};

void check_both(const json& report, const std::map<std::string, row>& rows) {
    const truth user = read_truth(report);
    const json& phase = phase_of(report);
    std::set<std::uint64_t> ring0;
    for (const auto& [name, c] : user.rows) {
        const std::uint64_t n = std::stoull(rows.at(name).at("INST").value);
        const std::uint64_t threads = user.threads.at(name);
        const std::uint64_t marked = row_of_phase(phase, name).at("metrics").at("INST");
        const std::uint64_t supervisor = n - c.at("INSTRUCTIONS_EXECUTED");
        if (supervisor % threads != 0) fail(name + ": the threads differ");
        ring0.insert(supervisor / threads);
        if (marked < n || marked > n + 3000 * threads)
            fail(name + ": " + std::to_string(n) + " instructions, the phase has " +
                 std::to_string(marked));
    }
    if (ring0.size() != 1) fail("the threads differ in their instructions at ring 0");
    for (const std::uint64_t n : ring0) std::printf("%llu\n", static_cast<unsigned long long>(n));
}

}  // namespace

int main(int argc, char** argv) try {
    const std::vector<std::string> args(argv + 1, argv + argc);
    options o;
    bool both = false;
    for (std::size_t i = 2; i < args.size(); ++i) {
        if (args[i] == "--exact")
            o.exact = true;
        else if (args[i] == "--marks")
            o.marks = true;
        else if (args[i] == "--both")
            both = true;
        else if (args[i] == "--error")
            o.error = number(args.at(++i));
        else if (args[i] == "--bounds")
            o.bounds = number(args.at(++i));
        else if (args[i] == "--phase")
            o.phase = number(args.at(++i));
        else
            fail("argument " + args[i]);
    }
    std::ifstream in{args.at(0)};
    const json report = json::parse(in);
    const std::map<std::string, row> rows = read_console(args.at(1).c_str());
    if (both) {
        check_both(report, rows);
        return failures == 0 ? 0 : 1;
    }
    checker check{report, o};
    std::printf("%-46s %16s %16s %16s %16s %16s\n", "", "firmware", "least", "most", "truth",
                "phase");
    for (const auto& [name, r] : rows) check.check_row(name, r);
    check.check_all_there(rows);
    return failures == 0 ? 0 : 1;
} catch (const std::exception& e) {
    std::cout << "FAIL: " << e.what() << '\n';
    return 1;
}
