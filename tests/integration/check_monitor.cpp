// check_monitor FILE.csv REPORT.json [--rows N] [--groups NAME...]
// check_monitor --phases REPORT.json [FROM WHO METRIC LOW HIGH]...
//
// The first form checks a monitor's file against the report of the same run, which it watched from
// the begin to the end. The formulas here are written down again, from the ground truth of each
// thread: sums of the intervals are the totals of the run, cores are the sums of their threads, the
// card that of its cores. In every interval: EXEC = IPC * FREQ, L2MPI * INST = L2MISS, C0 + C1 =
// 100. If there is one interval only, each ratio is compared too. --rows: so many intervals.
// --groups: these, in this order. The report's phases add up to the run as well.
//
// The second form checks the phases alone, and that the metric of WHO (card, core0, thread2: of
// core 0) is from LOW to HIGH in the phase that begins at mark FROM.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace {

using json = nlohmann::ordered_json;
int failures = 0;

void expect(bool holds, const std::string& what) {
    if (holds) return;
    std::cerr << "FAIL: " << what << '\n';
    ++failures;
}

std::vector<std::string> split(const std::string& line) {
    std::vector<std::string> fields;
    std::string field;
    for (const char c : line + ",") {
        if (c != ',') {
            field += c;
            continue;
        }
        fields.push_back(field);
        field.clear();
    }
    return fields;
}

// Threads of the report whose counts a group holds, and the cores among them.
struct members {
    std::vector<json> threads;
    std::uint64_t cycles = 0;

    double sum(const std::string& event) const {
        // These belong to a core: all of its threads have the same count.
        static const std::vector<std::string> of_core = {"CPU_CLK_UNHALTED", "SNP_HITM_L2",
                                                         "L2_VICTIM_REQ_WITH_DATA", "HWP_L2MISS"};
        const bool once = std::find(of_core.begin(), of_core.end(), event) != of_core.end();
        double n = 0;
        for (const json& t : threads)
            if (!once || t["thread"] == threads.front()["thread"])
                n += t["events"][event].get<double>();
        return n;
    }
    double cores() const {
        double n = 0;
        for (const json& t : threads) n += t["thread"] == threads.front()["thread"] ? 1 : 0;
        return n;
    }
    double tsc() const { return cores() * static_cast<double>(cycles); }
};

using value = std::function<double(const members&)>;

value events(std::vector<std::string> names) {
    return [names](const members& m) {
        double n = 0;
        for (const std::string& e : names) n += m.sum(e);
        return n;
    };
}
value operator/(const value& a, const value& b) {
    return [a, b](const members& m) { return a(m) / b(m); };
}
value operator-(const value& a, const value& b) {
    return [a, b](const members& m) { return a(m) - b(m); };
}
value operator*(double x, const value& a) {
    return [a, x](const members& m) { return x * a(m); };
}

const value clocks = [](const members& m) { return m.tsc(); };
const value instructions = events({"INSTRUCTIONS_EXECUTED"});
const value unhalted = events({"CPU_CLK_UNHALTED"});
const value l2_hits = events({"L2_READ_HIT_E", "L2_READ_HIT_M", "L2_READ_HIT_S"});
const value l2_reads = events({"L2_READ_HIT_E", "L2_READ_HIT_M", "L2_READ_HIT_S", "L2_READ_MISS"});
const value accesses = events({"DATA_READ_OR_WRITE"});
const value l1_misses = events({"DATA_READ_MISS_OR_WRITE_MISS"});
const value remote = events({"L2_CODE_READ_MISS_CACHE_FILL", "L2_DATA_READ_MISS_CACHE_FILL",
                             "L2_DATA_WRITE_MISS_CACHE_FILL"});
const value memory = events(
    {"L2_CODE_READ_MISS_MEM_FILL", "L2_DATA_READ_MISS_MEM_FILL", "L2_DATA_WRITE_MISS_MEM_FILL"});
const value fetched = [](const members& m) { return remote(m) + memory(m); };
const value v_pipe = events({"INSTRUCTIONS_EXECUTED_V_PIPE"});

const std::map<std::string, value> counts = {
    {"L2MISS", events({"L2_READ_MISS"})},
    {"L1MISS", l1_misses},
    {"L2WR", events({"L2_WRITE_HIT"})},
    {"L2WMISS", events({"L2_DATA_WRITE_MISS_CACHE_FILL", "L2_DATA_WRITE_MISS_MEM_FILL"})},
    {"REMOTE", remote},
    {"MEMFILL", memory},
    {"INST", instructions},
    {"ACYC", unhalted},
    {"TIME(ticks)", clocks},
};

