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
      layout_(layout_of(p)),
      channels_(channels_of(p), gddr5_channel(gddr5_timing(p.gddr5), organisation_of(p))) {}

bool controller::submit(std::uint64_t line, bool write, base::cycle_t clock, std::uint64_t id) {
    if (clock < now_) throw std::logic_error("memory controller: request in the past");
    if (clock > now_) advance(clock);
    const gddr5_place place = layout_(line);
    gddr5_channel& channel = channels_[place.channel];
    const ck_t arrival = now_ck_ + front_end_;
    if (!write && channel.holds_write(place.bank, line)) {
        expect({std::max(clock_.core(arrival + back_end_), clock + 1), submitted_++, id});
        ++forwarded_;
        return true;
    }
    if (!channel.has_room(write)) return false;
    channel.push({line, submitted_++, id, arrival, place.row, place.bank, write});
    return true;
}

void controller::run(base::cycle_t until, std::vector<completion>& done) {
    if (until > now_) advance(until);
    while (!pending_.empty() && pending_.back().clock <= until) {
        done.push_back({pending_.back().clock, pending_.back().id});
        pending_.pop_back();
    }
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
    for (gddr5_channel& c : channels_) c.run(now_ck_, transfers_);
    for (const gddr5_transfer& t : transfers_)
        expect({clock_.core(t.end + (t.write ? 0 : back_end_)), t.order, t.id});
    transfers_.clear();
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

base::cycle_t controller::next_room() const {
    ck_t next = ck_never;
    for (const gddr5_channel& c : channels_) next = std::min(next, c.next_command());
    return next == ck_never ? now_ : std::max(now_, clock_.core_after(next));
}

gddr5_counts controller::counts() const {
    gddr5_counts sum;
    for (const gddr5_channel& c : channels_) sum += c.counts();
    return sum;
}

}  // namespace knc::memory
