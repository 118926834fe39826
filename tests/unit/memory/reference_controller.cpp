#include "reference_controller.h"

#include <algorithm>

namespace knc::memory::test {

namespace {

__extension__ using wide = unsigned __int128;

constexpr std::uint64_t burst = 2;

}  // namespace

reference_controller::reference_controller(const controller_parameters& p, std::uint64_t core_hz)
    : p_(p),
      core_hz_(core_hz),
      ck_hz_(std::uint64_t{p.gddr5.data_rate_mtps} * 1'000'000 / 4),
      channels_(p.lockstep ? 1 : 2) {
    for (channel& c : channels_) c.refresh_due = refresh_interval();
}

// The smallest number of command clocks that lasts `ps`.
std::uint64_t reference_controller::ck(std::uint64_t ps) const {
    std::uint64_t n = 0;
    while (wide{n} * 1'000'000'000'000 < wide{ps} * ck_hz_) ++n;
    return n;
}

std::uint64_t reference_controller::refresh_interval() const {
    return static_cast<std::uint64_t>(wide{p_.gddr5.t_refi_ps} * ck_hz_ / 1'000'000'000'000);
}

std::uint64_t reference_controller::core_clock(std::uint64_t at) const {
    return static_cast<std::uint64_t>((wide{at} * core_hz_ + ck_hz_ - 1) / ck_hz_);
}

// Least distance of a command to an earlier one.
std::uint64_t reference_controller::distance(const command& e, what w, std::uint64_t bank) const {
    const gddr5_parameters& g = p_.gddr5;
    const bool same = e.bank == bank || e.w == what::pre_all || e.w == what::ref ||
                      w == what::ref || w == what::pre_all;
    const bool group = e.bank % p_.organisation.groups == bank % p_.organisation.groups;
    const std::uint64_t column = group ? std::max(g.ccd_ck, g.ccd_group_ck) : g.ccd_ck;
    const bool column_command = w == what::rd || w == what::wr;
    switch (e.w) {
        case what::act:
            if (w == what::act) return std::max(ck(g.t_rrd_ps), same ? ck(g.t_rc_ps) : 0);
            if (w == what::ref) return ck(g.t_rc_ps);
            if (!same) return 0;
            return ck(w == what::rd ? g.t_rcdrd_ps : w == what::wr ? g.t_rcdwr_ps : g.t_ras_ps);
        case what::pre:
        case what::pre_all:
            return same && (w == what::act || w == what::ref) ? ck(g.t_rp_ps) : 0;
        case what::ref:
            return ck(g.t_rfc_ps);
        case what::rd:
            if (column_command) {
                const std::uint64_t data = ck(g.t_cl_ps) + burst + g.turnaround_ck;
                return w == what::rd || data < g.wl_ck ? column : std::max(column, data - g.wl_ck);
            }
            return same && w != what::act && w != what::ref ? g.rtp_ck : 0;
        case what::wr:
            if (column_command)
                return w == what::wr ? column : std::max(column, g.wl_ck + burst + ck(g.t_wtr_ps));
            return same && w != what::act && w != what::ref ? g.wl_ck + burst + ck(g.t_wr_ps) : 0;
    }
    return 0;
}

bool reference_controller::allowed(const channel& c, std::uint64_t now, what w,
                                   std::uint64_t bank) const {
    unsigned activates = 0;
    for (auto e = c.history.rbegin(); e != c.history.rend() && now - e->ck < 400; ++e) {
        // PRE of all banks matters to banks that are open; the distances to a bank's own commands
        // are those of its PRE.
        if (w == what::pre_all && e->w != what::ref && c.open.count(e->bank) == 0) continue;
        if (now - e->ck < distance(*e, w, bank)) return false;
        if (e->w == what::act && w == what::act && now - e->ck < ck(p_.gddr5.t_faw_ps)) ++activates;
    }
    return activates < 4;
}

void reference_controller::run_before(std::uint64_t clock) {
    for (; wide{now_} * core_hz_ < wide{clock} * ck_hz_; ++now_)
        for (channel& c : channels_) step(c, now_);
}

bool reference_controller::submit(std::uint64_t line, bool write, std::uint64_t clock,
                                  std::uint64_t id) {
    run_before(clock);
    // Bits of the line, from the right: interface, column, bank group, column, bank, row.
    const std::uint64_t n = channels_.size(), in_row = p_.row_bytes * (3 - n) / 64;
    channel& c = channels_[line % n];
    const std::uint64_t groups = p_.organisation.groups, rest = line / n / (in_row * groups);
    const std::uint64_t row = rest / (p_.organisation.banks / groups);
    const std::uint64_t bank =
        (rest % (p_.organisation.banks / groups) * groups + line / n / p_.group_lines % groups) ^
        row % p_.organisation.banks;
    const std::uint64_t arrival = now_ + ck(p_.front_end_ps);
    std::uint64_t same_kind = 0;
    for (const request& r : c.requests) {
        if (!write && r.write && r.line == line) {
            done_.emplace_back(std::max(core_clock(arrival + ck(p_.back_end_ps)), clock + 1),
                               order_++, id);
            return true;
        }
        if (r.write == write) ++same_kind;
    }
    if (same_kind == (write ? p_.organisation.write_queue : p_.organisation.read_queue))
        return false;
    c.requests.push_back({line, order_++, id, arrival, bank, row, write, p_.lockstep ? 1u : 2u});
    return true;
}

reference_controller::done_list reference_controller::done_by(std::uint64_t clock) {
    run_before(clock);
    done_list r;
    for (const auto& d : done_)
        if (std::get<0>(d) <= clock) r.push_back(d);
    std::sort(r.begin(), r.end());
    return r;
}

// One command clock of one interface.
void reference_controller::step(channel& c, std::uint64_t now) {
    const request* aged = nullptr;
    unsigned reads = 0, writes = 0;
    for (const request& r : c.requests) {
        if (r.arrival > now) break;
        ++(r.write ? writes : reads);
        if (&r == &c.requests.front() && now - r.arrival >= ck(p_.age_limit_ps)) aged = &r;
    }
    if (aged != nullptr) {
        c.writing = aged->write;
    } else if (c.writing) {
        if (writes == 0 || (reads != 0 && writes <= p_.organisation.write_low)) c.writing = false;
    } else {
        if (writes >= p_.organisation.write_high || (reads == 0 && writes != 0)) c.writing = true;
    }
    if (p_.gddr5.refresh && now >= c.refresh_due)
        refresh(c, now);
    else
        serve(c, now, aged);
}

void reference_controller::refresh(channel& c, std::uint64_t now) {
    if (!c.open.empty()) {
        if (!allowed(c, now, what::pre_all, 0)) return;
        c.history.push_back({now, what::pre_all, 0});
        c.open.clear();
    } else if (allowed(c, now, what::ref, 0)) {
        c.history.push_back({now, what::ref, 0});
        c.refresh_due += refresh_interval();
        ++refreshes_;
    }
}

void reference_controller::serve(channel& c, std::uint64_t now, const request* aged) {
    const auto ours = [&](const request& r) { return r.arrival <= now && r.write == c.writing; };
    const auto row_open = [&](const request& r) {
        return c.open.count(r.bank) != 0 && c.open.at(r.bank) == r.row;
    };
    // The aged request wants the row of its bank for itself.
    const auto must_yield = [&](const request& r) {
        return aged != nullptr && aged->bank == r.bank && aged->row != r.row;
    };
    for (std::size_t i = 0; i < c.requests.size(); ++i) {
        const request& r = c.requests[i];
        if (!ours(r) || !row_open(r) || must_yield(r)) continue;
        if (!allowed(c, now, r.write ? what::wr : what::rd, r.bank)) continue;
        return transfer(c, now, i);
    }
    for (const request& r : c.requests) {
        if (!ours(r) || row_open(r)) continue;
        const bool first_of_bank =
            std::none_of(c.requests.begin(), c.requests.end(), [&](const request& o) {
                return ours(o) && o.bank == r.bank && !row_open(o) && o.order < r.order;
            });
        if (!first_of_bank) continue;
        if (c.open.count(r.bank) == 0) {
            if (!allowed(c, now, what::act, r.bank)) continue;
            c.history.push_back({now, what::act, r.bank});
            c.open[r.bank] = r.row;
            ++activates_;
            return;
        }
        const bool wanted =
            std::any_of(c.requests.begin(), c.requests.end(), [&](const request& o) {
                return ours(o) && o.bank == r.bank && row_open(o) && !must_yield(o);
            });
        if (wanted || !allowed(c, now, what::pre, r.bank)) continue;
        c.history.push_back({now, what::pre, r.bank});
        c.open.erase(r.bank);
        return;
    }
}

void reference_controller::transfer(channel& c, std::uint64_t now, std::size_t index) {
    request& r = c.requests[index];
    c.history.push_back({now, r.write ? what::wr : what::rd, r.bank});
    if (--r.bursts != 0) return;
    const std::uint64_t end =
        now + burst + (r.write ? p_.gddr5.wl_ck : ck(p_.gddr5.t_cl_ps) + ck(p_.back_end_ps));
    done_.emplace_back(core_clock(end), r.order, r.id);
    c.requests.erase(c.requests.begin() + static_cast<std::ptrdiff_t>(index));
}

}  // namespace knc::memory::test