const std::map<std::string, value> ratios = {
    {"EXEC", instructions / clocks},
    {"IPC", instructions / unhalted},
    {"FREQ", unhalted / clocks},
    {"L2HIT", l2_hits / l2_reads},
    {"L2MPI", events({"L2_READ_MISS"}) / instructions},
    {"L1HIT", (accesses - l1_misses) / accesses},
    {"L1MPI", l1_misses / instructions},
    {"REMHIT", remote / fetched},
    {"VPI", events({"VPU_ELEMENTS_ACTIVE"}) / events({"VPU_INSTRUCTIONS_EXECUTED"})},
    {"VFILL", events({"VPU_ELEMENTS_ACTIVE"}) / (16 * events({"VPU_INSTRUCTIONS_EXECUTED"}))},
    {"TLB1", events({"DATA_PAGE_WALK"}) / accesses},
    {"TLB2", events({"LONG_DATA_PAGE_WALK"}) / accesses},
    {"PAIR", v_pipe / (instructions - v_pipe)},
    {"ELI", (unhalted - events({"EXEC_STAGE_CYCLES"}) - accesses) / l1_misses},
    {"C0res%", 100 * (unhalted / clocks)},
    {"C1res%", 100 * ((clocks - unhalted) / clocks)},
    {"EREAD", 64e-9 * events({"DATA_READ_MISS", "HWP_L2MISS"})},
    {"EWRITE", 64e-9 * events({"L2_VICTIM_REQ_WITH_DATA", "SNP_HITM_L2"})},
};

members members_of(const std::string& group, const json& report) {
    members m;
    m.cycles = report["time"]["cycles"];
    unsigned core = 0, thread = 0;
    const int parts = std::sscanf(group.c_str(), "Core%u Thread%u", &core, &thread);
    for (const json& t : report["threads"])
        if (parts <= 0 || (t["core"] == core && (parts == 1 || t["thread"] == thread)))
            m.threads.push_back(t);
    return m;
}

struct table {
    std::vector<std::string> groups, names;
    std::vector<std::vector<std::string>> rows;

    // -1: there is no such column.
    int column(const std::string& group, const std::string& name) const {
        for (std::size_t n = 0; n < groups.size(); ++n)
            if (groups[n] == group && names[n] == name) return static_cast<int>(n);
        return -1;
    }
    double sum(std::size_t column) const {
        double n = 0;
        for (const auto& r : rows) n += std::atof(r[column].c_str());
        return n;
    }
};

table read_table(const char* path) {
    std::ifstream in{path};
    table t;
    std::string line;
    std::getline(in, line);
    t.groups = split(line);
    std::getline(in, line);
    t.names = split(line);
    while (std::getline(in, line)) {
        t.rows.push_back(split(line));
        expect(t.rows.back().size() == t.names.size(), "as many fields as columns: " + line);
    }
    expect(t.groups.size() == t.names.size(), "a group for each column");
    return t;
}

bool near(double a, double b) {
    return std::abs(a - b) <= 2e-5 * std::max(std::abs(a), std::abs(b));
}

void check_column(const table& t, std::size_t n, const json& report) {
    const std::string where = t.groups[n] + " " + t.names[n];
    const members m = members_of(t.groups[n], report);
    if (const auto c = counts.find(t.names[n]); c != counts.end())
        expect(t.sum(n) == c->second(m), where + ": the intervals add up to " +
                                             std::to_string(t.sum(n)) + ", the run has " +
                                             std::to_string(c->second(m)));
    const auto r = ratios.find(t.names[n]);
    if (r == ratios.end() || t.rows.size() != 1) return;
    const double wanted = r->second(m);
    const std::string& field = t.rows[0][n];
    if (std::isnan(wanted) || std::isinf(wanted))
        expect(field.empty(), where + ": " + field + " after a division by zero");
    else
        expect(near(std::atof(field.c_str()), wanted),
               where + ": " + field + ", " + std::to_string(wanted) + " expected");
}

