#include <platform/results.h>

#include <cerrno>
#include <filesystem>
#include <sstream>
#include <stdexcept>
#include <system_error>

#include <platform/input_error.h>
#include <platform/page.h>
#include <platform/sample_text.h>
#include <platform/traced_functions.h>

namespace platform {

namespace {

constexpr const char* names[] = {"console.log", "report.json",   "report.txt",     "trace.vcd",
                                 "trace.fst",   "trace.gtkw",    "samples.folded", "samples.txt",
                                 "report.html", "timeline.json", "log.txt"};

}  // namespace

results::results(const std::string& directory) : directory_(directory) {
    namespace fs = std::filesystem;
    std::error_code error;
    fs::create_directories(directory_, error);
    if (!error && !fs::is_directory(directory_))
        error = std::make_error_code(std::errc::not_a_directory);
    if (error) throw input_error("--out " + directory_ + ": " + error.message());
    for (const char* name : names) fs::remove(fs::path{directory_} / name, error);
    remove_translations();
    const std::string path = directory_ + "/console.log";
    console_.open(path, std::ios::binary);
    if (!console_)
        throw input_error("--out: " + path + ": " + std::generic_category().message(errno));
}

// Those of an earlier run: trace.*.txt.
void results::remove_translations() const {
    namespace fs = std::filesystem;
    std::error_code error;
    for (const fs::directory_entry& e : fs::directory_iterator{directory_, error}) {
        const std::string name = e.path().filename().string();
        if (name.rfind("trace.", 0) == 0 && e.path().extension() == ".txt")
            fs::remove(e.path(), error);
    }
}

void results::write_trace_view(const knc::base::signal_list& signals,
                               const traced_functions* functions, const trace_view& view) {
    const translations names{signals, functions};
    for (const translation& t : names.files())
        write_file(t.file, [&](std::ostream& out) { write_translation(out, t); });
    write_file("trace.gtkw",
               [&](std::ostream& out) { write_save_file(out, signals, names, view); });
}

void results::write(const report& r, const std::vector<sample_log>& samples, call_stack& stacks,
                    const knc::base::clock& clock) {
    console_.close();
    if (!console_) throw std::runtime_error(directory_ + "/console.log cannot be written");
    write_file("report.json", [&](std::ostream& out) {
        // File names and command lines may be no UTF-8, as JSON must be.
        using json = nlohmann::ordered_json;
        out << to_json(r).dump(1, ' ', false, json::error_handler_t::replace) << '\n';
    });
    write_file("report.txt", [&](std::ostream& out) { write_text(out, r); });
    std::ostringstream folded;
    write_folded(folded, samples, stacks, r.image);
    write_file("report.html", [&](std::ostream& out) { write_page(out, r, folded.str()); });
    if (samples.empty()) return;
    write_file("samples.txt",
               [&](std::ostream& out) { write_samples(out, samples, stacks, r.image, clock); });
    write_file("samples.folded", [&](std::ostream& out) { out << folded.str(); });
}

void results::write_file(const std::string& name,
                         const std::function<void(std::ostream&)>& content) const {
    const std::string path = directory_ + '/' + name;
    std::ofstream out{path, std::ios::binary};
    content(out);
    out.close();
    if (!out) throw std::runtime_error(path + " cannot be written");
}

}  // namespace platform
