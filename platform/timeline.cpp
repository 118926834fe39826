#include <platform/timeline.h>

#include <algorithm>
#include <tuple>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include <knc/apic/interrupt_message.h>

#include <platform/event_names.h>

namespace platform {

namespace base = knc::base;

namespace {

// In a tile's process, above the threads' tracks.
constexpr std::uint32_t first_miss = 100'000;
constexpr std::uint32_t most_misses = 2'000;
constexpr std::uint32_t first_card = 500;
constexpr std::uint64_t free_slot = ~std::uint64_t{0};

std::size_t index_of(base::thread_number n) {
    return std::size_t{n.core} * base::threads_per_core + n.thread;
}

bool is_thread(base::thread_number n) {
    return n.core != base::no_thread.core;
}

}  // namespace

timeline::timeline(const std::string& directory, const timeline_settings& choice, std::size_t tiles,
                   const base::clock& clock, complain c)
    : choice_(choice),
      complain_(std::move(c)),
      events_(directory + "/timeline.json", clock, choice.bytes),
      threads_(tiles * base::threads_per_core),
      of_tile_(tiles) {
    if (choice_.from == 0) events_.open(0);
}

void timeline::take(const record& r) {
    if (over_) return;
    if (!events_.is_open() && r.clock >= choice_.from) events_.open(choice_.from);
    if (r.clock >= choice_.to || events_.is_full()) {
        const bool full = r.clock < choice_.to;
        const base::cycle_t at = full ? last_ : choice_.to;
        events_.close(at);
        over_ = true;
        if (full)
            complain_(fmt::format("timeline.json ends at clock {}: it has timeline.bytes = {}", at,
                                  choice_.bytes));
        return;
    }
    last_ = r.clock;
    std::visit([&](const auto& s) { on(r, s); }, r.what);
}

void timeline::finish(base::cycle_t end) {
    if (!over_) {
        if (!events_.is_open() && end >= choice_.from) events_.open(choice_.from);
        events_.close(std::min(end, choice_.to));
    }
    events_.finish();
}

timeline_thread& timeline::thread_of(base::thread_number n) {
    auto& t = threads_[index_of(n)];
    if (!t) {
        name_tile(n.core);
        t = std::make_unique<timeline_thread>(n, events_);
    }
    return *t;
}

void timeline::name_tile(std::uint16_t core) {
    if (std::exchange(of_tile_[core].named, true)) return;
    events_.name_process(core + 1u, fmt::format("tile {}", core));
}

// ---- misses

// The MSHR with the lowest number that is free has the line.
void timeline::on(const record& r, const steps::miss_begin& s) {
    name_tile(r.thread.core);
    tile_state& t = of_tile_[r.thread.core];
    const auto slot = std::find(t.lines.begin(), t.lines.end(), free_slot);
    const auto n = static_cast<std::size_t>(slot - t.lines.begin());
    if (slot == t.lines.end())
        t.lines.push_back(s.line);
    else
        *slot = s.line;
    events_.begin(miss_track(r.thread.core, n), r.clock,
                  {fmt::format("{} {:#x}", s.to_write ? "write" : "read", s.line), "miss",
                   argument("thread", std::uint64_t{r.thread.thread})});
}

void timeline::on(const record& r, const steps::miss_end& s) {
    tile_state& t = of_tile_[r.thread.core];
    const auto slot = std::find(t.lines.begin(), t.lines.end(), s.line);
    if (slot == t.lines.end()) return;
    *slot = free_slot;
    events_.end(miss_track(r.thread.core, static_cast<std::size_t>(slot - t.lines.begin())),
                r.clock);
}

trace_events::track timeline::miss_track(std::uint16_t core, std::size_t slot) {
    const auto number = static_cast<std::uint32_t>(slot);
    const trace_events::track t{core + 1u, first_miss + core * most_misses + number, 0};
    std::size_t& named = of_tile_[core].named_slots;
    for (; named <= slot; ++named) events_.name_track(t, fmt::format("L2 miss {}", named));
    return t;
}

void timeline::on(const record& r, const steps::core_reset& s) {
    tile_state& t = of_tile_[r.thread.core];
    for (std::size_t n = 0; n < t.lines.size(); ++n)
        events_.end_all(miss_track(r.thread.core, n), r.clock);
    t.lines.clear();
    arrows_.clear();
    if (threads_[index_of(r.thread)]) thread_of(r.thread).on(r.clock, s);
}

// ---- messages

// One that goes to several threads is one slice with several arrows.
void timeline::on(const record& r, const steps::message_sent& s) {
    if (!events_.is_open()) return;
    const std::string name = message_name(s.message);
    const trace_events::track t = is_thread(r.thread)
                                      ? thread_of(r.thread).track(timeline_thread::kind::messages)
                                      : card_track();
    if (std::tie(sent_.track, sent_.clock, sent_.message) != std::tie(t, r.clock, s.message))
        events_.tick(t, r.clock, {"send " + name, "message", {}});
    sent_ = {t, r.clock, s.message};
    events_.arrow_from(t, r.clock, name, ++arrow_);
    arrows_.emplace(std::tuple{index_of(s.to), s.arrives, s.message}, arrow_);
}

void timeline::on(const record& r, const steps::message_received& s) {
    const std::string name = message_name(s.message);
    const std::uint16_t from = knc::apic::decode(s.message).source_id;
    const bool external = from == knc::apic::interrupt_message::external;
    const trace_events::track t = thread_of(r.thread).track(timeline_thread::kind::messages);
    events_.tick(t, r.clock,
                 {"receive " + name, "message",
                  external ? argument("from", "I/O APIC, host")
                           : argument("from_apic_id", std::uint64_t{from})});
    const auto arrow = arrows_.find({index_of(r.thread), r.clock, s.message});
    if (arrow == arrows_.end()) return;
    events_.arrow_to(t, r.clock, name, arrow->second);
    arrows_.erase(arrow);
}

void timeline::on(const record& r, const steps::mark& s) {
    events_.instant(card_track(), r.clock, {fmt::format("mark {}", s.number), "mark", {}});
}

// Of what belongs to no thread.
trace_events::track timeline::card_track() {
    const auto process = static_cast<std::uint32_t>(of_tile_.size() + 1);
    const trace_events::track t{process, first_card, 0};
    if (!std::exchange(card_named_, true)) {
        events_.name_process(process, "card");
        events_.name_track(t, "card");
    }
    return t;
}

}  // namespace platform
