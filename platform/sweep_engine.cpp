#include <platform/sweep_engine.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <filesystem>
#include <functional>
#include <stdexcept>
#include <thread>
#include <vector>

#include <sys/prctl.h>
#include <sys/wait.h>

#include <boost/process/args.hpp>
#include <boost/process/child.hpp>
#include <boost/process/extend.hpp>
#include <boost/process/io.hpp>
#include <boost/process/search_path.hpp>
#include <boost/process/system.hpp>
#include <fmt/format.h>

#include <platform/input_error.h>
#include <platform/program.h>

namespace platform {

namespace {

namespace fs = std::filesystem;
namespace bp = boost::process;
using command = std::vector<std::string>;

// Blocked while it lives, so that they can be waited for.
class waited_signals {
  public:
    waited_signals() {
        sigemptyset(&set_);
        for (const int s : {SIGINT, SIGTERM, SIGHUP, SIGCHLD}) sigaddset(&set_, s);
        sigprocmask(SIG_BLOCK, &set_, &before_);
    }
    waited_signals(const waited_signals&) = delete;
    waited_signals& operator=(const waited_signals&) = delete;
    ~waited_signals() { sigprocmask(SIG_SETMASK, &before_, nullptr); }

    const sigset_t& before() const { return before_; }
    int next() const {
        int number = 0;
        sigwait(&set_, &number);
        return number;
    }

  private:
    sigset_t set_{}, before_{};
};

bp::child start(const command& c, const waited_signals& signals) {
    const sigset_t mask = signals.before();
    return bp::child{bp::search_path(c[0]).empty() ? c[0] : bp::search_path(c[0]).string(),
                     bp::args(command{c.begin() + 1, c.end()}), (bp::std_in < bp::null),
                     (bp::std_out > bp::null), bp::extend::on_exec_setup([mask](auto&) {
                         sigprocmask(SIG_SETMASK, &mask, nullptr);
                         // Nothing goes on where this process is killed.
                         prctl(PR_SET_PDEATHSIG, SIGTERM);
                     })};
}

// Starts the commands and waits for their end. False: a signal came, and `stop` was called.
bool run_all(const std::vector<command>& commands, const std::function<void()>& stop) {
    const waited_signals signals;
    std::vector<bp::child> children;
    for (const command& c : commands) children.push_back(start(c, signals));
    bool stopped = false;
    while (
        std::any_of(children.begin(), children.end(), [](bp::child& c) { return c.running(); })) {
        if (signals.next() == SIGCHLD || stopped) continue;
        stopped = true;
        if (stop) stop();
        for (bp::child& c : children)
            if (c.running()) kill(c.id(), SIGTERM);
    }
    if (stopped) return false;
    for (std::size_t n = 0; n < children.size(); ++n) {
        const int ended = children[n].native_exit_code();
        const std::string name = fs::path{commands[n][0]}.filename().string();
        if (WIFSIGNALED(ended))
            throw std::runtime_error(
                fmt::format("{} was ended by signal {}", name, WTERMSIG(ended)));
        if (ended != 0)
            throw std::runtime_error(
                fmt::format("{} ended with status {}", name, WEXITSTATUS(ended)));
    }
    return true;
}

// Whether `c` runs and succeeds; `wants_output`: and says something.
bool succeeds(const command& c, bool wants_output) {
    const auto program = bp::search_path(c[0]);
    if (program.empty()) return false;
    bp::ipstream out;
    bp::child child{program, bp::args(command{c.begin() + 1, c.end()}), (bp::std_in < bp::null),
                    (bp::std_out > out), (bp::std_err > bp::null)};
    std::string line;
    const bool said = static_cast<bool>(std::getline(out, line));
    while (std::getline(out, line)) {
    }
    child.wait();
    return child.exit_code() == 0 && (said || !wants_output);
}

command worker(const std::string& directory) {
    return {program_file(), "sweep-worker", directory};
}

// Local: as many workers as jobs.
bool always() {
    return true;
}
bool execute_here(const std::string& directory, std::size_t runs, std::size_t jobs) {
    if (jobs == 0) jobs = std::max(1u, std::thread::hardware_concurrency());
    return run_all(std::vector<command>(std::min(jobs, runs), worker(directory)), {});
}

// Open MPI: a worker for each slot, or --jobs of them. The workers need no MPI: they share the runs
// by locks.
bool mpi_usable() {
    return succeeds({"mpirun", "-n", "1", "true"}, false);
}
bool execute_mpi(const std::string& directory, std::size_t runs, std::size_t jobs) {
    command c{"mpirun", "--bind-to", "none"};
    if (jobs != 0)
        c.insert(c.end(), {"--oversubscribe", "-n", std::to_string(std::min(jobs, runs))});
    const command w = worker(directory);
    c.insert(c.end(), w.begin(), w.end());
    return run_all({c}, {});
}

// Slurm: an array job with a task for each run. A task does the next run that nobody does.
constexpr std::size_t most_tasks = 1000;  // MaxArraySize is 1001 where nobody has changed it
bool slurm_usable() {
    return succeeds({"sinfo", "--noheader", "--states=idle,mixed,allocated", "--format=%D"}, true);
}
// As one word of the shell.
std::string quoted(const std::string& text) {
    std::string q = "'";
    for (const char c : text) q += c == '\'' ? std::string{"'\\''"} : std::string{c};
    return q + "'";
}
bool execute_slurm(const std::string& directory, std::size_t runs, std::size_t jobs) {
    const std::size_t tasks = std::min(runs, most_tasks);
    const std::string name = "knc-vp " + fs::absolute(directory).lexically_normal().string();
    std::string script = "exec";
    for (const std::string& word : worker(directory)) script += ' ' + quoted(word);
    script += ' ' + std::to_string((runs + tasks - 1) / tasks);
    const std::string limit = jobs == 0 ? "" : fmt::format("%{}", jobs);
    const command sbatch{"sbatch",
                         "--wait",
                         "--quiet",
                         "--job-name=" + name,
                         fmt::format("--array=1-{}{}", tasks, limit),
                         "--output=" + directory + "/slurm.log",
                         "--open-mode=append",
                         "--wrap=" + script};
    return run_all({sbatch}, [&] {
        bp::system(bp::search_path("scancel"), bp::args({"--quiet", "--name=" + name}));
    });
}

constexpr std::array engines = {sweep_engine{"slurm", slurm_usable, execute_slurm},
                                sweep_engine{"mpi", mpi_usable, execute_mpi},
                                sweep_engine{"local", always, execute_here}};

}  // namespace

const sweep_engine& find_engine(std::string_view name) {
    const bool any = name == "auto";
    const auto found = std::find_if(engines.begin(), engines.end(), [&](const sweep_engine& e) {
        return any ? e.usable() : e.name == name;
    });
    if (found == engines.end())
        throw input_error(
            fmt::format("--engine {}: one of auto, slurm, mpi, local is wanted", name));
    if (!any && !found->usable())
        throw input_error(fmt::format("--engine {}: it is not there, or refuses to work", name));
    return *found;
}

}  // namespace platform
