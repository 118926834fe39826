#include <platform/sweep_command.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <sstream>
#include <system_error>

#include <fmt/format.h>

#include <platform/input_error.h>
#include <platform/sweep_engine.h>
#include <platform/sweep_file.h>
#include <platform/sweep_page.h>
#include <platform/sweep_plan.h>
#include <platform/sweep_store.h>
#include <platform/sweep_table.h>

namespace platform {

namespace {

namespace fs = std::filesystem;
using json = nlohmann::ordered_json;

constexpr const char *table_name = "sweep.csv", *page_name = "sweep.html";
constexpr int all_well = 0, some_failed = 1, some_missing = 3;

class sweeper {
  public:
    sweeper(const sweep_options& o, std::ostream& out)
        : out_(out), options_(o), file_(read_sweep(read_file(o.file), o.file)), directory_(o.out) {
        if (directory_.empty()) directory_ = fs::path{o.file}.stem().string() + ".sweep";
        runs_ = plan_sweep(file_, directory_);
    }

    int run() {
        const std::size_t to_do = count([](const planned_run& r) { return !r.done(); });
        if (options_.dry_run) {
            list();
            return all_well;
        }
        const sweep_engine& engine = find_engine(options_.engine);
        const file_lock mine = prepare();
        if (to_do != 0) {
            std::cerr << fmt::format("{} of {} runs to do, engine {}\n", to_do, runs_.size(),
                                     engine.name);
            if (!execute(engine, to_do)) {
                std::cerr << "interrupted; the same command goes on\n";
                return some_missing;
            }
        }
        return conclude();
    }

  private:
    template <typename Condition>
    std::size_t count(Condition c) const {
        return static_cast<std::size_t>(std::count_if(runs_.begin(), runs_.end(), c));
    }

    bool execute(const sweep_engine& engine, std::size_t runs) const {
        try {
            return engine.execute(directory_, runs, options_.jobs);
        } catch (const std::runtime_error& e) {
            // Some runs may be missing, or none.
            std::cerr << "knc-vp: " << e.what() << '\n';
            return true;
        }
    }

    void list() const {
        for (const planned_run& r : runs_)
            out_ << fmt::format(
                "{}: {}\n", r.name,
                r.done() ? fmt::format("done, exit status {}", r.result->status) : "to do");
    }

    // Makes the directory what workers want. Returns the lock that keeps other sweeps away.
    file_lock prepare() {
        std::error_code error;
        fs::create_directories(directory_, error);
        if (error) throw input_error("--out " + directory_ + ": " + error.message());
        auto lock = file_lock::attempt(fs::path{directory_} / "lock", false);
        if (!lock) throw input_error("--out " + directory_ + ": another sweep is at work there");
        move_results(runs_);
        for (const planned_run& r : runs_) {
            if (r.done()) continue;
            fs::create_directories(r.stored.directory);
            // A worker of a sweep that was killed may still do it.
            const auto held = file_lock::wait(r.stored.lock_file());
            fs::remove(r.stored.result_file());
            write_whole(r.stored.task_file(),
                        json{{"arguments", r.arguments}, {"files", r.files}, {"inputs", r.inputs}});
        }
        for (const char* const name : {table_name, page_name})
            fs::remove(fs::path{directory_} / name);
        write_whole(fs::path{directory_} / "sweep.json", index_of(file_, runs_));
        return std::move(*lock);
    }

    int conclude() {
        sweep_table table = empty_table(file_);
        std::vector<std::string> links;
        std::size_t missing = 0, failed = 0;
        for (planned_run& r : runs_) {
            r.result = result_of(r);
            if (!r.result) {
                ++missing;
                std::cerr << "missing: " << r.name << '\n';
                continue;
            }
            failed += r.result->status != 0;
            const auto report = read_json(r.stored.report_file());
            add_run(table, file_, r.point, r.result->status, report,
                    report ? read_file(r.stored.console_file().string()) : "");
            links.push_back(report ? r.directory + "/report.html" : "");
        }
        if (missing != 0) {
            std::cerr << fmt::format("{} runs are missing; the same command goes on\n", missing);
            return some_missing;
        }
        write(table_name, [&](std::ostream& to) { write_csv(to, table); });
        write(page_name, [&](std::ostream& to) { write_sweep_page(to, file_, table, links); });
        std::cerr << fmt::format("{} runs, {} with exit status 0: {}/{}, {}\n", runs_.size(),
                                 runs_.size() - failed, directory_, table_name, page_name);
        return failed == 0 ? all_well : some_failed;
    }

    template <typename Content>
    void write(const char* name, Content content) const {
        std::ostringstream text;
        content(text);
        write_whole(fs::path{directory_} / name, text.str());
    }

    std::ostream& out_;
    const sweep_options& options_;
    sweep_file file_;
    std::string directory_;
    std::vector<planned_run> runs_;
};

}  // namespace

int sweep(const sweep_options& o, std::ostream& out) {
    return sweeper{o, out}.run();
}

}  // namespace platform
