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
    const unsigned in_all = !conditional ? p_.unconditional_cycles
                            : in_v       ? p_.conditional_cycles_v
                                         : p_.conditional_cycles_u;
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

translation_buffers::entry* translation_buffers::array::find(unsigned thread, std::uint64_t la) {
    const auto found = std::find_if(entries.begin(), entries.end(), [&](const entry& e) {
        return e.valid && e.thread == thread && e.first <= la && la <= e.last;
    });
    return found == entries.end() ? nullptr : &*found;
}

translation_buffers::entry translation_buffers::array::made(unsigned thread, std::uint64_t la,
                                                            const isa::held_translation& p) const {
    const std::uint64_t page = std::max(p.page_bytes, part);
    entry fresh;
    fresh.valid = true;
    fresh.thread = thread;
    fresh.first = la / part * part;
    fresh.last = fresh.first + part - 1;
    fresh.page_first = la / page * page;
    fresh.page_last = fresh.page_first + page - 1;
    fresh.table = p.page_bytes < part;
    fresh.global = p.global && !fresh.table;
    fresh.page = p;
    return fresh;
}

void translation_buffers::array::enter(std::uint64_t la, const entry& fresh) {
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
                                  const isa::held_translation& page) {
    walk w;
    const entry fresh = first.made(thread, la, page);
    if (entry* held = first.find(thread, la)) {
        *held = fresh;
        return w;
    }
    w.needed = true;
    first.enter(la, fresh);
    if (second_.find(thread, la) != nullptr) {
        w.clocks = page.page_bytes >= 2 * mb ? p_.short_walk_cycles_2m : p_.short_walk_cycles_4k;
        return w;
    }
    w.long_walk = true;
    w.clocks = p_.long_walk_cycles;
    second_.enter(la, second_.made(thread, la, page));
    return w;
}

walk translation_buffers::data(unsigned thread, std::uint64_t la,
                               const isa::held_translation& page) {
    array& a = page.page_bytes >= 2 * mb ? large_ : page.page_bytes >= 64 * kb ? medium_ : small_;
    return look_up(a, thread, la, page);
}

walk translation_buffers::code(unsigned thread, std::uint64_t la,
                               const isa::held_translation& page) {
    return look_up(code_, thread, la, page);
}

const isa::held_translation* translation_buffers::held_data(unsigned thread, std::uint64_t la) {
    for (array* a : {&small_, &medium_, &large_})
        if (const entry* e = a->find(thread, la)) return &e->page;
    return nullptr;
}

const isa::held_translation* translation_buffers::held_code(unsigned thread, std::uint64_t la) {
    const entry* e = code_.find(thread, la);
    return e == nullptr ? nullptr : &e->page;
}

walk translation_buffers::refused(bool held, unsigned thread, std::uint64_t la) {
    walk w;
    if (held) return w;
    w.needed = true;
    w.long_walk = second_.find(thread, la) == nullptr;
    w.clocks = w.long_walk ? p_.long_walk_cycles : p_.short_walk_cycles_4k;
    return w;
}

walk translation_buffers::refused_data(unsigned thread, std::uint64_t la) {
    return refused(held_data(thread, la) != nullptr, thread, la);
}

walk translation_buffers::refused_code(unsigned thread, std::uint64_t la) {
    return refused(held_code(thread, la) != nullptr, thread, la);
}

void translation_buffers::forget(unsigned thread, bool keep_global) {
    for (array* a : {&small_, &medium_, &large_, &code_, &second_})
        for (entry& e : a->entries)
            if (e.thread == thread && !(keep_global && e.global)) e.valid = false;
}

void translation_buffers::forget_page(unsigned thread, std::uint64_t la) {
    for (array* a : {&small_, &medium_, &large_, &code_, &second_})
        for (entry& e : a->entries)
            if (e.thread == thread && (e.table || (e.page_first <= la && la <= e.page_last)))
                e.valid = false;
}

}  // namespace knc::reference
