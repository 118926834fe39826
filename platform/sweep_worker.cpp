#include <platform/sweep_worker.h>

#include <algorithm>
#include <csignal>
#include <iostream>

#include <sys/prctl.h>
#include <sys/wait.h>

#include <boost/process/args.hpp>
#include <boost/process/child.hpp>
#include <boost/process/extend.hpp>
#include <boost/process/io.hpp>
#include <fmt/format.h>

#include <platform/input_error.h>
#include <platform/program.h>
#include <platform/sweep_inputs.h>
#include <platform/sweep_store.h>

namespace platform {

namespace {

namespace fs = std::filesystem;
namespace bp = boost::process;
using json = nlohmann::ordered_json;

// A run shall not outlive the worker, which would write its result.
const auto dies_with_worker =
    bp::extend::on_exec_setup([](auto&) { prctl(PR_SET_PDEATHSIG, SIGKILL); });

// As many runs as the host has cores for go on beside each other.
void use_one_thread(std::vector<std::string>& arguments) {
    const std::string key = "sim.host_threads";
    if (std::none_of(arguments.begin(), arguments.end(), [&](const std::string& a) {
            return a.compare(0, key.size() + 1, key + '=') == 0;
        }))
        arguments.insert(arguments.end(), {"--set", key + "=1"});
}

int execute(const stored_run& run, std::vector<std::string> arguments) {
    use_one_thread(arguments);
    bp::child child{program_file(),
                    bp::args(arguments),
                    (bp::std_in < bp::null),
                    (bp::std_out > bp::null),
                    (bp::std_err > run.error_file().string()),
                    dies_with_worker};
    child.wait();
    return child.native_exit_code();
}

// The inputs as they are now: a file may have changed since the sweep began.
json present(json inputs, const json& paths) {
    file_digests digests;
    inputs["program"]["sha256"] = digests.of(program_file());
    for (std::size_t n = 0; n < paths.size(); ++n) {
        try {
            inputs["files"][n]["sha256"] = digests.of(paths[n]);
        } catch (const input_error&) {
            inputs["files"][n]["sha256"] = nullptr;  // the run will say so
        }
    }
    return inputs;
}

// Returns one line on what became of it.
std::string perform(const stored_run& run, const std::string& name) {
    const json task = read_json(run.task_file()).value();
    const json inputs = present(task.at("inputs"), task.at("files"));
    fs::remove(run.report_file());
    const int ended = execute(run, task.at("arguments").get<std::vector<std::string>>());
    const bool by_itself = WIFEXITED(ended);
    const int status = by_itself ? WEXITSTATUS(ended) : 128 + WTERMSIG(ended);
    write_result(run, {status, by_itself && read_json(run.report_file()), inputs});
    return fmt::format("{}: {}\n", name,
                       by_itself ? fmt::format("exit status {}", status)
                                 : fmt::format("ended by signal {}", WTERMSIG(ended)));
}

}  // namespace

void sweep_worker(const std::string& directory, std::uint64_t count) {
    const auto index = read_json(fs::path{directory} / "sweep.json");
    if (!index) throw input_error(directory + ": no sweep");
    for (const json& entry : index->at("runs")) {
        if (count == 0) return;
        const stored_run run{fs::path{directory} / entry.at("directory").get<std::string>()};
        if (fs::exists(run.result_file())) continue;
        const auto lock = file_lock::attempt(run.lock_file(), true);
        if (!lock || fs::exists(run.result_file())) continue;
        std::cerr << perform(run, entry.at("name").get<std::string>()) << std::flush;
        --count;
    }
}

}  // namespace platform
