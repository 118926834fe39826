#include <platform/log_choice.h>

#include <charconv>
#include <string_view>

#include <fmt/format.h>

#include <platform/input_error.h>

namespace platform {

namespace {

constexpr std::size_t per_core = knc::base::threads_per_core;

// The parts of a comma list; none of an empty text.
std::vector<std::string> parts(const std::string& list) {
    std::vector<std::string> all;
    for (std::size_t at = 0; at < list.size();) {
        const std::size_t comma = std::min(list.find(',', at), list.size());
        all.push_back(list.substr(at, comma - at));
        at = comma + 1;
    }
    return all;
}

bool number(std::string_view text, std::size_t below, std::size_t& n) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
    return error == std::errc{} && end == text.data() + text.size() && n < below;
}

// "1": all threads of a core; "1.2": one.
void choose(std::vector<bool>& threads, const std::string& text) {
    const std::size_t dot = text.find('.');
    std::size_t core = 0, thread = 0;
    const bool one = dot != std::string::npos;
    if (!number(std::string_view{text}.substr(0, dot), threads.size() / per_core, core) ||
        (one && !number(std::string_view{text}.substr(dot + 1), per_core, thread)))
        throw input_error(fmt::format(
            "log.threads: '{}' is no thread (CORE.THREAD) and no core of this card", text));
    for (std::size_t t = 0; t < per_core; ++t)
        if (!one || t == thread) threads[core * per_core + t] = true;
}

}  // namespace

log_choice parse_log(const log_settings& s, std::size_t tiles) {
    log_choice c;
    for (const std::string& kind : parts(s.kinds)) {
        if (kind == "instructions")
            c.instructions = true;
        else if (kind == "msr")
            c.msr = true;
        else if (kind == "apic")
            c.apic = true;
        else if (kind == "exceptions")
            c.exceptions = true;
        else
            throw input_error(fmt::format(
                "log: no kind '{}' (there are instructions, msr, apic, exceptions)", kind));
    }
    c.threads.resize(tiles * per_core, s.threads.empty());
    for (const std::string& t : parts(s.threads)) choose(c.threads, t);
    c.functions = parts(s.functions);
    c.from = s.from;
    c.to = s.to;
    c.most_lines = s.lines;
    if (s.syntax != "att" && s.syntax != "intel")
        throw input_error(fmt::format("log.syntax: '{}', att or intel is wanted", s.syntax));
    c.style = s.syntax == "att" ? syntax::att : syntax::intel;
    return c;
}

}  // namespace platform
