// The directory of a sweep: its index, and for each run a directory with what is to be done
// (run.json), the lock of who does it, and the proof that it was done (result.json).
//
// JSON files appear whole, by renaming. A run is held by whoever has locked it and by the processes
// started since, until the last of them ends, however it ends.
// Source: docs/sweep.md.
#ifndef KNC_PLATFORM_SWEEP_STORE_H
#define KNC_PLATFORM_SWEEP_STORE_H

#include <filesystem>
#include <optional>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include <platform/whole_file.h>

namespace platform {

// As write_whole() of text.
void write_whole(const std::filesystem::path& path, const nlohmann::ordered_json&);
// Empty where there is no such file or it is no JSON.
std::optional<nlohmann::ordered_json> read_json(const std::filesystem::path& path);

// An exclusive lock of a file, which is made if need be.
class file_lock {
  public:
    // Empty where somebody else has it. `inherited`: by the processes that are started, too.
    static std::optional<file_lock> attempt(const std::filesystem::path&, bool inherited);
    // Waits for it.
    static file_lock wait(const std::filesystem::path&);
    file_lock(file_lock&& other) noexcept : file_(std::exchange(other.file_, -1)) {}
    file_lock& operator=(file_lock&&) = delete;
    ~file_lock();

  private:
    file_lock(const std::filesystem::path&, bool inherited);
    bool lock(bool wait);

    int file_;
};

// The directory of run `number`, from 1, of `runs`: "runs/007", below that of the sweep.
std::string run_directory(std::size_t number, std::size_t runs);

// One run in its directory.
struct stored_run {
    std::filesystem::path directory;

    std::filesystem::path task_file() const { return directory / "run.json"; }
    std::filesystem::path lock_file() const { return directory / "lock"; }
    std::filesystem::path result_file() const { return directory / "result.json"; }
    std::filesystem::path report_file() const { return directory / "report.json"; }
    std::filesystem::path console_file() const { return directory / "console.log"; }
    std::filesystem::path error_file() const { return directory / "stderr.txt"; }
};

// result.json: what became of a run that was begun and has ended.
struct run_result {
    int status = 0;         // of the program, or 128 and the signal that ended it
    bool complete = false;  // it ended by itself and has a report: not to be repeated
    nlohmann::ordered_json inputs;
};
void write_result(const stored_run&, const run_result&);
std::optional<run_result> read_result(const stored_run&);

}  // namespace platform

#endif
