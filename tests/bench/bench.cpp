// Speed of the program: simulated instructions per second of each workload.
//
//   bench [NAME=PROGRAM [NAME=PROGRAM]] [--instructions] [--workloads=TABLE] [--benchmark_...]
//
// Nothing named: the program of this build tree. Two programs run by turns, and the last column is
// the ratio of their rates. --instructions: also host instructions per instruction of the guest, by
// callgrind, which takes a minute or two for each workload. --workloads: others than those of
// workloads.table. The other options are those of Google Benchmark.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "measure.h"
#include "reporter.h"
#include "workload.h"

namespace {

struct named_program {
    std::string name, path;
};

struct options {
    std::vector<named_program> programs;
    bool instructions = false;
    std::string workloads = KNC_WORKLOADS;
    std::vector<char*> others;  // of the library
};

options parse(int argc, char** argv) {
    options o;
    o.others.push_back(argv[0]);
    for (int n = 1; n < argc; ++n) {
        const std::string a = argv[n];
        const std::size_t equals = a.find('=');
        if (a == "--instructions")
            o.instructions = true;
        else if (a.compare(0, 12, "--workloads=") == 0)
            o.workloads = a.substr(12);
        else if (a.compare(0, 2, "--") != 0 && equals != std::string::npos)
            o.programs.push_back({a.substr(0, equals), a.substr(equals + 1)});
        else
            o.others.push_back(argv[n]);
    }
    if (o.programs.empty()) o.programs.push_back({"knc-vp", KNC_VP});
    return o;
}

void run(benchmark::State& state, const bench::workload& w, const std::string& program,
         bool instructions, bool with_qemu) {
    try {
        bench::run_figures sum;
        for (auto _ : state) {
            const bench::run_figures f = bench::run_workload(program, w);
            state.SetIterationTime(f.seconds);
            sum.seconds += f.seconds;
            sum.instructions += f.instructions;
            sum.clocks += f.clocks;
            sum.fills += f.fills;
        }
        state.counters["MIPS"] = sum.instructions / sum.seconds / 1e6;
        state.counters["Mclocks/s"] = sum.clocks / sum.seconds / 1e6;
        state.counters["Mfills/s"] = sum.fills / sum.seconds / 1e6;
        if (instructions) state.counters["host/guest"] = bench::host_instructions_each(program, w);
        if (with_qemu)
            if (const auto mips = bench::qemu_mips(program, w)) state.counters["QEMU"] = *mips;
    } catch (const std::exception& e) {
        state.SkipWithError(e.what());
    }
}

}  // namespace

int main(int argc, char** argv) {
    try {
        options o = parse(argc, argv);
        if (o.programs.size() > 2) throw std::runtime_error("two programs at most");
        const bool comparison = o.programs.size() == 2;
        // Defaults, which the arguments override.
        std::string by_turns = "--benchmark_enable_random_interleaving=true";
        std::string repetitions = "--benchmark_repetitions=5";
        if (comparison)
            o.others.insert(o.others.begin() + 1, {by_turns.data(), repetitions.data()});
        int count = static_cast<int>(o.others.size());
        benchmark::Initialize(&count, o.others.data());
        if (benchmark::ReportUnrecognizedArguments(count, o.others.data())) return 2;

        const auto workloads = bench::read_workloads(o.workloads, KNC_IMAGES, KNC_LINUX);
        std::vector<std::string> names;
        for (const named_program& p : o.programs) names.push_back(p.name);
        for (const bench::workload& w : workloads)
            for (const named_program& p : o.programs)
                benchmark::RegisterBenchmark((w.name + "/" + p.name).c_str(), run, w, p.path,
                                             o.instructions, !comparison)
                    ->UseManualTime()
                    ->Iterations(1)
                    ->Unit(benchmark::kMillisecond);
        bench::table_reporter table{names};
        benchmark::RunSpecifiedBenchmarks(&table);
        return 0;
    } catch (const std::exception& e) {
        std::fprintf(stderr, "bench: %s\n", e.what());
        return 2;
    }
}
