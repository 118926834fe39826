#include <knc/isa/msr.h>

#include <algorithm>

#include <knc/isa/memory_type.h>
#include <knc/isa/paging.h>

namespace knc::isa {
namespace {

// nullptr: not the thread's.
const msr_info* find(const context& c, std::uint32_t number) {
    const msr_list all = msrs();
    const msr_info* m =
        std::lower_bound(all.begin(), all.end(), number,
                         [](const msr_info& x, std::uint32_t n) { return x.number < n; });
    if (m == all.end() || m->number != number || m->rule == msr_rule::local_apic) return nullptr;
    return m->rule == msr_rule::compat && c.instruction_set != profile::compat ? nullptr : m;
}

bool each_byte(std::uint64_t value, bool (*holds)(std::uint64_t)) {
    for (unsigned n = 0; n < 8; ++n) {
        if (!holds(value >> 8 * n & 0xff)) return false;
    }
    return true;
}

bool allowed(const context& c, const msr_info& m, std::uint64_t value) {
    if (m.access == msr_access::read_only || (value & ~m.writable) != 0) return false;
    switch (m.rule) {
        case msr_rule::canonical:
            return canonical(value);
        case msr_rule::range_type:
            return is_range_type(value & 0xff);
        case msr_rule::range_types:
            return each_byte(value, is_range_type);
        case msr_rule::page_types:
            return each_byte(value, is_page_type);
        case msr_rule::efer:
            return ((value ^ c.s.efer) & efer_lme) == 0 || !c.s.paging();
        default:
            return true;
    }
}

// EFER and memory types decide what translations allow.
bool changes_translations(msr_rule r) {
    return r == msr_rule::efer || r == msr_rule::range_type || r == msr_rule::range_size ||
           r == msr_rule::range_types || r == msr_rule::page_types;
}

}  // namespace

bool read_msr(context& c, std::uint32_t number, std::uint64_t& value) {
    const msr_info* m = find(c, number);
    if (m == nullptr) return c.env.read_msr(number, value);
    value = m->of != nullptr ? m->of(c.s) : m->reset;
    return true;
}

bool write_msr(context& c, std::uint32_t number, std::uint64_t value) {
    const msr_info* m = find(c, number);
    if (m == nullptr) return c.env.write_msr(number, value);
    if (!allowed(c, *m, value)) return false;
    if (m->rule == msr_rule::efer) value = (value & ~efer_lma) | (c.s.efer & efer_lma);
    m->of(c.s) = value;
    if (changes_translations(m->rule)) {
        c.flush_translations();
        c.update_mode();
    }
    return true;
}

}  // namespace knc::isa
