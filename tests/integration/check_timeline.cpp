// check_timeline FILE [--skid REPORT] [--track NAME]... [--beside] [--arrows]
//
// Checks a file in the trace event format: each event has what its kind needs, times are the
// clocks, slices of a track begin and end one inside the other, and none stays open; an arrow leads
// from a slice to a later one. --skid: the performance interrupts of each thread that were handled
// are those of REPORT (report.json), with the same sums of each part. --track: prints the slices of
// a track, a line each, "BEGIN END NAME", indented by two blanks per slice around them. --beside:
// prints those beside the tracks. --arrows: prints the arrows, "CLOCK TRACK -> CLOCK TRACK NAME".
//
// It shares no code with what it checks.
#include <algorithm>
#include <cstdint>
#include <fstream>
#include <iostream>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace {

using json = nlohmann::json;
using place = std::pair<std::uint64_t, std::uint64_t>;  // process and track
int failures = 0;

void expect(bool holds, const std::string& what) {
    if (holds) return;
    if (++failures <= 20) std::cerr << "FAIL: " << what << '\n';
}

struct slice {
    std::uint64_t begin = 0, end = 0;
    std::size_t depth = 0;
    std::string name, arguments;
};

class checker {
  public:
    explicit checker(const char* path) {
        std::ifstream in{path};
        const json all = json::parse(in);
        hz_ = all.at("otherData").at("clock_hz");
        for (const json& e : all.at("traceEvents")) take(e);
        for (const auto& [where, open] : open_)
            expect(open.empty(), name(where) + ": a slice stays open");
        for (const auto& [id, open] : beside_)
            expect(open.empty(), id + ": a slice beside the tracks stays open");
    }

    void print_track(const std::string& wanted) const {
        for (const auto& [where, slices] : tracks_)
            if (name(where) == wanted) print(slices);
    }
    void print_beside() const {
        for (const auto& [id, slices] : all_beside_) print(slices);
    }
    void print_arrows() const {
        for (const std::string& a : arrows_) std::cout << a << '\n';
    }

    // Each handled interrupt is one in its thread's report.
    void check_skid(const char* path) const {
        struct sums {
            std::uint64_t count = 0, total = 0, delivery = 0, boundary = 0, entry = 0;
        };
        std::map<std::string, sums> of;
        for (const auto& [id, slices] : all_beside_) {
            const slice& whole = slices.front();
            if (whole.arguments.find("handled") == std::string::npos) continue;
            sums& s = of[whole.name];
            ++s.count;
            s.total += whole.end - whole.begin;
            for (const slice& p : slices) {
                if (p.name == "delivery") s.delivery += p.end - p.begin;
                if (p.name == "boundary") s.boundary += p.end - p.begin;
                if (p.name == "entry") s.entry += p.end - p.begin;
            }
        }
        std::ifstream in{path};
        const json report = json::parse(in);
        std::size_t found = 0;
        for (const json& t : report.at("threads")) {
            const json& skid = t.at("pmu").at("skid");
            if (skid.at("count") == 0) continue;
            ++found;
            const std::string thread = std::to_string(t.at("core").get<int>()) + '.' +
                                       std::to_string(t.at("thread").get<int>());
            const sums& s = of["PMI of " + thread];
            expect(skid.at("count") == s.count, thread + ": interrupts");
            expect(skid.at("sum") == s.total, thread + ": sum of the skid");
            const json& parts = skid.at("parts");
            expect(parts.at("delivery").at("sum") == s.delivery, thread + ": delivery");
            expect(parts.at("boundary").at("sum") == s.boundary, thread + ": boundary");
            expect(parts.at("entry").at("sum") == s.entry, thread + ": entry");
        }
        expect(found != 0, "no performance interrupt in the report");
        expect(of.size() == found, "interrupts of threads that the report has none of");
    }

