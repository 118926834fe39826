// check_page DIRECTORY
//
// Checks the numbers that the script of report.html draws against report.json of the same run, by
// formulas of its own: counters over time add up to the totals, each stack to the clocks of the
// run, the load of the links to that of the rings, interrupts lie within the extremes of the skid.
// Prints the number of charts that the script should draw.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <string>

#include <nlohmann/json.hpp>

namespace {

using json = nlohmann::json;
using number = std::uint64_t;
int failures = 0;

void expect(bool holds, const std::string& what) {
    if (holds) return;
    std::cerr << "FAIL: " << what << '\n';
    ++failures;
}

void expect_same(number is, number should, const std::string& what) {
    expect(is == should,
           what + ": " + std::to_string(is) + " instead of " + std::to_string(should));
}

void expect_near(double is, double should, const std::string& what) {
    expect(std::abs(is - should) <= 1e-9 * std::abs(should) + 1e-12,
           what + ": " + std::to_string(is) + " instead of " + std::to_string(should));
}

std::string text_of(const std::string& path) {
    std::ifstream in{path, std::ios::binary};
    return {std::istreambuf_iterator<char>{in}, {}};
}

json data_of(const std::string& page) {
    const std::string begin = "<script type=\"application/json\" id=\"data\">";
    const std::size_t from = page.find(begin) + begin.size();
    return json::parse(page.substr(from, page.find("</script>", from) - from));
}

number sum(const json& numbers) {
    number n = 0;
    for (const json& one : numbers) n += one.get<number>();
    return n;
}

std::string name_of(const json& thread) {
    return std::to_string(thread.at("core").get<number>()) + "." +
           std::to_string(thread.at("thread").get<number>());
}

// Pieces of time follow each other up to the end of the run.
void check_ends(const json& ends, number clocks, std::size_t most) {
    expect(!ends.empty() && ends.size() <= most, "number of points");
    for (std::size_t n = 1; n < ends.size(); ++n)
        expect(ends[n - 1].get<number>() < ends[n].get<number>(), "points in order");
    expect_same(ends.back(), clocks, "the last point");
}

void check_history(const json& h, const json& report) {
    const number clocks = report.at("time").at("cycles");
    const json& card = h.at("card");
    check_ends(h.at("ends"), clocks, 512);
    check_ends(h.at("core_ends"), clocks, 512);
    // Points are at multiples of the first, but for the end.
    const number interval = h["ends"][0];
    for (std::size_t n = 0; n + 1 < h["ends"].size(); ++n)
        expect_same(h["ends"][n], (n + 1) * interval, "point " + std::to_string(n));
    for (const auto& [name, values] : card.items())
        expect_same(values.size(), h["ends"].size(), "values of " + name);

    const json& metrics = report.at("phases")[0].at("card").at("metrics");
    expect_same(sum(card.at("instructions")), report["time"]["instructions"], "instructions");
    expect_same(sum(card.at("l1")), metrics.at("L1MISS"), "L1 misses");
    expect_same(sum(card.at("l2")), metrics.at("L2MISS"), "L2 misses");
    expect_same(sum(card.at("remote")), metrics.at("REMOTE"), "lines of other cores");
    expect_same(sum(card.at("unhalted")), metrics.at("ACYC"), "unhalted clocks");
    const double threads = 4.0 * static_cast<double>(h.at("cores").size() * clocks);
    expect_near(static_cast<double>(sum(card.at("awake"))) / threads, metrics.at("UTIL"), "awake");
    if (metrics.contains("READ")) {
        expect_near(64e-9 * static_cast<double>(sum(card.at("reads"))), metrics["READ"], "read");
        expect_near(64e-9 * static_cast<double>(sum(card.at("writes"))), metrics["WRITE"],
                    "written");
        const auto slots = static_cast<double>(h.at("ring_slots").get<number>() * clocks);
        expect_near(100 * static_cast<double>(sum(card.at("ring_busy"))) / slots,
                    metrics.at("RING%"), "load of the rings");
    }
    std::map<number, number> instructions;
    for (const json& t : report.at("threads"))
        instructions[t.at("core")] += t.at("instructions").get<number>();
    for (std::size_t c = 0; c < h["cores"].size(); ++c) {
        expect_same(sum(h["cores"][c].at("instructions")), instructions[c],
                    "instructions of core " + std::to_string(c));
        for (const auto& [name, values] : h["cores"][c].items())
            expect_same(values.size(), h["core_ends"].size(), "values of " + name);
    }
}

// The parts of a stack by name.
std::map<std::string, number> parts_of(const json& stack, const json& row) {
    std::map<std::string, number> parts;
    for (std::size_t n = 0; n < row.at("clocks").size(); ++n)
        parts[stack.at("parts")[n]] = row["clocks"][n];
    return parts;
}

void check_stacks(const json& stack, const json& report) {
    const number clocks = report.at("time").at("cycles");
    std::map<std::string, json> shown;
    for (const json& row : stack.at("threads")) shown[row.at("name")] = row;
    std::map<number, number> executing, unhalted;
    for (const json& t : report.at("threads")) {
        const auto event = [&](const char* name) { return t.at("events").at(name).get<number>(); };
        executing[t.at("core")] += event("EXEC_STAGE_CYCLES");
        unhalted[t.at("core")] = event("CPU_CLK_UNHALTED");
        const std::string name = name_of(t);
        if (t.at("instructions") == 0) continue;
        if (shown.count(name) == 0) {
            expect(false, "no stack of thread " + name);
            continue;
        }
        auto parts = parts_of(stack, shown[name]);
        expect_same(sum(shown[name].at("clocks")), clocks, "clocks of thread " + name);
        const number pairs = event("INSTRUCTIONS_EXECUTED_V_PIPE"),
                     issues = event("INSTRUCTIONS_EXECUTED") - pairs;
        expect_same(parts["two instructions"], pairs, "pairs of thread " + name);
        expect_same(parts["microcode"], event("MICROCODE_CYCLES"), "microcode of thread " + name);
        expect_same(parts["two instructions"] + parts["one instruction"] + parts["microcode"],
                    event("EXEC_STAGE_CYCLES"), "execution stage of thread " + name);
        // FE_STALLED is the waiting and all clocks of the stage but those of issues.
        expect_same(parts["waiting"] + event("EXEC_STAGE_CYCLES") - issues, event("FE_STALLED"),
                    "stalled clocks of thread " + name);
    }
    for (const json& t : report.at("phases")[0].at("threads")) {
        auto parts = parts_of(stack, shown[name_of(t)]);
        expect_near(static_cast<double>(clocks - parts["halted or not started"]) /
                        static_cast<double>(clocks),
                    t.at("metrics").at("UTIL"), "thread " + name_of(t) + " awake");
    }
    for (const json& row : stack.at("cores")) {
        auto parts = parts_of(stack, row);
        const number core = row.at("core");
        const std::string name = "core " + std::to_string(core);
        expect_same(sum(row.at("clocks")), clocks, "clocks of " + name);
        expect_same(parts["no thread executes"], unhalted[core] - executing[core], name);
        expect_same(parts["halted or not started"], clocks - unhalted[core], name + ", halted");
    }
}

void check_ring(const json& ring, const json& report) {
    const json& metrics = report.at("phases")[0].at("card").at("metrics");
    if (!metrics.contains("RING%")) {
        expect(ring.at("loads").empty(), "a ring that is not there");
        return;
    }
    // Messages that use many links are in the loads of all of these.
    double data = 0;
    for (const json& link : ring.at("loads")) {
        for (const json& load : link) expect(load >= 0 && load <= 100, "load of a link");
        data += link[0].get<double>();
    }
    expect_near(data / static_cast<double>(ring["loads"].size()), metrics["RING%"],
                "mean load of the links");
}

void check_interrupts(const json& page, const json& report) {
    std::map<std::string, json> shown;
    for (const json& t : page.at("interrupts")) shown[t.at("name")] = t;
    number interrupts = 0, bins = 0;
    for (const json& t : report.at("threads")) {
        const json& skid = t.at("pmu").at("skid");
        const number count = skid.at("count");
        interrupts += count;
        const std::string name = "interrupts of thread " + name_of(t);
        if (count == 0) {
            expect(shown.count(name_of(t)) == 0, name + " that are not there");
            continue;
        }
        const json& kept = shown[name_of(t)].at("kept");
        const number every = shown[name_of(t)].at("every");
        // The first of each `every` interrupts.
        expect_same(kept.size(), (count + every - 1) / every, name);
        number before = 0;
        for (const json& k : kept) {
            expect(k.size() == 4 && k[0] >= before && k[1] <= k[2] && k[2] <= k[3], name);
            expect(k[3] >= skid.at("min") && k[3] <= skid.at("max"), name + ": skid");
            expect(k[1] >= skid.at("parts").at("delivery").at("min") &&
                       k[1] <= skid["parts"]["delivery"].at("max"),
                   name + ": delivery");
            before = k[0];
        }
        if (every != 1) continue;
        number all = 0;
        for (const json& k : kept) all += k[3].get<number>();
        expect_same(all, skid.at("sum"), name + ": sum of the skids");
    }
    for (const json& b : page.at("skid_bins")) bins += b.at("interrupts").get<number>();
    expect_same(bins, interrupts, "histogram of the skid");
}

void check_heat(const json& heat, const json& report) {
    if (heat.empty()) {
        expect(report.at("threads").size() <= 32, "no map of threads");
        return;
    }
    for (std::size_t n = 0; n < report.at("threads").size(); ++n) {
        const json& t = report["threads"][n];
        expect(heat[0].at("values")[n] == t.at("instructions"), "map: instructions");
        expect(heat.back().at("values")[n] == t.at("apic").at("pmi"), "map: interrupts");
    }
}

// Eight lines, and a map of many cores; two stacks; two charts of interrupts, a third for several
// threads.
int charts_of(const json& page) {
    const std::size_t threads = page.at("interrupts").size();
    return 8 + (page.at("history").at("cores").size() > 8) + 2 + (threads > 0 ? 2 : 0) +
           (threads > 1);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) return 2;
    try {
        const std::string directory = argv[1];
        const json page = data_of(text_of(directory + "/report.html")),
                   report = json::parse(text_of(directory + "/report.json"));
        expect(page.at("image") == report.at("image"), "image");
        expect_same(page.at("clocks"), report.at("time").at("cycles"), "clocks");
        expect_same(page.at("marks").size(), report.at("markers").size(), "marks");
        check_history(page.at("history"), report);
        check_stacks(page.at("stack"), report);
        check_ring(page.at("ring"), report);
        check_interrupts(page, report);
        check_heat(page.at("heat"), report);
        std::cout << charts_of(page) << '\n';
    } catch (const std::exception& e) {
        expect(false, e.what());
    }
    return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
