#include "buffers.h"

#include <algorithm>

namespace knc::reference {
namespace {

constexpr std::uint64_t kb = 1024, mb = 1024 * kb;

}  // namespace

branch_cost branch_buffer::branch(std::uint64_t address, bool conditional, bool taken,
                                  std::uint64_t target, bool in_v) {
    set& s = sets_[(address >> p_.set_shift) % sets_.size()];
    const auto found = std::find_if(s.ways.begin(), s.ways.end(),
                                    [&](const entry& e) { return e.address == address; });
    branch_cost cost;
    if (found == s.ways.end()) {
        if (!taken) return cost;
        cost.flush = true;
        const entry fresh{address, target, 3};
        if (s.ways.size() < p_.ways) {
            s.ways.push_back(fresh);
        } else {
            s.ways[s.oldest] = fresh;
            s.oldest = (s.oldest + 1) % p_.ways;
        }
    } else {
        const bool predicted = !conditional || found->counter > 1;
        cost.mispredicted = predicted != taken || (taken && found->target != target);
        cost.flush = cost.mispredicted;
        found->counter = std::clamp(found->counter + (taken ? 1 : -1), 0, 3);
        if (taken) found->target = target;
    }
    if (!cost.flush) return cost;
    const unsigned in_all = !conditional ? p_.unconditional_clocks
                            : in_v       ? p_.conditional_clocks_v
                                         : p_.conditional_clocks_u;
    cost.clocks = in_all - 1;
    return cost;
}

translation_buffers::translation_buffers(const core::tlb_parameters& p)
    : p_(p),
      small_(p.data_4k, 4 * kb),
      medium_(p.data_64k, 64 * kb),
      large_(p.data_2m, 2 * mb),
      code_(p.code, 4 * kb),
      second_(p.second, 2 * mb) {}

bool translation_buffers::array::holds(unsigned thread, std::uint64_t la) const {
    return std::any_of(entries.begin(), entries.end(), [&](const entry& e) {
        return e.valid && e.thread == thread && e.first <= la && la <= e.last;
    });
}

void translation_buffers::array::enter(unsigned thread, std::uint64_t la, std::uint64_t bytes,
                                       bool global) {
    const std::uint64_t page = std::max(bytes, part);
    entry fresh;
    fresh.valid = true;
    fresh.thread = thread;
    fresh.first = la / part * part;
    fresh.last = fresh.first + part - 1;
    fresh.page_first = la / page * page;
    fresh.page_last = fresh.page_first + page - 1;
    fresh.global = global;
    const std::size_t set = la / part % sets;
    for (std::size_t n = set * ways; n < (set + 1) * ways; ++n) {
        if (entries[n].valid) continue;
        entries[n] = fresh;
        return;
    }
    entries[set * ways + oldest[set]] = fresh;
    oldest[set] = (oldest[set] + 1) % ways;
}

walk translation_buffers::look_up(array& first, unsigned thread, std::uint64_t la,
                                  std::uint64_t bytes, bool global) {
    walk w;
    if (first.holds(thread, la)) return w;
    w.needed = true;
    first.enter(thread, la, bytes, global);
    if (second_.holds(thread, la)) {
        w.clocks = bytes >= 2 * mb ? p_.short_walk_clocks_2m : p_.short_walk_clocks_4k;
        return w;
    }
    w.long_walk = true;
    w.clocks = p_.long_walk_clocks;
    second_.enter(thread, la, bytes, global && bytes >= 2 * mb);
    return w;
}

walk translation_buffers::data(unsigned thread, std::uint64_t la, std::uint64_t bytes,
                               bool global) {
    array& a = bytes >= 2 * mb ? large_ : bytes >= 64 * kb ? medium_ : small_;
    return look_up(a, thread, la, bytes, global);
}

walk translation_buffers::code(unsigned thread, std::uint64_t la, std::uint64_t bytes,
                               bool global) {
    return look_up(code_, thread, la, bytes, global);
}

walk translation_buffers::refused(bool held, unsigned thread, std::uint64_t la) const {
    walk w;
    if (held) return w;
    w.needed = true;
    w.long_walk = !second_.holds(thread, la);
    w.clocks = w.long_walk ? p_.long_walk_clocks : p_.short_walk_clocks_4k;
    return w;
}

walk translation_buffers::refused_data(unsigned thread, std::uint64_t la) const {
    const bool held =
        small_.holds(thread, la) || medium_.holds(thread, la) || large_.holds(thread, la);
    return refused(held, thread, la);
}

walk translation_buffers::refused_code(unsigned thread, std::uint64_t la) const {
    return refused(code_.holds(thread, la), thread, la);
}

void translation_buffers::forget(unsigned thread, bool keep_global) {
    for (array* a : {&small_, &medium_, &large_, &code_, &second_})
        for (entry& e : a->entries)
            if (e.thread == thread && !(keep_global && e.global)) e.valid = false;
}

void translation_buffers::forget_page(unsigned thread, std::uint64_t la) {
    for (array* a : {&small_, &medium_, &large_, &code_, &second_})
        for (entry& e : a->entries)
            if (e.thread == thread && e.page_first <= la && la <= e.page_last) e.valid = false;
}

}  // namespace knc::reference
