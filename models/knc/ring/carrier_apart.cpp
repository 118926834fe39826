// A step with parts in which each group of rings runs by itself, on one of the host threads.
//
// Groups do not depend on each other, as long as what arrives has no effect in the step. Where that
// is so, each thread takes what has been sent in the last step, group by group, and runs its groups
// through the cycles of this one; what arrives waits for run_parts(). The messages stay in the
// lanes of their groups until the ring has to run as a whole again.
#include <knc/ring/carrier.h>

#include <algorithm>
#include <utility>

namespace knc::ring {

using coherence::receiver_kind;

// Whether no message that arrives in the step has an effect in it, and there is enough to do: also
// in the last step, as the messages would go to and fro otherwise.
bool carrier::may_run_apart(const base::host_threads_if& threads, base::cycle_t home_cycles) const {
    if (steps_ == 0 || hold_for_ == 0 || home_cycles < hold_for_ || in_time_ ||
        !threads.pays(size_) || attached_.size() != stops_.stops() - tiles_ - 1)
        return false;
    const bool late = std::all_of(attached_.begin(), attached_.end(), [this](const attached& a) {
        return a.held && a.apart->latest() >= hold_for_;
    });
    if (!late || spread_) return late;
    // Another core of the host may have written the content, so few are looked at.
    bool in_time = false;
    for_each_carried([&](const carried& m) {
        const bool may_be = m.to == topology::sbox() ||
                            (m.receiver == receiver_kind::memory && m.what == channel::data);
        in_time = in_time || (may_be && takes_in_time(m.packet->content.kind, m.to));
    });
    return !in_time;
}

void carrier::run_apart(base::cycle_t until, base::host_threads_if& threads) {
    if (!spread_) spread();
    apart_from_ = now_;
    apart_until_ = until;
    threads.run(run_groups_);
    rings_.skip_to(until);
    now_ = until;
    leaves_elsewhere_ = arrives_elsewhere_ = base::never;
    reached_ = 0;
    for (unsigned g = 0; g < lanes_.size(); ++g) {
        lane& l = lanes_[g];
        size_ -= std::exchange(l.gone, 0);
        reached_ |= l.reached;
        leaves_elsewhere_ = std::min(leaves_elsewhere_, l.runner.next_attempt(rings_.group(g)));
        arrives_elsewhere_ = std::min(arrives_elsewhere_, l.runner.next_arrival());
    }
}

// What only the first thread may execute, while no tile runs. A controller sends nothing of that in
// the step.
void carrier::deliver_at_once() {
    std::uint64_t controllers = 0;
    for (const lane& l : lanes_) controllers |= l.at_once;
    for (; controllers != 0; controllers &= controllers - 1) {
        const auto c = static_cast<unsigned>(__builtin_ctzll(controllers));
        deliver_all_to(c);
        attached_[c].part->run(now_);
    }
}

// From now on, each group has its messages. The entries that are free go round.
void carrier::spread() {
    rings_.take_all([this](transit& m) { lanes_[m.group].runner.enter(m); });
    while (queue_.next() != base::never) {
        queue_.take(queue_.next(), [this](transit& m) {
            rings_.find_way(m);
            lanes_[m.group].runner.add(now_, m);
        });
    }
    for (std::size_t g = 0; free_ != nullptr; g = (g + 1) % lanes_.size())
        lanes_[g].free.append(*std::exchange(free_, free_->next));
    elsewhere_ = spread_ = true;
}

void carrier::run_group(unsigned g) {
    lane& l = lanes_[g];
    l.reached = l.at_once = 0;
    for (share& s : shares_) {
        for (const passed& p : s.sent[g]) {
            if (l.free.empty()) l.free.append(l.messages.emplace_back());
            auto& c = static_cast<carried&>(l.free.remove());
            fill(c, p);
            rings_.find_way(c);
            l.runner.add(apart_from_, c);
        }
        s.sent[g].clear();
    }
    l.runner.run(rings_.group(g), apart_until_,
                 [&](transit& m) { arrive_apart(l, static_cast<carried&>(m)); });
}

void carrier::arrive_apart(lane& l, carried& m) {
    if (m.receiver == receiver_kind::memory) {
        // A request without data may always wait.
        const attached* const a = m.what == channel::data ? attached_at(m.to) : nullptr;
        if (a != nullptr && !a->apart->may_wait(m.packet->content, hold_for_))
            l.at_once |= std::uint64_t{1} << stops_.at(m.to).number;
    } else if (m.receiver != receiver_kind::directory) {
        l.reached |= clients_[m.to].tile_bit;
    }
    keep_arrived(m);
    m.payload = nullptr;
    l.free.append(m);
    ++l.gone;
}

// All messages in flight are on the first thread again.
void carrier::take_back() {
    for (lane& l : lanes_) {
        l.runner.take_all([this](transit& m) { queue_.add(now_, m); },
                          [this](transit& m) { rings_.enter(m); });
        if (!l.free.empty()) {
            l.free.last->next = free_;
            free_ = l.free.first;
            l.free = {};
        }
    }
    if (spread_) rings_.find_next_attempt();
    for (share& s : shares_) take_sent(s);
    elsewhere_ = spread_ = in_time_ = false;
    leaves_elsewhere_ = arrives_elsewhere_ = base::never;
}

void carrier::take_sent(share& s) {
    for (std::vector<passed>& list : s.sent) {
        for (const passed& p : list) {
            carried& c = fresh();
            fill(c, p);
            queue_.add(now_, c);
        }
        list.clear();
    }
}

}  // namespace knc::ring
