#include <knc/memory/gddr5_channel.h>

#include <algorithm>
#include <stdexcept>

namespace knc::memory {

namespace {

constexpr std::uint32_t most_banks = 64;

void raise(ck_t& at, ck_t to) {
    at = std::max(at, to);
}

bool power_of_two(std::uint32_t n) {
    return n != 0 && (n & (n - 1)) == 0;
}

const gddr5_organisation& checked(const gddr5_organisation& o) {
    if (!power_of_two(o.banks) || o.banks > most_banks || !power_of_two(o.groups) ||
        o.groups > o.banks || o.bursts_per_line == 0)
        throw std::invalid_argument(
            "GDDR5: banks and groups are powers of two, and there are no more groups than banks");
    if (o.read_queue == 0 || o.write_low >= o.write_high || o.write_high > o.write_queue)
        throw std::invalid_argument(
            "GDDR5: write_low is below write_high, which is at most write_queue");
    return o;
}

}  // namespace

gddr5_counts& gddr5_counts::operator+=(const gddr5_counts& o) {
    for (auto member :
         {&gddr5_counts::reads, &gddr5_counts::writes, &gddr5_counts::row_hits,
          &gddr5_counts::row_closed, &gddr5_counts::row_conflicts, &gddr5_counts::activates,
          &gddr5_counts::precharges, &gddr5_counts::refreshes, &gddr5_counts::turnarounds,
          &gddr5_counts::data_ck})
        this->*member += o.*member;
    return *this;
}

gddr5_channel::gddr5_channel(const gddr5_timing& t, const gddr5_organisation& o)
    : timing_(t),
      organisation_(checked(o)),
      banks_(o.banks),
      group_column_(o.groups),
      refresh_due_(t.refi != 0 ? t.refi : ck_never),
      next_(refresh_due_) {}

bool gddr5_channel::has_room(bool write, std::size_t others) const {
    const std::size_t all = write ? organisation_.write_queue : organisation_.read_queue;
    return kinds_[write].size + others < all;
}

bool gddr5_channel::holds_write(std::uint32_t in_bank, std::uint64_t line) const {
    const auto& waiting = banks_[in_bank].queue[1].entries;
    return std::any_of(waiting.begin(), waiting.end(),
                       [line](const entry& e) { return e.request.line == line; });
}

void gddr5_channel::push(const gddr5_request& r) {
    ++kinds_[r.write].size;
    banks_[r.bank].queue[r.write].entries.push_back(
        {r, organisation_.bursts_per_line, preparation::none});
    coming_.push_back({r.arrival, r.bank, r.write});
    next_ = std::min(next_, r.arrival);
}

ck_t gddr5_channel::next_command() const {
    return idle() ? ck_never : next_;
}

ck_t gddr5_channel::shortest_transfer() const {
    return std::min(timing_.cl, timing_.wl) + gddr5_timing::burst;
}

ck_t gddr5_channel::next_end(ck_t after_read) const {
    const ck_t read = timing_.cl + gddr5_timing::burst + after_read;
    const ck_t write = timing_.wl + gddr5_timing::burst;
    if (has_one_request()) {
        const bool writes = kinds_[1].size != 0;
        return only_column(writes) + (writes ? write : read);
    }
    ck_t end = ck_never;
    if (kinds_[0].size != 0) end = std::max(next_, column_[0]) + read;
    if (kinds_[1].size != 0) end = std::min(end, std::max(next_, column_[1]) + write);
    return end;
}

// The last column command of the only request is not before this CK. The commands of a refresh only
// delay it, except that a refresh may close the row that the request would have to close.
ck_t gddr5_channel::only_column(bool write) const {
    const std::uint32_t index = coming_.empty() ? kinds_[write].oldest : coming_.front().bank;
    const bank& b = banks_[index];
    const entry& e = b.queue[write].entries.front();
    const ck_t start = std::max(next_, e.request.arrival);
    ck_t column = std::max(column_[write], group_column_[group_of(index)]);
    if (b.row == e.request.row) {
        raise(column, std::max(start, b.column[write]));
    } else {
        ck_t activate = std::max(start, activate_at(b));
        if (b.row != no_row)
            raise(activate, std::max(b.precharge, std::min(start, refresh_due_)) + timing_.rp);
        raise(column, activate + (write ? timing_.rcdwr : timing_.rcdrd));
    }
    return column + (e.bursts_left - 1) * std::max(timing_.ccd, timing_.ccd_group);
}

void gddr5_channel::run(ck_t until, std::vector<gddr5_transfer>& done) {
    while (next_ < until) {
        if (next_ == refresh_due_ && idle()) skip_idle_refreshes(until);
        visit(next_, until, done);
    }
}

// Simulates one CK, or several before `until`. Afterwards next_ is the first later CK in which a
// command may become possible, an input of the choice of direction changes, or a request reaches
// the age limit. No state changes in between, so visiting these CKs gives the same result as
// visiting every CK.
void gddr5_channel::visit(ck_t now, ck_t until, std::vector<gddr5_transfer>& done) {
    next_ = ck_never;
    if (!coming_.empty()) accept(now);
    if (has_one_request() && coming_.empty() && now < refresh_due_)
        return serve_only(now, until, done);
    const privilege aged = look_for_aged(now);
    choose_direction(aged);
    if (may(refresh_due_, now))
        refresh(now);
    else
        serve(now, aged, done);
}

void gddr5_channel::accept(ck_t now) {
    while (!coming_.empty() && may(coming_.front().at, now)) {
        const auto [at, index, write] = coming_.front();
        coming_.pop_front();
        bank& b = banks_[index];
        bank_queue& q = b.queue[write];
        kind& k = kinds_[write];
        std::size_t& first = b.row == q.entries[q.arrived].request.row ? q.hit : q.miss;
        if (first == none) first = q.arrived;
        ++q.arrived;
        if (k.arrived++ == 0) k.oldest = index;
        k.banks |= std::uint64_t{1} << index;
    }
}

gddr5_channel::privilege gddr5_channel::look_for_aged(ck_t now) {
    const gddr5_request* oldest = nullptr;
    for (const bool write : {false, true}) {
        if (kinds_[write].arrived == 0) continue;
        const bank& b = banks_[kinds_[write].oldest];
        const gddr5_request& r = b.queue[write].entries.front().request;
        if (oldest == nullptr || r.order < oldest->order) oldest = &r;
    }
    if (oldest == nullptr || !may(oldest->arrival + organisation_.age_limit, now)) return {};
    return {true, oldest->write, oldest->bank};
}

// Idempotent: applied again in the same state, it changes nothing.
void gddr5_channel::choose_direction(const privilege& aged) {
    const std::size_t reads = kinds_[0].arrived, writes = kinds_[1].arrived;
    if (aged.granted)
        writing_ = aged.write;
    else if (writing_)
        writing_ = writes != 0 && (reads == 0 || writes > organisation_.write_low);
    else
        writing_ = writes != 0 && (reads == 0 || writes >= organisation_.write_high);
}

// Whether bank `index` must close its row although other requests wait for it.
bool gddr5_channel::gives_way(std::uint32_t index, const privilege& aged) const {
    return aged.granted && aged.bank == index && banks_[index].queue[aged.write].miss == 0;
}

// Issues a column command for the oldest request that can have one now. If none can, it issues the
// row command for the oldest request that can have that. A bank takes part with one request, and a
// row stays open as long as a request waits for it.
void gddr5_channel::serve(ck_t now, const privilege& aged, std::vector<gddr5_transfer>& done) {
    choice column, row;
    each_bank(kinds_[writing_].banks, [&](std::uint32_t index) {
        const bank& b = banks_[index];
        const bank_queue& q = b.queue[writing_];
        const bool hit = q.hit != none && !gives_way(index, aged);
        if (hit && may(column_at(index, writing_), now))
            column.offer(q.entries[q.hit].request.order, index);
        if (q.miss == none || hit) return;
        if (may(row_at(b), now)) row.offer(q.entries[q.miss].request.order, index);
    });
    if (column.made())
        transfer(now, column.bank, done);
    else if (row.made())
        open_row(now, row.bank);
    else
        return;
    next_ = after_command(now);
}

// The same for the only request of all, and for each CK before `until` up to its last command or a
// refresh. Its age has no effect, but the CK in which it reaches the limit counts as one with
// activity.
void gddr5_channel::serve_only(ck_t now, ck_t until, std::vector<gddr5_transfer>& done) {
    writing_ = kinds_[1].size != 0;
    const std::uint32_t index = kinds_[writing_].oldest;
    const bank& b = banks_[index];
    const bank_queue& q = b.queue[writing_];
    do {
        const bool hit = q.hit != none;
        const ck_t command = hit ? column_at(index, writing_) : row_at(b);
        if (command > now) {
            const ck_t aged = q.entries.front().request.arrival + organisation_.age_limit;
            next_ = std::min({command, refresh_due_, aged > now ? aged : ck_never});
        } else {
            if (hit)
                transfer(now, index, done);
            else
                open_row(now, index);
            next_ = after_command(now);
        }
        now = next_;
    } while (now < until && now < refresh_due_ && !idle());
}

void gddr5_channel::transfer(ck_t now, std::uint32_t index, std::vector<gddr5_transfer>& done) {
    const bool write = writing_;
    bank& b = banks_[index];
    const std::size_t position = b.queue[write].hit;
    entry& e = b.queue[write].entries[position];
    if (write != last_write_) ++counts_.turnarounds;
    last_write_ = write;
    raise(column_[write], now + timing_.ccd);
    raise(column_[!write], now + (write ? timing_.write_to_read : timing_.read_to_write));
    raise(group_column_[group_of(index)], now + timing_.ccd_group);
    raise(b.precharge, now + (write ? timing_.write_to_precharge : timing_.rtp));
    counts_.data_ck += gddr5_timing::burst;
    if (--e.bursts_left != 0) return;
    ++(write ? counts_.writes : counts_.reads);
    ++(e.needed == preparation::none       ? counts_.row_hits
       : e.needed == preparation::activate ? counts_.row_closed
                                           : counts_.row_conflicts);
    done.push_back({e.request.order, e.request.id, e.request.line, now,
                    now + (write ? timing_.wl : timing_.cl) + gddr5_timing::burst, write});
    remove(index, position);
}

void gddr5_channel::remove(std::uint32_t index, std::size_t position) {
    bank& b = banks_[index];
    bank_queue& q = b.queue[writing_];
    auto& entries = q.entries;
    kind& k = kinds_[writing_];
    entries.erase(entries.begin() + static_cast<std::ptrdiff_t>(position));
    --q.arrived;
    classify(b, q);
    --k.size;
    --k.arrived;
    if (q.arrived == 0) k.banks &= ~(std::uint64_t{1} << index);
    if (k.oldest == index && position == 0 && k.arrived != 0) find_oldest(writing_);
}

void gddr5_channel::find_oldest(bool write) {
    choice oldest;
    each_bank(kinds_[write].banks, [&](std::uint32_t index) {
        oldest.offer(banks_[index].queue[write].entries.front().request.order, index);
    });
    kinds_[write].oldest = oldest.bank;
}

// Call it after the requests in `q` have changed.
void gddr5_channel::classify(const bank& b, bank_queue& q) {
    q.hit = q.miss = none;
    for (std::size_t i = q.arrived; i-- != 0;)
        (b.row == q.entries[i].request.row ? q.hit : q.miss) = i;
}

// Call it after the open row of `b` has changed.
void gddr5_channel::classify(bank& b) {
    for (bank_queue& q : b.queue) classify(b, q);
}

// Issues ACT, or the PRE that must precede it.
void gddr5_channel::open_row(ck_t now, std::uint32_t index) {
    bank& b = banks_[index];
    entry& e = b.queue[writing_].entries[b.queue[writing_].miss];
    if (b.row != no_row) {
        e.needed = preparation::precharge;
        close_row(now, index);
        return;
    }
    if (e.needed == preparation::none) e.needed = preparation::activate;
    b.row = e.request.row;
    open_banks_ |= std::uint64_t{1} << index;
    b.column = {now + timing_.rcdrd, now + timing_.rcdwr};
    raise(b.precharge, now + timing_.ras);
    raise(b.activate, now + timing_.rc);
    raise(all_activate_, b.activate);
    raise(activate_, now + timing_.rrd);
    four_activates_[activate_index_] = now + timing_.faw;
    activate_index_ = (activate_index_ + 1) % four_activates_.size();
    ++counts_.activates;
    classify(b);
}

void gddr5_channel::close_row(ck_t now, std::uint32_t index) {
    bank& b = banks_[index];
    b.row = no_row;
    open_banks_ &= ~(std::uint64_t{1} << index);
    raise(b.activate, now + timing_.rp);
    raise(all_activate_, b.activate);
    ++counts_.precharges;
    classify(b);
}

// Closes all banks with one command, then refreshes them. No other command starts meanwhile.
void gddr5_channel::refresh(ck_t now) {
    ck_t at = open_banks_ != 0 ? 0 : all_activate_;
    each_bank(open_banks_, [&](std::uint32_t index) { raise(at, banks_[index].precharge); });
    if (!may(at, now)) return;
    next_ = now + 1;
    if (open_banks_ != 0) {
        each_bank(open_banks_, [&](std::uint32_t index) { close_row(now, index); });
        return;
    }
    raise(activate_, now + timing_.rfc);
    raise(all_activate_, now + timing_.rfc);
    refresh_due_ += timing_.refi;
    ++counts_.refreshes;
}

// The next activity is a refresh, due before `until`. Without requests and with all banks closed,
// refreshes take place when they are due, and only the last one affects later commands.
void gddr5_channel::skip_idle_refreshes(ck_t until) {
    if (until - refresh_due_ <= timing_.refi) return;
    if (open_banks_ != 0) return;
    const std::uint64_t skipped = (until - 1 - refresh_due_) / timing_.refi;
    refresh_due_ += skipped * timing_.refi;
    counts_.refreshes += skipped;
    next_ = refresh_due_;
}

gddr5_channel::occupancy gddr5_channel::used() const {
    return {kinds_[0].size, kinds_[1].size, open_banks_, writing_};
}

}  // namespace knc::memory
