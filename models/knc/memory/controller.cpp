#include <knc/memory/controller.h>

#include <algorithm>
#include <stdexcept>

#include <knc/base/address_map.h>

namespace knc::memory {

namespace {

constexpr std::uint32_t line_bytes = base::line_bytes;
constexpr std::uint32_t interfaces = 2;
constexpr std::uint32_t burst_bytes = 8 * 4;  // eight transfers of 32 bits

std::uint32_t channels_of(const controller_parameters& p) {
    return p.lockstep ? 1 : interfaces;
}

gddr5_layout layout_of(const controller_parameters& p) {
    const std::uint32_t lines = p.row_bytes * (interfaces / channels_of(p)) / line_bytes;
    return {channels_of(p), p.organisation.banks, p.organisation.groups, lines, p.group_lines};
}

gddr5_organisation organisation_of(const controller_parameters& p) {
    gddr5_organisation o = p.organisation;
    o.bursts_per_line = line_bytes / burst_bytes / (interfaces / channels_of(p));
    o.age_limit = to_ck(p.age_limit_ps, p.gddr5.data_rate_mtps);
    return o;
}

}  // namespace

controller::controller(const controller_parameters& p, std::uint64_t core_hz)
    : clock_(core_hz, gddr5_timing(p.gddr5).ck_hz),
      front_end_(to_ck(p.front_end_ps, p.gddr5.data_rate_mtps)),
      back_end_(to_ck(p.back_end_ps, p.gddr5.data_rate_mtps)),
      latest_(clock_.core_after(front_end_) - 1),
      layout_(layout_of(p)),
      channels_(channels_of(p), gddr5_channel(gddr5_timing(p.gddr5), organisation_of(p))) {}

bool controller::submit(std::uint64_t line, bool write, base::cycle_t clock, std::uint64_t id) {
    if (clock + latest_ < now_) throw std::logic_error("memory controller: request in the past");
    if (clock > now_) advance(clock);
    const gddr5_place place = layout_(line);
    gddr5_channel& channel = channels_[place.channel];
    const ck_t made = clock < now_ ? clock_.ck(clock) : now_ck_;
    const bool late = made < ahead_ck_;
    const ck_t arrival = made + front_end_;
    if (!write && (channel.holds_write(place.bank, line) || (late && held_write_at(line, made)))) {
        expect({std::max(clock_.core(arrival + back_end_), clock + 1), submitted_++, id});
        ++forwarded_;
        return true;
    }
    if (!channel.has_room(write, late ? waited_at(place.channel, write, made) : 0)) return false;
    channel.push({line, submitted_++, id, arrival, place.row, place.bank, write});
    return true;
}

// How many requests were in the queue at CK `at` which have been served since.
std::size_t controller::waited_at(std::uint32_t channel, bool write, ck_t at) const {
    return static_cast<std::size_t>(
        std::count_if(served_.begin(), served_.end(), [&](const served& s) {
            return s.command >= at && s.channel == channel && s.write == write;
        }));
}

// Whether a write of the line was, likewise.
bool controller::held_write_at(std::uint64_t line, ck_t at) const {
    return std::any_of(served_.begin(), served_.end(), [&](const served& s) {
        return s.command >= at && s.write && s.line == line;
    });
}

void controller::run(base::cycle_t until, std::vector<completion>& done) {
    if (until > now_) advance(until);
    take_before(until + 1, done);
}

// Appends the requests that complete before `end`.
void controller::take_before(base::cycle_t end, std::vector<completion>& done) {
    for (; !pending_.empty() && pending_.back().clock < end; pending_.pop_back())
        done.push_back({pending_.back().clock, pending_.back().id});
}

// Usually there are few, and each completes after all before it.
void controller::expect(const pending& p) {
    auto at = pending_.begin();
    while (at != pending_.end() && at->is_after(p)) ++at;
    pending_.insert(at, p);
}

// Commands before the beginning of core cycle `to` are final, and no others: a request made at `to`
// cannot change them.
void controller::advance(base::cycle_t to) {
    now_ = to;
    now_ck_ = clock_.ck(to);
    if (now_ck_ > ahead_ck_) run_channels(now_ck_);
    forget_served();
}

void controller::run_channels(ck_t until) {
    ahead_ck_ = until;
    for (std::uint32_t c = 0; c < channels_.size(); ++c) {
        channels_[c].run(until, transfers_);
        for (const gddr5_transfer& t : transfers_) {
            expect({clock_.core(t.end + (t.write ? 0 : back_end_)), t.order, t.id});
            served_.push_back({t.command, t.line, c, t.write});
        }
        transfers_.clear();
    }
}

// A request that comes from now on is served when the front end has had its time, at the earliest.
base::cycle_t controller::run_ahead(base::cycle_t until, std::vector<completion>& done) {
    if (until > now_) advance(until);
    run_channels(std::max(ahead_ck_, now_ck_ + front_end_));
    const base::cycle_t open = clock_.core(ahead_ck_);
    take_before(open, done);
    return open;
}

// A request that is submitted later is not made before that.
void controller::forget_served() {
    while (!served_.empty() && served_.front().command + front_end_ < now_ck_) served_.pop_front();
}

base::cycle_t controller::next_completion() const {
    const base::cycle_t known = pending_.empty() ? base::never : pending_.back().clock;
    ck_t next = ck_never;
    for (const gddr5_channel& c : channels_) next = std::min(next, c.next_end(back_end_));
    return next == ck_never ? known : std::min(known, clock_.core(next));
}

base::cycle_t controller::next_event() const {
    base::cycle_t next = pending_.empty() ? base::never : pending_.back().clock;
    for (const gddr5_channel& c : channels_)
        if (const ck_t m = c.next_command(); m != ck_never)
            next = std::min(next, clock_.core(m + c.shortest_transfer()));
    return next;
}

base::cycle_t controller::next_room(base::cycle_t clock) const {
    const ck_t from = clock_.ck(clock);
    ck_t next = ck_never;
    for (const gddr5_channel& c : channels_) next = std::min(next, c.next_command());
    for (const served& s : served_)
        if (s.command >= from) next = std::min(next, s.command);
    return next == ck_never ? clock : std::max(clock, clock_.core_after(next));
}

gddr5_counts controller::counts() const {
    gddr5_counts sum;
    for (const gddr5_channel& c : channels_) sum += c.counts();
    return sum;
}

}  // namespace knc::memory
