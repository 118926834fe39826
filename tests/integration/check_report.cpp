// check_report FILE [--same OTHER] [--sampled] [--largest-difference POINTS] [--skid CLOCKS ENTRY]
//     [--function PROGRAM LEVEL NAME INSTRUCTIONS]... [--samplers NUMBER SAMPLES]
//
// Checks report.json against schema 1 and itself: every field is there with its type, threads add
// up to the totals, counters agree with the ground truth where they can be compared. --same: OTHER
// says the same but for the host's time. --sampled: there is a profile, with an exact side that its
// shares agree with to POINTS percentage points. --skid: threads took performance interrupts, each
// began its handler, all were at the local APIC in the clock CLOCKS after the overflow and took
// ENTRY clocks or more to enter. --function: the profile by function has these instructions of one
// function; the sums of such a profile are checked in any case. --samplers: NUMBER threads sampled,
// and for each of them and each counter, the periods of its samples in the file SAMPLES
// (samples.txt) and what was left in the counter are together what the model has counted.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <regex>
#include <set>
#include <stdexcept>
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

json read(const char* path) {
    std::ifstream in{path};
    return json::parse(in);
}

const std::vector<std::string> events = {
#define KNC_EVENT(name, ...) #name,
#include <knc/base/events.def>
#undef KNC_EVENT
};

void check_events(const json& all, const json& user, const std::string& where) {
    expect(all.size() == events.size(), where + ": one number per event");
    for (std::string name : events) {
        std::transform(name.begin(), name.end(), name.begin(),
                       [](unsigned char c) { return std::toupper(c); });
        expect(all.contains(name) && all[name].is_number_unsigned(), where + ": event " + name);
        expect(user.value(name, 0ull) <= all.value(name, 0ull),
               where + ": " + name + " at CPL 1-3 exceeds all of it");
    }
}

void check_spread(const json& s, std::uint64_t count, const std::string& where) {
    const std::uint64_t min = s.at("min"), max = s.at("max"), sum = s.at("sum");
    expect(min <= max && min * count <= sum && sum <= max * count, where + ": extremes and sum");
    const double mean = count == 0 ? 0 : static_cast<double>(sum) / static_cast<double>(count);
    expect(std::abs(s.at("mean").get<double>() - mean) <= 1e-9 * mean, where + ": mean");
}

// The parts add up to the whole, and the histogram counts every interrupt once.
void check_skid(const json& s, std::uint64_t pmis, const std::string& where) {
    const std::uint64_t count = s.at("count");
    expect(count <= pmis, where + ": more interrupts than the local APIC delivered");
    check_spread(s, count, where);
    check_spread(s.at("instructions"), count, where + ".instructions");
    std::uint64_t least = 0, most = 0, sum = 0;
    for (const char* name : {"delivery", "boundary", "entry"}) {
        const json& part = s.at("parts").at(name);
        check_spread(part, count, where + "." + name);
        least += part.at("min").get<std::uint64_t>();
        most += part.at("max").get<std::uint64_t>();
        sum += part.at("sum").get<std::uint64_t>();
    }
    expect(s.at("parts").size() == 3, where + ": three parts");
    expect(sum == s.at("sum"), where + ": the parts do not add up");
    expect(least <= s.at("min") && s.at("max") <= most, where + ": the parts' extremes");
    std::uint64_t in_bins = 0;
    for (const json& bin : s.at("histogram")) {
        in_bins += bin.at("count").get<std::uint64_t>();
        expect(bin.at("count") > 0 && bin.at("from") <= s.at("max") && bin.at("to") >= s.at("min"),
               where + ": a bin without interrupts");
    }
    expect(in_bins == count, where + ": the histogram does not add up");
}

// The registers of a thread's PMU. Which PMU it is follows from a register that no other has.
struct pmu_fields {
    const char* own;
    std::size_t counters, selects;
    unsigned width;
    std::vector<const char*> others;
};
const pmu_fields& fields_of(const json& pmu) {
    static const std::array<pmu_fields, 3> all{
        {{"spflt", 2, 2, 40, {"global_ctrl", "status", "spflt"}},
         {"fixed_ctrl", 7, 4, 48, {"global_ctrl", "status", "fixed_ctrl", "debugctl"}},
         {"cesr", 2, 0, 40, {"cesr"}}}};
    for (const pmu_fields& f : all)
        if (pmu.contains(f.own)) return f;
    throw std::runtime_error("a PMU of an unknown kind");
}

