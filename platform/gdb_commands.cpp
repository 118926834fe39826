#include <platform/gdb_commands.h>

#include <algorithm>
#include <exception>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include <platform/gdb_packet.h>

namespace platform {

namespace {

constexpr const char* monitor_help =
    "counts          events that the current thread has counted\n"
    "msr N [VALUE]   reads MSR N of the current thread, or writes it\n"
    "trace on|off    begins or ends the waveform of the signals that the run traces\n"
    "cycle           the cycle of the current thread's core\n"
    "quit            ends the run\n"
    "help            this text\n";

std::string_view take_blanks(std::string_view text) {
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    return text;
}

// A number as C writes it.
std::optional<std::uint64_t> number_in(std::string_view text) {
    const std::string copy{text};
    if (copy.empty() || copy[0] == '-') return {};
    try {
        std::size_t used = 0;
        const std::uint64_t value = std::stoull(copy, &used, 0);
        if (used == copy.size()) return value;
    } catch (const std::exception&) {
    }
    return {};
}

std::string access_msr(gdb_target_if& target, std::size_t thread, std::string_view text) {
    constexpr const char* wanted = "msr wants: N [VALUE]\n";
    const auto number = number_in(take_until(text, ' '));
    text = take_blanks(text);
    if (!number || *number > ~std::uint32_t{0}) return wanted;
    const auto n = static_cast<std::uint32_t>(*number);
    std::uint64_t value = 0;
    bool done = false;
    if (text.empty()) {
        done = target.read_msr(thread, n, value);
    } else {
        const auto given = number_in(text);
        if (!given) return wanted;
        value = *given;
        done = target.write_msr(thread, n, value);
    }
    if (!done)
        return fmt::format(
            "MSR {:#x}: #GP(0), or the thread is between the two instructions of a pair\n", n);
    return fmt::format("MSR {:#x} = {:#x}\n", n, value);
}

}  // namespace

std::string run_gdb_command(gdb_target_if& target, std::size_t thread, const std::string& command) {
    std::string_view rest = take_blanks(command);
    const std::string_view name = take_until(rest, ' ');
    rest = take_blanks(rest);
    std::string text;
    if (name == "counts" && rest.empty()) {
        text = target.counts(thread);
        if (text.empty()) text = "nothing\n";
    } else if (name == "msr") {
        text = access_msr(target, thread, rest);
    } else if (name == "cycle" && rest.empty()) {
        text = fmt::format("{}\n", target.cycle(thread));
    } else if (name == "trace" && (rest == "on" || rest == "off")) {
        text = target.trace(rest == "on") ? fmt::format("the trace is {}\n", rest)
                                          : "the run traces no signals (--trace)\n";
    } else if (name == "quit" && rest.empty()) {
        target.end();
        text = "the run ends when it goes on\n";
    } else if (name == "help" || name.empty()) {
        text = monitor_help;
    } else {
        text =
            fmt::format("no command '{}': counts, msr, trace on|off, cycle, quit, help\n", command);
    }
    return text;
}

}  // namespace platform
