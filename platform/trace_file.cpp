#include <platform/trace_file.h>

#include <cerrno>
#include <cstdlib>
#include <sstream>
#include <stdexcept>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

#include <platform/input_error.h>

namespace platform {

namespace {

constexpr const char* converter = "vcd2fst";

}  // namespace

const char* name_of(trace_format f) {
    return f == trace_format::fst ? "trace.fst" : "trace.vcd";
}

void check_available(trace_format f) {
    if (f == trace_format::vcd) return;
    const char* const path = std::getenv("PATH");
    std::istringstream directories{path != nullptr ? path : ""};
    for (std::string d; std::getline(directories, d, ':');)
        if (access(fmt::format("{}/{}", d, converter).c_str(), X_OK) == 0) return;
    throw input_error(
        fmt::format("trace.format fst: the program {} of GTKWave is not installed", converter));
}

trace_file::trace_file(const std::string& directory, trace_format f)
    : path_(fmt::format("{}/{}", directory, name_of(f))) {
    if (f == trace_format::fst) {
        start_converter();
        return;
    }
    out_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (out_ < 0) fail();
}

trace_file::~trace_file() {
    if (out_ >= 0) ::close(out_);
    if (converter_ != 0) waitpid(converter_, nullptr, 0);
}

void trace_file::start_converter() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) fail();
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    std::string program = converter, from = "-", to = path_;
    char* const arguments[] = {program.data(), from.data(), to.data(), nullptr};
    const int error = posix_spawnp(&converter_, converter, &actions, nullptr, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    ::close(ends[0]);
    out_ = ends[1];
    if (error != 0) {
        converter_ = 0;
        fail();
    }
}

void trace_file::fail() const {
    throw std::runtime_error(path_ + " cannot be written");
}

void trace_file::write(std::string_view text) {
    while (!text.empty()) {
        const ssize_t n = ::write(out_, text.data(), text.size());
        if (n < 0 && errno != EINTR) fail();
        if (n > 0) text.remove_prefix(static_cast<std::size_t>(n));
    }
}

void trace_file::close() {
    const int result = ::close(std::exchange(out_, -1));
    if (result != 0) fail();
    if (converter_ == 0) return;
    int status = 0;
    while (waitpid(converter_, &status, 0) < 0 && errno == EINTR) {
    }
    converter_ = 0;
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) fail();
}

}  // namespace platform
