#include <knc/core/pentium_branches.h>

#include <algorithm>

namespace knc::core {

pentium_branches::pentium_branches(const branch_parameters& p)
    : ways_(p.ways),
      sets_(p.entries / p.ways),
      shift_(p.set_shift),
      entries_(p.entries),
      next_(sets_) {}

void pentium_branches::reset() {
    std::fill(entries_.begin(), entries_.end(), entry{});
    std::fill(next_.begin(), next_.end(), 0u);
    top_ = depth_ = 0;
}

pentium_branches::entry* pentium_branches::find(std::uint64_t ip) {
    entry* const first = &entries_[set_of(ip) * ways_];
    entry* const e =
        std::find_if(first, first + ways_, [ip](const entry& x) { return x.valid && x.ip == ip; });
    return e != first + ways_ ? e : nullptr;
}

pentium_branches::outcome pentium_branches::execute(const branch& b) {
    entry* const e = find(b.ip);
    outcome o;
    o.hit = e != nullptr;
    std::uint64_t target = e != nullptr ? e->target : 0;
    if (b.what == kind::ret) {
        // Without an entry nothing is known of the branch when it is fetched.
        o.stack_short = depth_ == 0;
        o.predicted_taken = o.hit && !o.stack_short;
        if (!o.stack_short) {
            top_ = (top_ + stack_size - 1) % stack_size;
            --depth_;
            target = stack_[top_];
        }
    } else {
        o.predicted_taken =
            o.hit && (b.what != kind::conditional || e->counters[e->history] >= taken_from);
    }
    o.wrong = o.predicted_taken != b.taken || (b.taken && target != b.target);
    if (b.what == kind::call) {
        o.stack_short = depth_ == stack_size;
        stack_[top_] = b.next;
        top_ = (top_ + 1) % stack_size;
        depth_ = std::min(depth_ + 1, stack_size);
    }
    update(e, b);
    return o;
}

bool pentium_branches::false_entry(std::uint64_t ip) {
    entry* const e = find(ip);
    if (e == nullptr) return false;
    e->valid = false;
    return e->counters[e->history] >= taken_from;
}

void pentium_branches::update(entry* e, const branch& b) {
    if (e == nullptr) {
        if (!b.taken) return;
        std::uint32_t& next = next_[set_of(b.ip)];
        e = &entries_[set_of(b.ip) * ways_ + next];
        next = (next + 1) % ways_;
        *e = {};
        e->ip = b.ip;
        e->target = b.target;
        e->counters.fill(strongly_taken);
        e->history = histories - 1;
        e->valid = true;
        return;
    }
    std::uint8_t& counter = e->counters[e->history];
    if (b.taken) {
        counter = std::min<std::uint8_t>(counter + 1, strongly_taken);
        e->target = b.target;
    } else if (counter > 0) {
        --counter;
    }
    e->history = static_cast<std::uint8_t>((e->history << 1 | (b.taken ? 1 : 0)) & (histories - 1));
}

}  // namespace knc::core