  private:
    void take(const json& e) {
        const std::string kind = e.at("ph");
        const place where{e.at("pid"), e.value("tid", 0u)};
        if (kind == "M") {
            const json& args = e.at("args");
            if (e.at("name") == "thread_name") names_[where] = args.at("name");
            return;
        }
        expect(names_.count(where) != 0, "an event on a track without a name");
        const double us = e.at("ts");
        if (kind == "s" || kind == "f") {
            take_arrow(e, kind == "s", where, us);
            return;
        }
        const bool last = kind == "E" || kind == "e";
        const std::uint64_t clock = e.at("args").at(last ? "until" : "clock");
        check_time(us, clock);
        expect(clock >= last_, "events are not in the order of their clocks");
        last_ = clock;
        if (kind == "B") {
            expect(clock >= busy_[where], name(where) + ": overlap");
            begin(open_[where], tracks_[where], e, clock);
        } else if (kind == "E") {
            end(open_[where], tracks_[where], e, clock);
            busy_[where] = clock;
        } else if (kind == "b") {
            const std::string id = e.at("id");
            begin(beside_[id], all_beside_[id], e, clock);
        } else if (kind == "e") {
            const std::string id = e.at("id");
            end(beside_[id], all_beside_[id], e, clock);
        } else if (kind == "X") {
            const slice s{clock, clock + 1, open_[where].size(), e.at("name"), e.at("args").dump()};
            check_time(us + e.at("dur").get<double>(), clock + 1);
            tracks_[where].push_back(s);
            ticks_.insert({where, clock});
        } else {
            expect(kind == "i", "an event of kind " + kind);
            tracks_[where].push_back(
                {clock, clock, open_[where].size(), e.at("name"), e.at("args").dump()});
        }
    }

    void begin(std::vector<std::size_t>& open, std::vector<slice>& all, const json& e,
               std::uint64_t clock) {
        all.push_back({clock, 0, open.size(), e.at("name"), e.at("args").dump()});
        open.push_back(all.size() - 1);
    }
    void end(std::vector<std::size_t>& open, std::vector<slice>& all, const json& e,
             std::uint64_t clock) {
        expect(!open.empty(), "the end of no slice");
        if (open.empty()) return;
        slice& s = all[open.back()];
        open.pop_back();
        expect(s.name == e.at("name"),
               "'" + s.name + "' ends as '" + e.at("name").get<std::string>());
        s.end = clock;
        s.arguments += e.at("args").dump();
    }

    // Both ends lie on slices that begin there.
    void take_arrow(const json& e, bool first, place where, double us) {
        const auto clock = static_cast<std::uint64_t>(us * static_cast<double>(hz_) / 1e6 + 0.01);
        expect(ticks_.count({where, clock}) != 0, name(where) + ": an arrow without its slice");
        const std::uint64_t id = e.at("id");
        const std::string end = std::to_string(clock) + ' ' + name(where);
        if (first) {
            expect(starts_.emplace(id, end).second, "two arrows with one number");
            return;
        }
        expect(starts_.count(id) != 0, "an arrow from nowhere");
        arrows_.push_back(starts_[id] + " -> " + end + ' ' + e.at("name").get<std::string>());
    }

    // A time is that of its clock, rounded up to a picosecond.
    void check_time(double us, std::uint64_t clock) const {
        const double exact = static_cast<double>(clock) / static_cast<double>(hz_) * 1e6;
        expect(us - exact < 2e-6 && us - exact > -1e-6,
               "clock " + std::to_string(clock) + " at " + std::to_string(us) + " us");
    }

    static void print(const std::vector<slice>& slices) {
        for (const slice& s : slices)
            std::cout << std::string(2 * s.depth, ' ') << s.begin << ' ' << s.end << ' ' << s.name
                      << '\n';
    }
    std::string name(place where) const {
        const auto found = names_.find(where);
        return found != names_.end() ? found->second : "a track without a name";
    }

    std::uint64_t hz_ = 0, last_ = 0;
    std::map<place, std::string> names_;
    std::map<place, std::vector<slice>> tracks_;
    std::map<place, std::vector<std::size_t>> open_;
    std::map<place, std::uint64_t> busy_;
    std::map<std::string, std::vector<std::size_t>> beside_;
    std::map<std::string, std::vector<slice>> all_beside_;
    std::set<std::pair<place, std::uint64_t>> ticks_;
    std::map<std::uint64_t, std::string> starts_;
    std::vector<std::string> arrows_;
};

}  // namespace

int main(int argc, char** argv) {
    try {
        const checker c{argv[1]};
        for (int n = 2; n < argc; ++n) {
            const std::string option = argv[n];
            if (option == "--skid") c.check_skid(argv[++n]);
            if (option == "--track") c.print_track(argv[++n]);
            if (option == "--beside") c.print_beside();
            if (option == "--arrows") c.print_arrows();
        }
    } catch (const std::exception& e) {
        expect(false, e.what());
    }
    return failures == 0 ? 0 : 1;
}
