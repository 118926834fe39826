#include <platform/sweep_plan.h>

#include <algorithm>
#include <map>
#include <system_error>

#include <fmt/format.h>

#include <platform/input_error.h>
#include <platform/sweep_inputs.h>

namespace platform {

namespace {

namespace fs = std::filesystem;
using json = nlohmann::ordered_json;

// `o` as the arguments of the program.
std::vector<std::string> arguments_of(const run_options& o) {
    std::vector<std::string> a{"run", o.file};
    const auto add = [&](const char* option, const std::optional<std::string>& value) {
        if (value) a.insert(a.end(), {fmt::format("--{}", option), *value});
    };
    add("image", o.image);
    add("preset", o.preset);
    add("cmdline", o.cmdline);
    for (const std::string& s : o.set) add("set", s);
    add("console", o.console);
    add("out", o.out);
    if (o.quiet) a.emplace_back("--quiet");
    return a;
}

// Finds results that no run has in its own directory, by their inputs.
void find_elsewhere(std::vector<planned_run>& runs, const fs::path& directory) {
    if (std::all_of(runs.begin(), runs.end(), [](const planned_run& r) { return r.done(); }))
        return;
    std::map<fs::path, const planned_run*> owners;
    for (const planned_run& r : runs) owners[r.stored.directory] = &r;
    std::multimap<std::string, fs::path> free;
    std::error_code error;
    for (fs::directory_iterator i{directory / "runs", error}, end; !error && i != end;
         i.increment(error)) {
        const auto owner = owners.find(i->path());
        if (owner != owners.end() && owner->second->done()) continue;
        const auto result = read_result({i->path()});
        if (result && result->complete) free.emplace(result->inputs.dump(), i->path());
    }
    for (planned_run& r : runs) {
        if (r.done()) continue;
        const auto found = free.find(r.inputs.dump());
        if (found == free.end()) continue;
        r.elsewhere = found->second;
        r.result = read_result({r.elsewhere});
        free.erase(found);
    }
}

}  // namespace

std::vector<planned_run> plan_sweep(const sweep_file& file, const fs::path& directory) {
    const std::vector<sweep_point> points = expand(file);
    std::vector<planned_run> runs;
    file_digests digests;
    for (const sweep_point& p : points) {
        planned_run r;
        r.point = p;
        r.directory = run_directory(runs.size() + 1, points.size());
        r.stored.directory = directory / r.directory;
        r.name = fmt::format("{} {}", r.stored.directory.filename().string(), point_text(file, p));
        try {
            run_options o = options_at(file, p);
            o.out = r.stored.directory.string();
            r.arguments = arguments_of(o);
            const run_request request = prepare(o);
            r.files = request.files;
            r.inputs = inputs_of(request, digests);
        } catch (const input_error& e) {
            throw input_error(fmt::format("{}: run {}: {}", file.name, r.name, e.what()));
        }
        r.result = result_of(r);
        runs.push_back(std::move(r));
    }
    find_elsewhere(runs, directory);
    return runs;
}

std::optional<run_result> result_of(const planned_run& r) {
    auto result = read_result(r.stored);
    if (result && result->inputs != r.inputs) result.reset();
    return result;
}

void move_results(const std::vector<planned_run>& runs) {
    // By way of other names, since one run may have to go where another one is.
    const auto between = [](const planned_run& r) {
        return fs::path{r.stored.directory.string() + ".moved"};
    };
    for (const planned_run& r : runs) {
        if (r.elsewhere.empty() || r.elsewhere == between(r)) continue;
        fs::remove_all(between(r));
        fs::rename(r.elsewhere, between(r));
    }
    for (const planned_run& r : runs) {
        if (r.elsewhere.empty()) continue;
        fs::remove_all(r.stored.directory);
        fs::rename(between(r), r.stored.directory);
    }
}

json index_of(const sweep_file& file, const std::vector<planned_run>& runs) {
    json all = json::array();
    for (const planned_run& r : runs) {
        json values = json::object();
        for (std::size_t n = 0; n < r.point.size(); ++n) values[file.axes[n].key] = r.point[n];
        all.push_back({{"directory", r.directory},
                       {"name", r.name},
                       {"values", values},
                       {"arguments", r.arguments}});
    }
    return {{"schema", 1}, {"file", file.name}, {"description", file.description}, {"runs", all}};
}

}  // namespace platform
