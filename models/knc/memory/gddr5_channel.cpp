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

bool gddr5_channel::has_room(bool write) const {
    return kinds_[write].size < (write ? organisation_.write_queue : organisation_.read_queue);
}

bool gddr5_channel::holds_write(std::uint32_t in_bank, std::uint64_t line) const {
    const auto& waiting = banks_[in_bank].queue[1].entries;
    return std::any_of(waiting.begin(), waiting.end(),
                       [line](const entry& e) { return e.request.line == line; }) ||
           std::any_of(coming_.begin(), coming_.end(),
                       [line](const gddr5_request& r) { return r.write && r.line == line; });
}

void gddr5_channel::push(const gddr5_request& r) {
    ++kinds_[r.write].size;
    coming_.push_back(r);
    next_ = std::min(next_, r.arrival);
}

ck_t gddr5_channel::next_command() const {
    return kinds_[0].size + kinds_[1].size == 0 ? ck_never : next_;
}

ck_t gddr5_channel::shortest_transfer() const {
    return std::min(timing_.cl, timing_.wl) + gddr5_timing::burst;
}

ck_t gddr5_channel::next_end(bool write) const {
    if (kinds_[write].size == 0) return ck_never;
    const bool only = kinds_[0].size + kinds_[1].size == 1;
    const ck_t column = only ? only_column() : std::max(next_, column_[write]);
    return column + (write ? timing_.wl : timing_.cl) + gddr5_timing::burst;
}

// The last column command of the only request is not before this CK. The commands of a refresh only
// delay it, except that a refresh may close the row that the request would have to close.
ck_t gddr5_channel::only_column() const {
    const bool write = kinds_[1].size != 0;
    const entry* const waits =
        coming_.empty() ? &banks_[kinds_[write].oldest].queue[write].entries.front() : nullptr;
    const gddr5_request& r = waits != nullptr ? waits->request : coming_.front();
    const std::uint32_t bursts =
        waits != nullptr ? waits->bursts_left : organisation_.bursts_per_line;
    const bank& b = banks_[r.bank];
    const ck_t start = std::max(next_, r.arrival);
    ck_t column = std::max(column_[write], group_column_[r.bank % organisation_.groups]);
    if (b.open && b.row == r.row) {
        column = std::max({column, start, b.column[write]});
    } else {
        ck_t activate = std::max({start, b.activate, activate_, four_activates_[activate_index_]});
        if (b.open) {
            const ck_t precharge = std::max(b.precharge, std::min(start, refresh_due_));
            activate = std::max(activate, precharge + timing_.rp);
        }
        column = std::max(column, activate + (write ? timing_.rcdwr : timing_.rcdrd));
    }
    return column + (bursts - 1) * std::max(timing_.ccd, timing_.ccd_group);
}

void gddr5_channel::run(ck_t until, std::vector<gddr5_transfer>& done) {
    skip_idle_refreshes(until);
    while (next_ < until) {
        visit(next_, done);
        skip_idle_refreshes(until);
    }
}

// Simulates one CK. Afterwards next_ is the first later CK in which a command may become possible,
// an input of the choice of direction changes, or a request reaches the age limit. No state changes
// in between, so visiting these CKs gives the same result as visiting every CK.
void gddr5_channel::visit(ck_t now, std::vector<gddr5_transfer>& done) {
    next_ = ck_never;
    accept(now);
    const privilege aged = look_for_aged(now);
    choose_direction(aged);
    if (may(refresh_due_, now))
        refresh(now);
    else
        serve(now, aged, done);
}

