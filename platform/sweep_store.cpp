#include <platform/sweep_store.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <stdexcept>
#include <system_error>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <fmt/format.h>

namespace platform {

namespace fs = std::filesystem;
using json = nlohmann::ordered_json;

void write_whole(const fs::path& path, const json& content) {
    // Paths and command lines may be no UTF-8, as JSON must be.
    write_whole(path, content.dump(1, ' ', false, json::error_handler_t::replace) + '\n');
}

std::optional<json> read_json(const fs::path& path) {
    std::ifstream in{path, std::ios::binary};
    json content = json::parse(in, nullptr, false);
    if (content.is_discarded()) return {};
    return content;
}

file_lock::file_lock(const fs::path& path, bool inherited)
    : file_(open(path.c_str(), O_RDWR | O_CREAT | (inherited ? 0 : O_CLOEXEC), 0666)) {
    if (file_ < 0)
        throw std::runtime_error(path.string() + ": " + std::generic_category().message(errno));
}

bool file_lock::lock(bool wait) {
    int status;
    do {
        status = flock(file_, LOCK_EX | (wait ? 0 : LOCK_NB));
    } while (status != 0 && errno == EINTR);
    if (status != 0 && errno != EWOULDBLOCK)
        throw std::runtime_error("flock: " + std::generic_category().message(errno));
    return status == 0;
}

file_lock::~file_lock() {
    if (file_ >= 0) close(file_);
}

std::optional<file_lock> file_lock::attempt(const fs::path& path, bool inherited) {
    file_lock l{path, inherited};
    if (!l.lock(false)) return {};
    return l;
}

file_lock file_lock::wait(const fs::path& path) {
    file_lock l{path, false};
    l.lock(true);
    return l;
}

std::string run_directory(std::size_t number, std::size_t runs) {
    const std::size_t width = std::max<std::size_t>(3, std::to_string(runs).size());
    return fmt::format("runs/{:0{}}", number, width);
}

void write_result(const stored_run& run, const run_result& r) {
    write_whole(run.result_file(),
                json{{"status", r.status}, {"complete", r.complete}, {"inputs", r.inputs}});
}

std::optional<run_result> read_result(const stored_run& run) {
    const auto content = read_json(run.result_file());
    if (!content) return {};
    try {
        return run_result{content->at("status").get<int>(), content->at("complete").get<bool>(),
                          content->at("inputs")};
    } catch (const json::exception&) {
        return {};  // of somebody else
    }
}

}  // namespace platform
