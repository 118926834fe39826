#include <platform/trace_events.h>

#include <cerrno>
#include <stdexcept>
#include <system_error>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <platform/input_error.h>

namespace platform {

namespace {

std::string json_text(std::string_view text) {
    // Names in files may be no UTF-8.
    using json = nlohmann::json;
    return json(text).dump(-1, ' ', false, json::error_handler_t::replace);
}

// The members that say where an event is.
std::string place(const trace_events::track& t) {
    return fmt::format(R"("pid":{},"tid":{})", t.process, t.thread);
}

std::string microseconds(std::uint64_t ps) {
    constexpr std::uint64_t ps_per_us = 1'000'000;
    return fmt::format("{}.{:06}", ps / ps_per_us, ps % ps_per_us);
}

}  // namespace

std::string argument(std::string_view name, std::uint64_t value) {
    return fmt::format(R"("{}":{},)", name, value);
}

std::string argument(std::string_view name, std::string_view text) {
    return fmt::format(R"("{}":{},)", name, json_text(text));
}

std::string hex_argument(std::string_view name, std::uint64_t value) {
    return fmt::format(R"("{}":"{:#x}",)", name, value);
}

trace_events::trace_events(const std::string& path, const knc::base::clock& clock,
                           std::uint64_t most_bytes)
    : path_(path), clock_(clock), most_bytes_(most_bytes), out_(path, std::ios::binary) {
    if (!out_) throw input_error("--out: " + path + ": " + std::generic_category().message(errno));
    write(fmt::format(R"({{"displayTimeUnit":"ns","otherData":{{"clock_hz":{}}},"traceEvents":[)",
                      clock.hz()));
}

void trace_events::open(cycle_t at) {
    open_ = true;
    for (const auto& [t, slices] : begun_)
        for (const slice& s : slices) write_begin(t, at, s);
}

void trace_events::close(cycle_t at) {
    if (!open_) return;
    for (const auto& [t, slices] : begun_)
        for (auto s = slices.rbegin(); s != slices.rend(); ++s) write_end(t, at, *s, {});
    open_ = false;
}

void trace_events::name_process(std::uint32_t process, std::string_view name) {
    write(fmt::format(
        R"({{"ph":"M","name":"process_name","pid":{0},"args":{{"name":{1}}}}},
{{"ph":"M","name":"process_sort_index","pid":{0},"args":{{"sort_index":{0}}}}})",
        process, json_text(name)));
}

void trace_events::name_track(const track& t, std::string_view name) {
    write(fmt::format(
        R"({{"ph":"M","name":"thread_name",{0},"args":{{"name":{1}}}}},
{{"ph":"M","name":"thread_sort_index",{0},"args":{{"sort_index":{2}}}}})",
        place(t), json_text(name), t.thread));
}

void trace_events::begin(const track& t, cycle_t at, const slice& s) {
    begun_[t].push_back(s);
    if (open_) write_begin(t, at, s);
}

void trace_events::end(const track& t, cycle_t at, const std::string& arguments) {
    const auto found = begun_.find(t);
    if (found == begun_.end()) return;
    if (open_) write_end(t, at, found->second.back(), arguments);
    found->second.pop_back();
    if (found->second.empty()) begun_.erase(found);
}

void trace_events::end_all(const track& t, cycle_t at) {
    while (begun_.count(t) != 0) end(t, at);
}

void trace_events::tick(const track& t, cycle_t at, const slice& s) {
    if (!open_) return;
    write(fmt::format(
        R"({{"ph":"X",{},"ts":{},"dur":{},"name":{},"cat":"{}","args":{{{}"clock":{}}}}})",
        place(t), time(at), microseconds(clock_.at(at + 1).value() - clock_.at(at).value()),
        json_text(s.name), s.category, s.arguments, at));
}

void trace_events::instant(const track& t, cycle_t at, const slice& s) {
    if (!open_) return;
    write(fmt::format(
        R"({{"ph":"i","s":"t",{},"ts":{},"name":{},"cat":"{}","args":{{{}"clock":{}}}}})", place(t),
        time(at), json_text(s.name), s.category, s.arguments, at));
}

void trace_events::arrow_from(const track& t, cycle_t at, std::string_view name,
                              std::uint64_t arrow) {
    if (!open_) return;
    write(fmt::format(R"({{"ph":"s",{},"ts":{},"name":{},"cat":"message","id":{}}})", place(t),
                      time(at), json_text(name), arrow));
}

void trace_events::arrow_to(const track& t, cycle_t at, std::string_view name,
                            std::uint64_t arrow) {
    if (!open_) return;
    write(fmt::format(R"({{"ph":"f","bp":"e",{},"ts":{},"name":{},"cat":"message","id":{}}})",
                      place(t), time(at), json_text(name), arrow));
}

void trace_events::finish() {
    out_ << "\n]}\n";
    out_.close();
    if (!out_) throw std::runtime_error(path_ + " cannot be written");
}

// The first line is no event.
void trace_events::write(const std::string& event) {
    const std::string_view before = bytes_ == 0 ? "" : first_ ? "\n" : ",\n";
    if (bytes_ != 0) first_ = false;
    out_ << before << event;
    bytes_ += before.size() + event.size();
}

void trace_events::write_begin(const track& t, cycle_t at, const slice& s) {
    const std::string id = t.beside == 0 ? "" : fmt::format(R"("id":"{:#x}",)", t.beside);
    write(fmt::format(R"({{"ph":"{}",{}{},"ts":{},"name":{},"cat":"{}","args":{{{}"clock":{}}}}})",
                      t.beside == 0 ? 'B' : 'b', id, place(t), time(at), json_text(s.name),
                      s.category, s.arguments, at));
}

void trace_events::write_end(const track& t, cycle_t at, const slice& s,
                             const std::string& arguments) {
    const std::string id = t.beside == 0 ? "" : fmt::format(R"("id":"{:#x}",)", t.beside);
    write(fmt::format(R"({{"ph":"{}",{}{},"ts":{},"name":{},"cat":"{}","args":{{{}"until":{}}}}})",
                      t.beside == 0 ? 'E' : 'e', id, place(t), time(at), json_text(s.name),
                      s.category, arguments, at));
}

std::string trace_events::time(cycle_t c) const {
    return microseconds(clock_.at(c).value());
}

}  // namespace platform
