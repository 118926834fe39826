#include <platform/top_command.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cmath>
#include <fstream>
#include <iostream>
#include <sstream>
#include <system_error>

#include <sys/ioctl.h>
#include <unistd.h>

#include <fmt/format.h>

#include <knc/monitor.h>

#include <platform/input_error.h>

namespace platform {

namespace {

namespace monitor = knc::monitor;
using knc::pcm::PCM;
using host_clock = std::chrono::steady_clock;

constexpr unsigned most_cores = 1024;
constexpr double longest_interval = 1e6;  // seconds

// The place where tables appear: on a terminal each replaces the last one, ten times a second at
// most; elsewhere they follow each other.
class screen {
  public:
    explicit screen(std::ostream& out) : out_(out), terminal_(isatty(STDOUT_FILENO) != 0) {
        winsize size{};
        if (terminal_ && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) width_ = size.ws_col;
    }

    std::size_t width() const { return width_; }
    void legend(const monitor_rows& rows) {
        if (!terminal_) write_monitor_legend(out_, rows, PCM::getInstance()->shape());
    }
    void show(const std::string& text, bool last) {
        const auto now = host_clock::now();
        if (terminal_ && !last && now - shown_ < std::chrono::milliseconds(100)) return;
        shown_ = now;
        out_ << (terminal_ ? "\x1b[H\x1b[J" : "") << text << (terminal_ ? "" : "\n") << std::flush;
    }

  private:
    std::ostream& out_;
    const bool terminal_;
    std::size_t width_ = 0;
    host_clock::time_point shown_{};
};

void attach(const std::string& socket, bool by_msr) {
    PCM* const m = PCM::getInstance();
    if (!socket.empty()) PCM::attach(socket);
    PCM::countBy(by_msr ? PCM::Counts::msr : PCM::Counts::ledger);
    if (m->program() != PCM::Success)
        throw input_error(fmt::format("top: {} (--socket PATH, run --monitor PATH)", m->error()));
}

void write_table(screen& to, const top_options& o, const monitor::snapshot& before,
                 const monitor::snapshot& after, double host_seconds, bool last) {
    const monitor::platform_shape& shape = PCM::getInstance()->shape();
    std::ostringstream text;
    write_monitor_table(text, o.rows, shape, before, after, to.width());
    write_monitor_footer(text, shape, before, after, host_seconds);
    to.show(text.str(), last);
}

}  // namespace

double parse_interval(const std::string& text) {
    constexpr std::pair<const char*, double> units[] = {
        {"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1}};
    double number = 0;
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
    const std::string rest{parsed.ptr, text.data() + text.size()};
    for (const auto& [name, seconds] : units)
        if (parsed.ec == std::errc{} && rest == name && number > 0 &&
            number * seconds <= longest_interval)
            return number * seconds;
    throw input_error(fmt::format("--interval {}: a time is wanted, such as 500us or 2ms", text));
}

std::vector<unsigned> parse_cores(const std::string& text) {
    std::vector<unsigned> cores;
    const char* at = text.data();
    const char* const end = at + text.size();
    for (;;) {
        unsigned first = 0;
        auto [next, error] = std::from_chars(at, end, first);
        unsigned last = first;
        if (error == std::errc{} && next != end && *next == '-') {
            const auto second = std::from_chars(next + 1, end, last);
            next = second.ptr;
            error = second.ec;
        }
        if (error != std::errc{} || last < first || last >= most_cores ||
            (next != end && *next != ','))
            throw input_error(fmt::format("--only {}: cores are wanted, such as 3-5,8", text));
        for (unsigned c = first; c <= last; ++c) cores.push_back(c);
        if (next == end) break;
        at = next + 1;
    }
    std::sort(cores.begin(), cores.end());
    cores.erase(std::unique(cores.begin(), cores.end()), cores.end());
    return cores;
}

int top(const top_options& options, std::ostream& out) {
    top_options o = options;
    attach(o.socket, o.by_msr);
    PCM* const m = PCM::getInstance();
    o.rows.estimated = m->multiplexes();
    std::ofstream file;
    std::ostream& csv_out = o.csv == "-" ? out : file;
    if (!o.csv.empty() && o.csv != "-") {
        file.open(o.csv);
        if (!file)
            throw input_error(
                fmt::format("--csv {}: {}", o.csv, std::generic_category().message(errno)));
    }
    const monitor_csv csv{o.rows, m->shape(), o.csv_style};
    if (!o.csv.empty()) csv.write_header(csv_out);
    const bool shows_table = o.csv != "-";
    screen table{out};
    if (shows_table) table.legend(o.rows);

    m->runFor(0);
    monitor::snapshot before = m->lastSnapshot();
    auto began = host_clock::now();
    for (std::uint64_t n = 0; !before.ended && n != o.count.value_or(~std::uint64_t{0}); ++n) {
        m->runFor(o.interval);
        const monitor::snapshot& after = m->lastSnapshot();
        const bool last = after.ended || n + 1 == o.count.value_or(0);
        const auto now = host_clock::now();
        if (after.cycle != before.cycle) {
            if (!o.csv.empty()) csv.write(csv_out, before, after);
            if (shows_table)
                write_table(table, o, before, after,
                            std::chrono::duration<double>(now - began).count(), last);
        }
        before = after;
        began = now;
    }
    m->cleanup();
    if (!o.csv.empty() && !csv_out.flush())
        throw std::runtime_error(fmt::format("{}: cannot be written", o.csv));
    return 0;
}

}  // namespace platform
