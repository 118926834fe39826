#include <platform/run_options.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <system_error>

#include <fmt/format.h>

#include <platform/checkpoint.h>
#include <platform/fast_forward.h>
#include <platform/input_error.h>
#include <platform/keys.h>
#include <platform/linux_image.h>
#include <platform/loader.h>
#include <platform/preset.h>
#include <platform/scenario.h>

namespace platform {

namespace fs = std::filesystem;

namespace {

void set_from_arguments(settings& s, const run_options& o) {
    for (const std::string& assignment : o.set) {
        const auto equals = assignment.find('=');
        if (equals == std::string::npos)
            throw input_error(fmt::format("--set {}: key=value is wanted", assignment));
        try {
            set_key(s, assignment.substr(0, equals), assignment.substr(equals + 1));
        } catch (const key_error& e) {
            throw input_error(fmt::format("--set {}: {}", assignment, e.what()));
        }
    }
    if (o.host_threads) {
        try {
            set_key(s, "sim.host_threads", *o.host_threads);
        } catch (const key_error& e) {
            throw input_error(fmt::format("--host-threads {}: {}", *o.host_threads, e.what()));
        }
    }
    if (o.trace) s.trace.scopes = *o.trace;
    if (o.profile) s.profile.functions = true;
    if (o.log) s.log.kinds = *o.log;
    if (o.timeline) s.timeline.wanted = true;
    if (o.fast_forward) s.fast_forward.to = fast_forward_end(*o.fast_forward);
    if (o.checkpoint) s.checkpoint.file = *o.checkpoint;
    if (o.restore) s.checkpoint.restore = *o.restore;
}

console_choice console_of(const run_options& o, const scenario& plan) {
    if (!o.console) return plan.console.value_or(console_choice{});
    try {
        return parse_console(*o.console);
    } catch (const input_error& e) {
        throw input_error(fmt::format("--console: {}", e.what()));
    }
}

// Adds the program in `file` to those whose functions are known.
void add_symbols(run_request& r, const std::string& file) {
    r.symbols.push_back(read_program(read_file(file), file));
    r.files.push_back(file);
}

}  // namespace

namespace {

// PLACE or PLACE,wait.
template <class Choice>
Choice served_at(const std::string& text) {
    constexpr std::string_view option = ",wait";
    const bool wait = text.size() >= option.size() &&
                      text.compare(text.size() - option.size(), option.size(), option) == 0;
    return {wait ? text.substr(0, text.size() - option.size()) : text, wait};
}

}  // namespace

std::string beside(const std::string& plan, const std::string& file) {
    return (fs::path{plan}.parent_path() / file).lexically_normal().string();
}

std::string read_file(const std::string& path) {
    std::error_code error;
    if (fs::is_directory(path, error)) throw input_error(path + ": is a directory");
    // It may have no end.
    if (fs::is_character_file(path, error) || fs::is_block_file(path, error))
        throw input_error(path + ": is a device");
    std::ifstream in{path, std::ios::binary};
    if (!in) throw input_error(path + ": " + std::generic_category().message(errno));
    std::string content;
    char part[0x10000];
    while (in.read(part, sizeof part) || in.gcount() != 0)
        content.append(part, static_cast<std::size_t>(in.gcount()));
    if (in.bad()) throw input_error(path + ": cannot be read");
    return content;
}

run_request prepare(const run_options& o) {
    run_request r;
    scenario plan;
    std::string image_path = o.file;
    std::string content = read_file(o.file);
    if (fs::path{o.file}.extension() == scenario_suffix) {
        plan = read_scenario(content, o.file);
        if (!plan.image && !o.image)
            throw input_error(o.file + ": key image: a scenario names the image to run");
        image_path = o.image ? *o.image : beside(o.file, *plan.image);
        content = read_file(image_path);
        r.files.push_back(o.file);
    } else if (o.image) {
        throw input_error("--image: takes the place of a scenario's image");
    } else if (!looks_like_elf(content) && !looks_like_bzimage(content)) {
        throw input_error(fmt::format("{}: neither an ELF image, a bzImage nor a scenario (*{})",
                                      o.file, scenario_suffix));
    }

    r.files.push_back(image_path);
    r.preset = o.preset.value_or(plan.preset.value_or(std::string{default_preset}));
    try {
        r.config = preset_settings(r.preset);
    } catch (const input_error& e) {
        throw input_error(o.preset ? fmt::format("--preset: {}", e.what())
                                   : fmt::format("{}: key preset: {}", o.file, e.what()));
    }
    set_all(r.config, plan.keys);
    for (std::string* const file : {&r.config.checkpoint.file, &r.config.checkpoint.restore})
        if (!file->empty()) *file = beside(o.file, *file);
    set_from_arguments(r.config, o);
    try {
        check_consistency(r.config);
    } catch (const key_error& e) {
        throw input_error(plan.keys.empty() ? std::string{e.what()}
                                            : fmt::format("{}: {}", o.file, e.what()));
    }

    r.cmdline = o.cmdline.value_or(plan.cmdline.value_or(""));
    r.firmware = looks_like_bzimage(content) ? read_bzimage(std::move(content), image_path)
                                             : read_image(std::move(content), image_path);
    if (o.initrd || plan.initrd) {
        r.files.push_back(o.initrd ? *o.initrd : beside(o.file, *plan.initrd));
        r.initrd = read_file(r.files.back());
    }
    for (const std::string& file : plan.symbols) add_symbols(r, beside(o.file, file));
    for (const std::string& file : o.symbols) add_symbols(r, file);
    check_placement(r.firmware, r.cmdline, r.initrd.size(), r.config.card.memory_size);
    check_code_size(r.firmware, r.config.card.profile);
    r.expectations = std::move(plan.expectations);
    r.session = std::move(plan.session);
    r.console = console_of(o, plan);
    r.msr = o.msr ? *o.msr : plan.msr_socket ? beside(o.file, *plan.msr_socket) : "";
    r.monitor = served_at<monitor_choice>(o.monitor.value_or(""));
    r.gdb = parse_gdb(o.gdb.value_or(""));
    r.msr_accesses = std::move(plan.msr);
    check_threads(r.msr_accesses, r.config.card.tiles * knc::base::threads_per_core);
    r.fast_forward = fast_forward_of(r.config.fast_forward, r.firmware);
    if (r.fast_forward.until != knc::card::fast_forward_control::end::none && !r.gdb.place.empty())
        throw input_error("--gdb: gdb watches instructions in time, so there is no fast-forward");
    prepare_checkpoints(r);
    r.log = parse_log(r.config.log, r.config.card.tiles);
    r.log.front_end = r.config.card.pmu.front_end;
    r.out = o.out;
    r.quiet = o.quiet;
    if (!r.config.trace.scopes.empty() && r.out.empty())
        throw input_error(fmt::format("{}a trace needs a directory to be written to (--out)",
                                      o.trace ? "" : o.file + ": "));
    if (r.config.timeline.wanted && r.out.empty())
        throw input_error("a time line needs a directory to be written to (--out)");
    return r;
}

}  // namespace platform