void check_pmu(const json& pmu, const std::string& where) {
    const pmu_fields& f = fields_of(pmu);
    const auto list = [&](const char* name, std::size_t size) {
        expect(pmu.at(name).size() == size && pmu.at(name)[0].is_number_unsigned(),
               where + ": pmu." + name);
    };
    list("counter", f.counters);
    list("overflows", f.counters);
    if (f.selects != 0) list("evtsel", f.selects);
    for (const char* const field : f.others)
        expect(pmu.at(field).is_number_unsigned(), where + ": pmu." + field);
    if (pmu.contains("pebs"))
        for (const char* const field : {"records", "no_room", "faults"})
            expect(pmu.at("pebs").at(field).is_number_unsigned(), where + ": pmu.pebs." + field);
    for (const json& c : pmu.at("counter"))
        expect(c < (1ull << f.width), where + ": the width of the counters");
}

// `in_time`: no instruction was executed in a fast-forward.
void check_thread(const json& t, const std::string& where, bool in_time) {
    const auto instructions = t.at("instructions").get<std::uint64_t>();
    check_events(t.at("events"), t.at("events_user"), where);
    const auto counted = t.at("events").at("INSTRUCTIONS_EXECUTED").get<std::uint64_t>();
    expect(in_time ? counted == instructions : counted <= instructions,
           where + ": instructions and their event differ");
    const json& pmu = t.at("pmu");
    check_pmu(pmu, where);
    for (const char* field : {"pmi", "pmi_lost", "eoi"})
        expect(t.at("apic").at(field).is_number_unsigned(), where + ": apic." + field);
    check_skid(pmu.at("skid"), t.at("apic").at("pmi"), where + ": pmu.skid");
}

void check(const json& r) {
    expect(r.at("schema") == 1, "schema 1");
    expect(r.at("preset").is_string(), "preset");
    const std::string reason = r.at("exit").at("reason");
    expect(std::set<std::string>{"firmware", "limit", "deadlock", "unsupported", "session", "user"}
                   .count(reason) == 1,
           "reason " + reason);
    expect(r.at("exit").at("code").is_number_integer(), "exit code");
    const json& time = r.at("time");
    for (const char* field : {"simulated_seconds", "host_seconds", "mips"})
        expect(time.at(field).is_number(), field);
    for (const char* field : {"cycles", "instructions"})
        expect(time.at(field).is_number_unsigned(), field);
    const double mips =
        time.at("instructions").get<double>() / time.at("host_seconds").get<double>() / 1e6;
    expect(std::abs(time.at("mips").get<double>() - mips) <= 1e-6 * mips,
           "mips is not instructions over host seconds");

    std::uint64_t instructions = 0, counted = 0, fast_forwarded = 0, end = 0;
    for (const json& f : r.value("fast_forward", json::array())) {
        expect(f.at("from") >= end && f.at("to") >= f.at("from") && f.at("to") <= time.at("cycles"),
               "fast-forwards in order");
        expect(f.at("end").is_string() && f.at("end") != "", "why a fast-forward has ended");
        end = f.at("to");
        fast_forwarded += f.at("instructions").get<std::uint64_t>();
    }
    std::set<std::pair<int, int>> seen;
    for (const json& t : r.at("threads")) {
        const int core = t.at("core"), thread = t.at("thread");
        expect(seen.insert({core, thread}).second, "a thread is there twice");
        check_thread(t, "thread " + std::to_string(core) + "." + std::to_string(thread),
                     fast_forwarded == 0);
        counted += t.at("events").at("INSTRUCTIONS_EXECUTED").get<std::uint64_t>();
        instructions += t.at("instructions").get<std::uint64_t>();
    }
    // A Pentium's core has one.
    const bool alone = r.at("threads")[0].at("pmu").contains("cesr");
    expect(alone ? seen.size() == 1 : !seen.empty() && seen.size() % 4 == 0, "threads of a core");
    expect(instructions == time.at("instructions"),
           "the threads' instructions do not add up to the total");
    expect(counted + fast_forwarded == instructions,
           "instructions in time and without do not add up to the total");
    for (const json& e : r.at("expectations"))
        expect(e.at("name").is_string() && e.at("pass").is_boolean() && e.contains("actual"),
               "expectation");
}

