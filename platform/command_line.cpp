#include <platform/command_line.h>

#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include <boost/lexical_cast.hpp>
#include <boost/program_options.hpp>
#include <fmt/format.h>
#include <systemc>

#include <platform/disassembly.h>
#include <platform/input_error.h>
#include <platform/listing.h>
#include <platform/preset.h>
#include <platform/run_options.h>
#include <platform/sweep_command.h>
#include <platform/sweep_worker.h>
#include <platform/top_command.h>
#include <platform/vcd_command.h>

namespace platform {

namespace po = boost::program_options;

namespace {

constexpr int status_failed = 1;
constexpr int status_usage = 2;

const char* const usage =
    "usage: knc-vp run SCENARIO.toml|IMAGE [options]       run firmware (ELF) or a Linux kernel "
    "(bzImage, vmlinux) on a card\n"
    "       knc-vp list TABLE [--preset NAME]              presets, keys, events, metrics, "
    "registers, signals, modules, scenarios\n"
    "       knc-vp sweep SWEEP.toml [options]              run firmware once for each value of its "
    "keys\n"
    "       knc-vp top [options]                           watch the counts of a running card\n"
    "       knc-vp disassemble IMAGE.elf [options]         print code as the card decodes it\n"
    "       knc-vp vcd check FILE... [options]             check waveform files\n"
    "       knc-vp --version | --help\n";
const char* const status_help =
    "\nexit status: 0  the firmware exited 0, the session is through and all expectations hold; "
    "waveforms are well formed\n"
    "             1  otherwise\n"
    "             2  unusable arguments or input\n"
    "             3  deadlock, limit reached, unsupported instruction; the threads' state "
    "is printed\n";

using arguments = std::vector<std::string>;

auto* text(const char* name) {
    return po::value<std::string>()->value_name(name);
}
auto* texts(const char* name) {
    return po::value<arguments>()->value_name(name)->composing();
}

po::options_description run_description() {
    po::options_description d("options of run");
    auto add = d.add_options();
    add("preset", text("NAME"), "card to start from (default mini)");
    add("image", text("FILE"), "image in the place of the scenario's");
    add("cmdline", text("TEXT"), "command line of the firmware or the kernel");
    add("initrd", text("FILE"), "initial RAM disk of a Linux kernel");
    add("symbols", texts("FILE"),
        "ELF file whose functions are known: kernel, or a program of it (repeatable)");
    add("profile", "report instructions and clocks by function");
    add("console", text("WHERE"),
        "where the console ends: stdio (default), pty, socket:PATH, file:PATH, none");
    add("msr", text("PATH"), "serve the threads' MSRs to programs of the host at this socket");
    add("monitor", text("PATH[,wait]"),
        "serve knc-vp top and other monitors at this socket; wait: for the first one");
    add("gdb", text("PORT|PATH[,wait][,i386|,i8086]"),
        "serve gdb at this port of this host, or at this socket; wait: for it, before the run; "
        "i386, i8086: for 32-bit, 16-bit code");
    add("fast-forward", text("to=END"),
        "execute without time from the start on, until marker N, instructions N, pc ADDRESS or "
        "symbol NAME");
    add("checkpoint", text("FILE"), "write a checkpoint when the first fast-forward ends");
    add("restore", text("FILE"),
        "continue the run of this checkpoint, instead of starting the image");
    add("set", texts("KEY=VALUE"), "configuration key (repeatable)");
    add("host-threads", text("N"),
        "most threads of this host that run tiles (default: as many as pay); 0, 1: one");
    add("out", text("DIR"), "directory for report, console, trace and samples");
    add("trace", text("SCOPES"),
        "signals to trace: all, names, prefixes or patterns, comma separated; needs --out");
    add("log", text("KINDS"),
        "lines about instructions, msr, apic, exceptions, comma separated; in log.txt with --out, "
        "else on standard error");
    add("timeline", "write what the threads do to timeline.json, for Perfetto; needs --out");
    add("quiet", "no progress line, no summary, no warnings");
    return d;
}

po::options_description sweep_description() {
    po::options_description d("options of sweep");
    auto add = d.add_options();
    add("out", text("DIR"), "directory for the runs and the table (default: SWEEP.sweep)");
    add("jobs", po::value<std::uint32_t>()->value_name("N"),
        "runs at a time (default: as many as the engine has room for)");
    add("engine", text("ENGINE"), "auto (default), slurm, mpi or local");
    add("dry-run", "list the runs and which of them are to do; write nothing");
    return d;
}

po::options_description list_description() {
    po::options_description d("options of list");
    d.add_options()("preset", text("NAME"), "card whose values or signals are listed");
    return d;
}

po::options_description top_description() {
    po::options_description d("options of top");
    auto add = d.add_options();
    add("socket", text("PATH"), "the socket of run --monitor (default: $KNC_VP_SOCKET)");
    add("interval", text("TIME"), "simulated time of an interval, such as 500us (default 1ms)");
    add("count", po::value<std::uint64_t>()->value_name("N"), "end after so many intervals");
    add("threads", "rows of threads");
    add("cores", "rows of cores (default, with the total)");
    add("total", "the row of the card");
    add("only", text("LIST"), "these cores, such as 3-5,8");
    add("all-columns", "also columns that only other processors have");
    add("source", text("SOURCE"),
        "ledger (default): the platform's counts; msr: those of the guest's own counters");
    add("csv", text("FILE"), "write a file of comma-separated values; -: standard output");
    add("csv-style", text("STYLE"), "knc (default) or pcm: as Intel's pcm writes it");
    add("csv-units", "a third line of headers with units");
    return d;
}

po::options_description disassemble_description() {
    po::options_description d("options of disassemble");
    auto add = d.add_options();
    add("range", text("RANGE"), "A-B, from A on and below B: addresses or symbols; or one symbol");
    add("syntax", text("SYNTAX"), "att (default) or intel");
    return d;
}

po::options_description check_description() {
    po::options_description d("options of vcd check");
    d.add_options()("expect-changes", texts("NAME...")->multitoken(),
                    "signals, by full name or its end, of which one at least must change");
    return d;
}

void print_help() {
    std::cout << usage << '\n'
              << run_description() << '\n'
              << sweep_description() << '\n'
              << top_description() << '\n'
              << list_description() << '\n'
              << disassemble_description() << '\n'
              << check_description() << status_help;
}

// Parses `args` with `shown` and any number of positional arguments, which go to `positional`.
po::variables_map parse(const arguments& args, const po::options_description& shown,
                        arguments& positional) {
    po::options_description all;
    all.add(shown);
    all.add_options()("positional", po::value<arguments>(&positional));
    po::positional_options_description places;
    places.add("positional", -1);
    po::variables_map map;
    // No guessing: an abbreviation that works today may be ambiguous tomorrow.
    const int style = po::command_line_style::unix_style & ~po::command_line_style::allow_guessing;
    po::store(po::command_line_parser(args).options(all).positional(places).style(style).run(),
              map);
    po::notify(map);
    return map;
}

template <typename T>
std::optional<T> option(const po::variables_map& map, const char* name) {
    if (map.count(name) == 0) return {};
    return map[name].as<T>();
}

int run_command(const arguments& args) {
    arguments files;
    const po::variables_map map = parse(args, run_description(), files);
    if (files.size() != 1) throw input_error("run wants one scenario or image");
    run_options o;
    o.file = files[0];
    o.preset = option<std::string>(map, "preset");
    o.image = option<std::string>(map, "image");
    o.cmdline = option<std::string>(map, "cmdline");
    o.initrd = option<std::string>(map, "initrd");
    o.trace = option<std::string>(map, "trace");
    o.log = option<std::string>(map, "log");
    o.msr = option<std::string>(map, "msr");
    o.monitor = option<std::string>(map, "monitor");
    o.gdb = option<std::string>(map, "gdb");
    o.fast_forward = option<std::string>(map, "fast-forward");
    o.checkpoint = option<std::string>(map, "checkpoint");
    o.restore = option<std::string>(map, "restore");
    o.symbols = option<arguments>(map, "symbols").value_or(arguments{});
    o.profile = map.count("profile") != 0;
    o.timeline = map.count("timeline") != 0;
    o.console = option<std::string>(map, "console");
    o.set = option<arguments>(map, "set").value_or(arguments{});
    o.out = option<std::string>(map, "out").value_or("");
    o.quiet = map.count("quiet") != 0;
    o.host_threads = option<std::string>(map, "host-threads");
    return run(prepare(o));
}

int sweep_command(const arguments& args) {
    arguments files;
    const po::variables_map map = parse(args, sweep_description(), files);
    if (files.size() != 1) throw input_error("sweep wants one sweep file");
    sweep_options o;
    o.file = files[0];
    o.out = option<std::string>(map, "out").value_or("");
    o.engine = option<std::string>(map, "engine").value_or(o.engine);
    if (const auto jobs = option<std::uint32_t>(map, "jobs")) {
        if (*jobs == 0) throw input_error("--jobs 0: a number above 0 is wanted");
        o.jobs = *jobs;
    }
    o.dry_run = map.count("dry-run") != 0;
    return sweep(o, std::cout);
}

// What the engines of a sweep start.
int sweep_worker_command(const arguments& args) {
    arguments words;
    parse(args, po::options_description{}, words);
    std::uint64_t count = ~std::uint64_t{0};
    if (words.empty() || words.size() > 2 ||
        (words.size() == 2 && !boost::conversion::try_lexical_convert(words[1], count)))
        throw input_error("sweep-worker wants DIR [COUNT]");
    sweep_worker(words[0], count);
    return 0;
}

int list_command(const arguments& args) {
    arguments names;
    const po::variables_map map = parse(args, list_description(), names);
    if (names.size() != 1) throw input_error(fmt::format("list wants one of {}", listings));
    list(names[0], option<std::string>(map, "preset").value_or(std::string{default_preset}),
         std::cout);
    return 0;
}

int top_command(const arguments& args) {
    arguments none;
    const po::variables_map map = parse(args, top_description(), none);
    if (!none.empty()) throw input_error(fmt::format("top: what is '{}'?", none[0]));
    top_options o;
    o.socket = option<std::string>(map, "socket").value_or("");
    if (const auto interval = option<std::string>(map, "interval"))
        o.interval = parse_interval(*interval);
    o.count = option<std::uint64_t>(map, "count");
    const bool threads = map.count("threads") != 0, cores = map.count("cores") != 0,
               total = map.count("total") != 0;
    if (threads || cores || total) {
        o.rows.threads = threads;
        o.rows.cores = cores;
        o.rows.total = total;
    }
    if (const auto only = option<std::string>(map, "only")) o.rows.only = parse_cores(*only);
    o.rows.all_columns = map.count("all-columns") != 0;
    const std::string source = option<std::string>(map, "source").value_or("ledger");
    if (source != "ledger" && source != "msr")
        throw input_error(fmt::format("--source {}: ledger or msr is wanted", source));
    o.by_msr = source == "msr";
    o.csv = option<std::string>(map, "csv").value_or("");
    const std::string style = option<std::string>(map, "csv-style").value_or("knc");
    if (style != "knc" && style != "pcm")
        throw input_error(fmt::format("--csv-style {}: knc or pcm is wanted", style));
    o.csv_style = {style == "pcm", map.count("csv-units") != 0};
    return top(o, std::cout);
}

int disassemble_command(const arguments& args) {
    arguments files;
    const po::variables_map map = parse(args, disassemble_description(), files);
    if (files.size() != 1) throw input_error("disassemble wants one image");
    const std::string syntax_name = option<std::string>(map, "syntax").value_or("att");
    if (syntax_name != "att" && syntax_name != "intel")
        throw input_error(fmt::format("--syntax {}: att or intel is wanted", syntax_name));
    const image i = read_image(read_file(files[0]), files[0]);
    const auto range = option<std::string>(map, "range");
    disassemble(i, range ? parse_code_range(i, *range) : code_range{},
                syntax_name == "att" ? syntax::att : syntax::intel, std::cout);
    return 0;
}

int vcd_command(arguments args) {
    if (args.empty() || args[0] != "check") throw input_error("vcd wants: check FILE...");
    args.erase(args.begin());
    arguments files;
    const po::variables_map map = parse(args, check_description(), files);
    if (files.empty()) throw input_error("vcd check wants a file");
    return check_waveforms(files, option<arguments>(map, "expect-changes").value_or(arguments{}),
                           std::cout, std::cerr);
}

int dispatch(arguments args) {
    if (args.empty()) throw input_error("no command (knc-vp --help)");
    const std::string command = args[0];
    args.erase(args.begin());
    for (const std::string& a : args) {
        if (a == "--help" || a == "-h") {
            print_help();
            return 0;
        }
    }
    if (command == "run") return run_command(args);
    if (command == "sweep") return sweep_command(args);
    if (command == "sweep-worker") return sweep_worker_command(args);
    if (command == "list") return list_command(args);
    if (command == "top") return top_command(args);
    if (command == "disassemble") return disassemble_command(args);
    if (command == "vcd") return vcd_command(args);
    if (command == "--version") {
        std::cout << "knc-vp " KNC_VERSION "\n";
        return 0;
    }
    if (command == "--help" || command == "-h") {
        print_help();
        return 0;
    }
    throw input_error(fmt::format("no command '{}' (knc-vp --help)", command));
}

// SystemC's own remarks are nothing to the user; its errors become one line.
void report_systemc(const sc_core::sc_report& r, const sc_core::sc_actions&) {
    if (r.get_severity() == sc_core::SC_INFO) return;
    const std::string text = fmt::format("{}: {}", r.get_msg_type(), r.get_msg());
    if (r.get_severity() != sc_core::SC_WARNING) throw std::runtime_error(text);
    std::cerr << "knc-vp: warning: " << text << '\n';
}

}  // namespace

int execute(int argc, const char* const* argv) {
    sc_core::sc_report_handler::set_handler(report_systemc);
    int status = status_failed;
    std::string problem;
    try {
        status = dispatch({argv + 1, argv + argc});
        if (!std::cout.flush()) problem = "standard output cannot be written";
    } catch (const input_error& e) {
        problem = e.what();
        status = status_usage;
    } catch (const po::error& e) {
        problem = e.what();
        status = status_usage;
    } catch (const std::exception& e) {
        problem = e.what();
    }
    if (!problem.empty()) std::cerr << "knc-vp: " << problem << '\n';
    return status;
}

}  // namespace platform
