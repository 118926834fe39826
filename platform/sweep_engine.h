// What executes the runs of a sweep: Slurm, Open MPI, or processes of this host. Each of them
// starts workers (sweep_worker.h) and waits for them; none knows the runs.
//
// Source: docs/sweep.md; sbatch(1), mpirun(1).
#ifndef KNC_PLATFORM_SWEEP_ENGINE_H
#define KNC_PLATFORM_SWEEP_ENGINE_H

#include <cstddef>
#include <string>
#include <string_view>

namespace platform {

struct sweep_engine {
    std::string_view name;
    // Whether it would start a worker now.
    bool (*usable)();
    // Does the `runs` runs of the sweep in `directory` that are to be done, `jobs` at a time; 0: as
    // many as the engine has room for. False: SIGINT, SIGTERM or SIGHUP came, and its workers are
    // gone. Throws std::runtime_error where it fails.
    bool (*execute)(const std::string& directory, std::size_t runs, std::size_t jobs);
};

// `name`: slurm, mpi, local; auto: the first of them that is usable. Throws input_error where there
// is no such engine, or it is not usable.
const sweep_engine& find_engine(std::string_view name);

}  // namespace platform

#endif