void gddr5_channel::accept(ck_t now) {
    while (!coming_.empty() && may(coming_.front().arrival, now)) {
        const gddr5_request& r = coming_.front();
        bank& b = banks_[r.bank];
        bank_queue& q = b.queue[r.write];
        kind& k = kinds_[r.write];
        std::size_t& first = b.open && b.row == r.row ? q.hit : q.miss;
        if (first == none) first = q.entries.size();
        q.entries.push_back({r, organisation_.bursts_per_line, preparation::none});
        if (k.arrived++ == 0) k.oldest = r.bank;
        k.banks |= std::uint64_t{1} << r.bank;
        coming_.pop_front();
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
    const ck_t activate = std::max(activate_, four_activates_[activate_index_]);
    for (std::uint64_t left = kinds_[writing_].banks; left != 0; left &= left - 1) {
        const auto index = static_cast<std::uint32_t>(__builtin_ctzll(left));
        const bank& b = banks_[index];
        const bank_queue& q = b.queue[writing_];
        const bool hit = q.hit != none && !gives_way(index, aged);
        if (hit && may(std::max({b.column[writing_], column_[writing_],
                                 group_column_[index % organisation_.groups]}),
                       now))
            column.offer(q.entries[q.hit].request.order, index);
        if (q.miss == none || hit) continue;
        if (may(b.open ? b.precharge : std::max(b.activate, activate), now))
            row.offer(q.entries[q.miss].request.order, index);
    }
    if (column.made())
        transfer(now, column.bank, done);
    else if (row.made())
        open_row(now, row.bank);
    else
        return;
    // After the last request, the next CK only ends a phase of writes.
    const bool idle = kinds_[0].size + kinds_[1].size == 0 && !writing_;
    next_ = idle ? refresh_due_ : now + 1;
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
    raise(group_column_[index % organisation_.groups], now + timing_.ccd_group);
    raise(b.precharge, now + (write ? timing_.write_to_precharge : timing_.rtp));
    counts_.data_ck += gddr5_timing::burst;
    if (--e.bursts_left != 0) return;
    ++(write ? counts_.writes : counts_.reads);
    ++(e.needed == preparation::none       ? counts_.row_hits
       : e.needed == preparation::activate ? counts_.row_closed
                                           : counts_.row_conflicts);
    done.push_back({e.request.order, e.request.id,
                    now + (write ? timing_.wl : timing_.cl) + gddr5_timing::burst, write});
    remove(index, position);
}

void gddr5_channel::remove(std::uint32_t index, std::size_t position) {
    bank& b = banks_[index];
    auto& entries = b.queue[writing_].entries;
    kind& k = kinds_[writing_];
    entries.erase(entries.begin() + static_cast<std::ptrdiff_t>(position));
    classify(b);
    --k.size;
    --k.arrived;
    if (entries.empty()) k.banks &= ~(std::uint64_t{1} << index);
    if (k.oldest == index && position == 0 && k.arrived != 0) find_oldest(writing_);
}

void gddr5_channel::find_oldest(bool write) {
    choice oldest;
    for (std::uint32_t i = 0; i < banks_.size(); ++i)
        if (const auto& entries = banks_[i].queue[write].entries; !entries.empty())
            oldest.offer(entries.front().request.order, i);
    kinds_[write].oldest = oldest.bank;
}

// Call it after the open row or the requests of `b` have changed.
void gddr5_channel::classify(bank& b) {
    for (bank_queue& q : b.queue) {
        q.hit = q.miss = none;
        for (std::size_t i = q.entries.size(); i-- != 0;)
            (b.open && b.row == q.entries[i].request.row ? q.hit : q.miss) = i;
    }
}

// Issues ACT, or the PRE that must precede it.
void gddr5_channel::open_row(ck_t now, std::uint32_t index) {
    bank& b = banks_[index];
    entry& e = b.queue[writing_].entries[b.queue[writing_].miss];
    if (b.open) {
        e.needed = preparation::precharge;
        close_row(now, b);
        return;
    }
    if (e.needed == preparation::none) e.needed = preparation::activate;
    b.open = true;
    b.row = e.request.row;
    b.column = {now + timing_.rcdrd, now + timing_.rcdwr};
    raise(b.precharge, now + timing_.ras);
    raise(b.activate, now + timing_.rc);
    raise(activate_, now + timing_.rrd);
    four_activates_[activate_index_] = now + timing_.faw;
    activate_index_ = (activate_index_ + 1) % four_activates_.size();
    ++counts_.activates;
    classify(b);
}

void gddr5_channel::close_row(ck_t now, bank& b) {
    b.open = false;
    raise(b.activate, now + timing_.rp);
    ++counts_.precharges;
    classify(b);
}

// Closes all banks with one command, then refreshes them. No other command starts meanwhile.
void gddr5_channel::refresh(ck_t now) {
    bool open = false;
    ck_t close = 0, idle = 0;
    for (const bank& b : banks_) {
        open = open || b.open;
        if (b.open) raise(close, b.precharge);
        raise(idle, b.activate);
    }
    if (!may(open ? close : idle, now)) return;
    next_ = now + 1;
    if (open) {
        for (bank& b : banks_)
            if (b.open) close_row(now, b);
        return;
    }
    for (bank& b : banks_) b.activate = now + timing_.rfc;
    refresh_due_ += timing_.refi;
    ++counts_.refreshes;
}

// Without requests and with all banks closed, refreshes take place when they are due, and only the
// last one affects later commands.
void gddr5_channel::skip_idle_refreshes(ck_t until) {
    if (kinds_[0].size + kinds_[1].size != 0 || next_ != refresh_due_) return;
    if (until <= refresh_due_ || until - refresh_due_ <= timing_.refi) return;
    if (std::any_of(banks_.begin(), banks_.end(), [](const bank& b) { return b.open; })) return;
    const std::uint64_t skipped = (until - 1 - refresh_due_) / timing_.refi;
    refresh_due_ += skipped * timing_.refi;
    counts_.refreshes += skipped;
    next_ = refresh_due_;
}

gddr5_channel::occupancy gddr5_channel::used() const {
    occupancy o{kinds_[0].size, kinds_[1].size, 0, writing_};
    for (std::size_t n = 0; n < banks_.size(); ++n)
        o.open_banks |= std::uint64_t{banks_[n].open} << n;
    return o;
}

}  // namespace knc::memory
