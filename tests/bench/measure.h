// One run of a program, measured.
#ifndef KNC_TESTS_BENCH_MEASURE_H
#define KNC_TESTS_BENCH_MEASURE_H

#include <cstdint>
#include <optional>
#include <string>

#include "workload.h"

namespace bench {

// What the report of a run says. The time is the simulation's alone, without start-up.
struct run_figures {
    double seconds = 0;
    double instructions = 0;
    double clocks = 0;
    double fills = 0;  // lines that came from memory
};

// Runs `program` in a process of its own, as a SystemC kernel runs once. Throws std::runtime_error
// if the run fails. A run that ends at a limit does not.
run_figures run_workload(const std::string& program, const workload&);

// Host instructions per instruction of the guest, in the workload's window of clocks, by callgrind:
// the difference of a run to its end and a run to its begin. Host instructions of libraries count
// as well.
double host_instructions_each(const std::string& program, const workload&);

// Instructions per second, in millions, of QEMU's code generator (TCG) with one thread: the
// difference of the workload's long and short run. The instructions are those that `program`
// executes of the same image. None: there is no QEMU, or the workload is not for it.
std::optional<double> qemu_mips(const std::string& program, const workload&);

}  // namespace bench

#endif
