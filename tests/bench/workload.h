// The workloads of the benchmark, as workloads.table has them.
#ifndef KNC_TESTS_BENCH_WORKLOAD_H
#define KNC_TESTS_BENCH_WORKLOAD_H

#include <cstdint>
#include <string>
#include <vector>

namespace bench {

struct workload {
    std::string name;
    std::uint64_t from = 0, to = 0;   // clocks, for host instructions
    std::string short_run, long_run;  // command lines for QEMU; empty: none
    std::string image;                // path
    std::string arguments;            // of knc-vp run, quoted for a shell, the image first
};

// Reads the table at `path`. `sw`, `linux`: the directories it speaks of; lines that need a file
// that does not exist are left out. Throws std::runtime_error for a line it cannot read.
std::vector<workload> read_workloads(const std::string& path, const std::string& sw,
                                     const std::string& linux_build);

}  // namespace bench

#endif