void check_identities(const table& t, const std::vector<std::string>& r, const std::string& group) {
    const auto number = [&](const char* name) {
        const std::string& f = r[static_cast<std::size_t>(t.column(group, name))];
        return f.empty() ? NAN : std::atof(f.c_str());
    };
    const std::string where = group + " at clock " + r[0];
    if (!std::isnan(number("IPC")))
        expect(near(number("EXEC"), number("IPC") * number("FREQ")), where + ": EXEC = IPC * FREQ");
    if (!std::isnan(number("L2MPI")))
        expect(near(number("L2MPI") * number("INST"), number("L2MISS")),
               where + ": L2MPI * INST = L2MISS");
    expect(near(number("C0res%") + number("C1res%"), 100), where + ": C0 + C1 = 100");
}

// The counts of the phases add up to those of the run, and follow each other.
void check_phases(const json& report) {
    const json& phases = report["phases"];
    expect(!phases.empty() && phases[0]["from"] == "begin" && phases[0]["to"] == "end",
           "the first phase is the run");
    expect(phases[0]["cycles"] == json({0, report["time"]["cycles"]}), "of all cycles");
    const members all = members_of("System", report);
    for (const auto& [name, formula] : counts) {
        expect(phases[0]["card"]["metrics"][name].get<double>() == formula(all),
               "phases: " + name + " of the run");
        if (phases.size() == 1) continue;
        double sum = 0;
        for (std::size_t n = 1; n < phases.size(); ++n)
            sum += phases[n]["card"]["metrics"][name].get<double>();
        expect(sum == formula(all), "phases: " + name + " adds up");
    }
    for (std::size_t n = 2; n < phases.size(); ++n)
        expect(phases[n]["from"] == phases[n - 1]["to"] &&
                   phases[n]["cycles"][0] == phases[n - 1]["cycles"][1],
               "phases follow each other");
}

const json& row_of(const json& phase, const std::string& who) {
    if (who == "card") return phase["card"];
    const bool core = who.compare(0, 4, "core") == 0;
    const auto number = std::stoul(who.substr(core ? 4 : 6));
    for (const json& r : phase[core ? "cores" : "threads"])
        if (core ? r["core"] == number : (r["core"] == 0 && r["thread"] == number)) return r;
    throw std::runtime_error("nothing of " + who);
}

void check_metric(const json& report, const std::string* argument) {
    for (const json& p : report["phases"]) {
        if (p["from"] != "mark " + argument[0]) continue;
        const double is = row_of(p, argument[1])["metrics"][argument[2]];
        expect(is >= std::stod(argument[3]) && is <= std::stod(argument[4]),
               "from mark " + argument[0] + " " + argument[1] + " " + argument[2] + ": " +
                   std::to_string(is) + ", " + argument[3] + " to " + argument[4] + " expected");
        return;
    }
    expect(false, "no phase from mark " + argument[0]);
}

int check_phase_metrics(const std::vector<std::string>& args) {
    std::ifstream in{args[1]};
    const json report = json::parse(in);
    check_phases(report);
    for (std::size_t n = 2; n + 4 < args.size(); n += 5) check_metric(report, &args[n]);
    return failures == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    const std::vector<std::string> args(argv + 1, argv + argc);
    if (args.size() < 2) return 2;
    if (args[0] == "--phases") return check_phase_metrics(args);
    const table t = read_table(argv[1]);
    std::ifstream in{argv[2]};
    const json report = json::parse(in);
    std::vector<std::string> groups;
    for (const std::string& g : t.groups)
        if (groups.empty() || groups.back() != g) groups.push_back(g);
    for (std::size_t n = 2; n + 1 < args.size(); ++n) {
        const auto next = args.begin() + static_cast<long>(n) + 1;
        if (args[n] == "--rows")
            expect(t.rows.size() == std::stoul(*next),
                   std::to_string(t.rows.size()) + " intervals, " + *next + " expected");
        if (args[n] == "--groups")
            expect(groups == std::vector<std::string>(next, args.end()),
                   "the groups in their order");
    }
    expect(!t.rows.empty() && t.column("Time", "cycle") == 0 && t.column("Time", "time_ns") == 1,
           "times first");
    for (std::size_t n = 2; n < t.names.size(); ++n)
        if (t.groups[n].compare(0, 3, "MEM") != 0) check_column(t, n, report);
    for (const auto& r : t.rows)
        for (const std::string& g : groups)
            if (g == "System" || g.compare(0, 4, "Core") == 0) check_identities(t, r, g);
    expect(t.rows.back()[0] == std::to_string(report["time"]["cycles"].get<std::uint64_t>()),
           "the last interval ends with the run");
    check_phases(report);
    return failures == 0 ? 0 : 1;
}
