// Steps that every form of issue has.
//
// Models: the execution of one attempt of an instruction, the data access of an instruction that
// may pair. Leaves out: everything around them (knc/core/issue_unit.h).
#ifndef KNC_CORE_ISSUE_STEPS_H
#define KNC_CORE_ISSUE_STEPS_H

#include <cstdint>

#include <knc/base/event.h>
#include <knc/core/banks.h>
#include <knc/isa/context.h>
#include <knc/isa/insn.h>

namespace knc::core {

// The reads of a thread before an attempt, and those of them that may not be cached.
struct reads_before {
    std::uint64_t all, misses;

    explicit reads_before(const base::event_row& row)
        : all(row[base::data_read]), misses(row[base::data_read_miss]) {}
    // It has read memory since then, all of it from caches: only what may not be cached misses in
    // the attempt that ends.
    bool loaded(const base::event_row& row) const {
        return row[base::data_read] != all && row[base::data_read_miss] == misses;
    }
};

// Whether a conditional transfer was not taken; after its execution.
inline bool fell_through(const isa::context& c, const isa::insn& i) {
    return (i.flags & isa::insn_conditional) != 0 && !c.branch_taken;
}

// Executes an attempt of `i`; the accesses of a blocked attempt do not count.
inline isa::status execute(isa::context& c, const isa::insn& i) {
    if (__builtin_expect((i.flags & isa::insn_several_accesses) == 0, 1)) return i.execute(c, i);
    c.begin_accesses();
    const isa::status st = i.execute(c, i);
    c.end_accesses(st != isa::status::blocked);
    return st;
}

// The data access of a pairable instruction, before it executes. A vector instruction leaves its
// own in the context.
inline data_access access_of(isa::context& c, const isa::insn& i) {
    if ((i.flags & isa::insn_vector) != 0) {
        c.vector_accessed = {};
        return {};
    }
    if ((i.flags & isa::insn_stack) == 0) return {c.linear(i.seg, c.offset(i)), i.size};
    const bool down = (i.flags & isa::insn_writes) != 0;
    return {c.linear(isa::ss, c.s.r[isa::rsp] - (down ? i.size : 0)), i.size};
}

}  // namespace knc::core

#endif
