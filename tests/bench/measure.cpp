#include "measure.h"

#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <stdexcept>

#include <nlohmann/json.hpp>

namespace bench {

namespace {

namespace fs = std::filesystem;

constexpr double line_gigabytes = 64e-9;
// Exit statuses: a run that a limit ends; a PC's image that has succeeded, by its exit port.
constexpr int at_limit = 3, pc_success = 1;

std::string quoted(const std::string& s) {
    return "'" + s + "'";
}

// The exit status of a shell command.
int execute(const std::string& command) {
    const int status = std::system(command.c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

std::string output_of(const std::string& command) {
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe{popen(command.c_str(), "r"), pclose};
    if (!pipe) throw std::runtime_error("no process: " + command);
    std::string text;
    std::array<char, 4096> part;
    while (const std::size_t n = std::fread(part.data(), 1, part.size(), pipe.get()))
        text.append(part.data(), n);
    return text;
}

fs::path results() {
    return fs::temp_directory_path() / ("knc-bench-" + std::to_string(getpid()));
}

run_figures read_report(const fs::path& directory) {
    std::ifstream in{directory / "report.json"};
    const auto report = nlohmann::json::parse(in);
    const auto& time = report.at("time");
    run_figures f;
    f.seconds = time.at("host_seconds");
    f.instructions = time.at("instructions");
    f.clocks = time.at("cycles");
    for (const auto& phase : report.at("phases")) {
        const auto& read = phase.at("card").at("metrics").at("READ");
        if (read.is_number()) f.fills += read.get<double>() / line_gigabytes;
    }
    return f;
}

// While it lives, this process and those that it starts use one core of the host: a card then has
// one host thread, and what it waits for is not counted.
class one_core {
  public:
    one_core() {
        sched_getaffinity(0, sizeof before_, &before_);
        cpu_set_t one;
        CPU_ZERO(&one);
        for (int n = 0; n < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++n)
            if (CPU_ISSET(n, &before_)) CPU_SET(n, &one);
        sched_setaffinity(0, sizeof one, &one);
    }
    ~one_core() { sched_setaffinity(0, sizeof before_, &before_); }
    one_core(const one_core&) = delete;
    one_core& operator=(const one_core&) = delete;

  private:
    cpu_set_t before_{};
};

// Host instructions of a run that ends in clock `until`, and its guest instructions.
struct both {
    double host = 0, guest = 0;
};
both count_until(const std::string& program, const workload& w, std::uint64_t until) {
    const fs::path out = results();
    const one_core alone;
    const std::string text =
        output_of("valgrind --tool=callgrind --callgrind-out-file=/dev/null " + quoted(program) +
                  " run " + w.arguments + " --set limits.max_cycles=" + std::to_string(until) +
                  " --quiet --out " + quoted(out.string()) + " 2>&1 </dev/null");
    const std::string label = "Collected : ";
    const std::size_t at = text.find(label);
    if (at == std::string::npos) throw std::runtime_error("callgrind has counted nothing: " + text);
    both b{std::stod(text.substr(at + label.size())), read_report(out).instructions};
    fs::remove_all(out);
    return b;
}

run_figures run_image(const std::string& program, const std::string& arguments, int success) {
    const fs::path out = results();
    const int status = execute(quoted(program) + " run " + arguments + " --quiet --out " +
                               quoted(out.string()) + " >/dev/null 2>&1 </dev/null");
    if (status != success && status != at_limit)
        throw std::runtime_error("the run failed with status " + std::to_string(status));
    const run_figures f = read_report(out);
    fs::remove_all(out);
    return f;
}

double qemu_seconds(const std::string& image, const std::string& arguments) {
    const auto begin = std::chrono::steady_clock::now();
    if (execute(
            "timeout 300 qemu-system-x86_64 -accel tcg -cpu max -m 256 -display none -serial none "
            "-monitor none -device isa-debug-exit,iobase=0xf4,iosize=4 -kernel " +
            quoted(image) + " -append " + quoted(arguments)) != pc_success)
        throw std::runtime_error("QEMU has failed with " + image);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

run_figures run_workload(const std::string& program, const workload& w) {
    return run_image(program, w.arguments, 0);
}

double host_instructions_each(const std::string& program, const workload& w) {
    const both begin = count_until(program, w, w.from), end = count_until(program, w, w.to);
    if (end.guest <= begin.guest) throw std::runtime_error("the window has no instructions");
    return (end.host - begin.host) / (end.guest - begin.guest);
}

std::optional<double> qemu_mips(const std::string& program, const workload& w) {
    if (w.short_run.empty() || execute("command -v qemu-system-x86_64 >/dev/null") != 0) return {};
    const std::string image = w.image + "32";  // for a PC
    const auto instructions = [&](const std::string& line) {
        const std::string arguments =
            quoted(image) + " --set card.profile=compat --cmdline " + quoted(line);
        return run_image(program, arguments, pc_success).instructions;
    };
    const double more = instructions(w.long_run) - instructions(w.short_run);
    return more / (qemu_seconds(image, w.long_run) - qemu_seconds(image, w.short_run)) / 1e6;
}

}  // namespace bench
