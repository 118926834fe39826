// Runs whole images in the program and reports what its own report says: the time is the
// simulation's alone, without start-up. One process per run, as a SystemC kernel runs once.
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <benchmark/benchmark.h>
#include <nlohmann/json.hpp>

namespace {

namespace fs = std::filesystem;

struct workload {
    const char* name;
    const char* image;
    const char* arguments;
};
const workload workloads[] = {
    {"demo/mini", "demo.elf", ""},
    {"demo/window of one clock", "demo.elf", "--set sim.quantum=1"},
    {"demo/trace of 100000 clocks", "demo.elf", "--trace tile0.pmu"},
    {"integer/mini", "integer.elf", "--cmdline millions=50"},
    {"integer/mini, both counters of all threads armed", "integer.elf",
     "--cmdline 'millions=50 armed=7'"},
    {"chase through memory/mini", "chase.elf", "--cmdline 'bytes=4194304 loads=60000 cold'"},
    {"stream/8 tiles, all busy", "stream.elf",
     "--set card.tiles=8 --cmdline 'cores=8 bytes=2097152'"},
    {"stream/61 tiles, all busy", "stream.elf", "--preset 7120p --cmdline 'cores=61 bytes=524288'"},
    {"matrix product/1 tile", "gemm.elf",
     "--cmdline 'threads=4 prefetch depth=256 passes=20 check=1000'"},
    {"matrix product/61 tiles", "gemm.elf",
     "--preset 7120p --cmdline 'cores=61 threads=4 prefetch passes=4 check=1000'"},
    {"demo/57 tiles, one thread busy", "demo.elf", "--preset 3120a"},
};

void run(benchmark::State& state, const workload& w) {
    const fs::path out = fs::temp_directory_path() / ("knc-bench-" + std::to_string(getpid()));
    const std::string command = std::string{"'" KNC_VP "' run '" KNC_IMAGES "/"} + w.image +
                                "' --quiet --out '" + out.string() + "' " + w.arguments +
                                " >/dev/null";
    double instructions = 0, clocks = 0, seconds = 0;
    for (auto _ : state) {
        if (std::system(command.c_str()) != 0) {
            state.SkipWithError("the run failed");
            return;
        }
        std::ifstream in{out / "report.json"};
        const auto time = nlohmann::json::parse(in).at("time");
        const double s = time.at("host_seconds");
        state.SetIterationTime(s);
        seconds += s;
        instructions += time.at("instructions").get<double>();
        clocks += time.at("cycles").get<double>();
    }
    state.counters["MIPS"] = instructions / seconds / 1e6;
    state.counters["Mclocks/s"] = clocks / seconds / 1e6;
    fs::remove_all(out);
}

}  // namespace

int main(int argc, char** argv) {
    for (const workload& w : workloads)
        benchmark::RegisterBenchmark(w.name, run, w)
            ->UseManualTime()
            ->Unit(benchmark::kMillisecond);
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}