void check_interrupts(const json& r, std::uint64_t delivery, std::uint64_t entry) {
    bool seen = false;
    for (const json& t : r.at("threads")) {
        const json& s = t.at("pmu").at("skid");
        if (s.at("count") == 0) continue;
        seen = true;
        expect(s.at("count") == t.at("apic").at("pmi"), "an interrupt without a handler");
        const json& parts = s.at("parts");
        expect(parts.at("delivery").at("min") == delivery &&
                   parts.at("delivery").at("max") == delivery,
               "clocks to the local APIC: " + parts.at("delivery").dump());
        expect(parts.at("entry").at("min") >= entry, "entry: " + parts.at("entry").dump());
    }
    expect(seen, "no performance interrupt");
}

void check_same(json a, json b) {
    for (json* r : {&a, &b})
        for (const char* field : {"host_seconds", "mips"}) r->at("time").erase(field);
    const json difference = json::diff(a, b);
    expect(difference.empty(), "reports differ: " + difference.dump());
}

void check_profiles(const json& r, double points) {
    bool compared = false;
    for (const json& p : r.at("profiles")) {
        std::uint64_t samples = 0, exact = 0;
        for (const json& f : p.at("functions")) {
            samples += f.at("samples").get<std::uint64_t>();
            exact += f.at("exact").get<std::uint64_t>();
        }
        expect(samples == p.at("samples") && samples > 0, "samples of the functions do not add up");
        std::uint64_t in_lines = 0;
        for (const json& l : p.at("lines")) in_lines += l.at("samples").get<std::uint64_t>();
        expect(samples == in_lines, "samples of the lines do not add up");
        if (p.at("exact_unit") == "") continue;
        compared = true;
        expect(exact == p.at("exact"), "exact counts of the functions do not add up");
        for (const json& f : p.at("functions")) {
            const double share = 100 * f.at("samples").get<double>() / static_cast<double>(samples);
            const double truth = 100 * f.at("exact").get<double>() / static_cast<double>(exact);
            expect(std::abs(share - truth) <= points,
                   f.at("name").get<std::string>() + ": sampled " + std::to_string(share) +
                       " %, exact " + std::to_string(truth) + " %");
            // Samples of one weight: the binomial distribution of as many draws.
            if (p.at("weight") != p.at("samples")) continue;
            const double bound =
                3 * std::sqrt(truth * (100 - truth) / static_cast<double>(samples));
            expect(std::abs(f.at("bound").get<double>() - bound) < 1e-6 &&
                       f.at("outside") == (std::abs(share - truth) > bound),
                   "bound of " + f.dump() + ", " + std::to_string(bound) + " expected");
        }
    }
    expect(compared, "no profile that can be compared");
}

// The profile by function: what its rows add up to, and the totals of the run.
void check_functions(const json& r) {
    const json& p = r.at("profile");
    struct counts {
        std::uint64_t instructions = 0, clocks = 0;
        void add(const json& o) {
            instructions += o.at("instructions").get<std::uint64_t>();
            clocks += o.at("clocks").get<std::uint64_t>();
        }
        bool is(const json& o) const {
            return o.at("instructions") == instructions && o.at("clocks") == clocks;
        }
    };
    counts all;
    for (const char* level : {"kernel", "user"}) {
        counts programs, functions;
        for (const json& o : p.at("programs"))
            if (o.at("level") == level) programs.add(o);
        for (const json& o : p.at("functions"))
            if (o.at("level") == level) functions.add(o);
        expect(programs.is(p.at(level)), std::string{level} + ": the programs do not add up");
        expect(functions.is(p.at(level)), std::string{level} + ": the functions do not add up");
        all.add(p.at(level));
    }
    for (const char* rest : {"idle", "off"})
        all.clocks += p.at(rest).at("clocks").get<std::uint64_t>();
    expect(all.is(p), "the profile does not add up");
    expect(p.at("instructions") == r.at("time").at("instructions"),
           "instructions of the profile and of the run differ");
    expect(
        p.at("clocks") == r.at("time").at("cycles").get<std::uint64_t>() * r.at("threads").size(),
        "clocks of the profile and of all threads differ");
    std::uint64_t user = 0;
    for (const json& t : r.at("threads"))
        user += t.at("events_user").at("INSTRUCTIONS_EXECUTED").get<std::uint64_t>();
    expect(p.at("user").at("instructions") == user,
           "instructions of the profile and of the events at CPL 1-3 differ");
}

