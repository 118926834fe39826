// Instructions that act on the cache line at an address: prefetches and evictions.
//
// They touch no data: no event of data accesses, no data breakpoint, no alignment check. Source:
// Intel SDM vol. 2, CLFLUSH and PREFETCHh; decisions: docs/system.md.

#include <knc/isa/context.h>

namespace knc::isa {

// Translates as for a load of the byte, except that the segment may be execute-only.
bool context::locate_line(unsigned seg, std::uint64_t off, translation& t) {
    std::uint64_t la = 0;
    return checked_linear(seg, off, 1, access_kind::execute, la) &&
           translate_data(la, access_kind::read, s.cpl == 3, t);
}

status context::prefetch(unsigned seg, std::uint64_t off, const prefetch_hint& hint) {
    translation t;
    if (!locate_line(seg, off, t)) return dropped_unless_blocked();
    env.prefetch(t.paddr, hint, t.cacheable);
    return status::ok;
}

status context::evict(unsigned seg, std::uint64_t off, cache_level level) {
    translation t;
    return locate_line(seg, off, t) ? env.evict(t.paddr, level) : dropped_unless_blocked();
}

status context::flush_line(unsigned seg, std::uint64_t off) {
    translation t;
    return locate_line(seg, off, t) ? env.evict(t.paddr, cache_level::all) : failure;
}

// A hint whose line was not located.
status context::dropped_unless_blocked() {
    if (failure == status::fault) {
        fault = isa::fault{};
        failure = status::ok;
    }
    return failure;
}

}  // namespace knc::isa