void check_function(const json& r, const std::string& program, const std::string& level,
                    const std::string& name, std::uint64_t instructions) {
    std::uint64_t n = 0;
    for (const json& f : r.at("profile").at("functions"))
        if (f.at("program") == program && f.at("level") == level && f.at("name") == name)
            n += f.at("instructions").get<std::uint64_t>();
    expect(n == instructions, program + " " + level + " " + name + ": " + std::to_string(n) +
                                  " instructions, " + std::to_string(instructions) + " expected");
}

// "COMM PID/TID [CPU] TIME: PERIOD EVENT:" of samples.txt: the sum of the periods by CPU and event.
std::map<std::pair<std::uint64_t, std::string>, std::uint64_t> periods_of(const char* path) {
    std::map<std::pair<std::uint64_t, std::string>, std::uint64_t> sums;
    std::ifstream in{path};
    std::string line;
    const std::regex header{R"(^\S+ \d+/\d+ \[(\d+)\] \d+\.\d{9}: +(\d+) (\S+): $)"};
    std::smatch m;
    while (std::getline(in, line))
        if (std::regex_match(line, m, header)) sums[{std::stoull(m[1]), m[3]}] += std::stoull(m[2]);
    return sums;
}

void check_samplers(const json& r, std::uint64_t number, const char* samples) {
    const auto sums = periods_of(samples);
    expect(r.at("samplers").size() == number,
           std::to_string(r.at("samplers").size()) + " threads sampled");
    for (const json& s : r.at("samplers")) {
        const std::uint64_t id = s.at("thread");
        const std::string where = "sampler of thread " + std::to_string(id);
        expect(s.at("stopped") == true && s.at("taken") == 0 && s.at("stored") == s.at("written"),
               where + ": not complete: " + s.dump());
        const json& thread = r.at("threads").at(id);
        expect(
            thread.at("core").get<std::uint64_t>() * 4 + thread.at("thread").get<std::uint64_t>() ==
                id,
            where + ": the threads are not in the order of their APIC IDs");
        std::size_t n = 0;
        for (const json& c : s.at("counters")) {
            const json& history = thread.at("pmu").at("counted").at(n++);
            if (c.is_null()) continue;
            const bool os = c.at("os"), usr = c.at("usr");
            std::string name = c.at("event");
            std::uint64_t truth = 0;
            for (const json& h : history)
                if (h.at("event") == name && h.at("os") == os && h.at("usr") == usr)
                    truth += h.at("count").get<std::uint64_t>();
            if (os != usr) name += usr ? ":u" : ":k";
            const auto found = sums.find({id, name});
            const std::uint64_t sampled = found == sums.end() ? 0 : found->second;
            const std::uint64_t remainder = c.at("remainder");
            expect(sampled + remainder == truth && truth > 0,
                   where + ", " + name + ": samples " + std::to_string(sampled) + ", remainder " +
                       std::to_string(remainder) + ", counted " + std::to_string(truth));
            expect(c.at("truth") == truth && c.at("counted") == truth,
                   where + ", " + name + ": " + c.dump());
        }
    }
}

}  // namespace

int main(int argc, char** argv) try {
    const std::vector<std::string> args(argv + 1, argv + argc);
    const json r = read(args.at(0).c_str());
    check(r);
    if (r.contains("profile")) check_functions(r);
    double points = 0;
    bool sampled = false;
    for (std::size_t i = 1; i < args.size(); ++i) {
        if (args[i] == "--same") {
            check_same(r, read(args.at(++i).c_str()));
        } else if (args[i] == "--sampled") {
            sampled = true;
        } else if (args[i] == "--skid") {
            const auto delivery = std::stoull(args.at(++i));
            check_interrupts(r, delivery, std::stoull(args.at(++i)));
        } else if (args[i] == "--function") {
            const std::string program = args.at(++i), level = args.at(++i), name = args.at(++i);
            check_function(r, program, level, name, std::stoull(args.at(++i)));
        } else if (args[i] == "--samplers") {
            const auto number = std::stoull(args.at(++i));
            check_samplers(r, number, args.at(++i).c_str());
        } else if (args[i] == "--largest-difference") {
            points = std::atof(args.at(++i).c_str());
        } else {
            expect(false, "argument " + args[i]);
        }
    }
    if (sampled) check_profiles(r, points);
    return failures == 0 ? 0 : 1;
} catch (const std::exception& e) {
    std::cerr << "FAIL: " << e.what() << '\n';
    return 1;
}
