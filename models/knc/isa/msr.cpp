#include <knc/isa/msr.h>

namespace knc::isa {
namespace {

// Of the thread's own registers a Pentium has the machine check and test registers.
constexpr std::uint32_t last_of_pentium = 0x0e;

// nullptr: the number has no row.
const msr_row* find(const context& c, std::uint32_t number) {
    const auto* const m = static_cast<const msr_row*>(msrs().find(number).row);
    if (m == nullptr || (m->of_perfmon && c.perfmon_version != 0)) return nullptr;
    return exists(*m, c.instruction_set) ? m : nullptr;
}

bool allowed(const context& c, const msr_row& m, std::uint64_t value) {
    if (m.access == base::register_access::read_only || (value & ~m.writable) != 0) return false;
    return m.does.accepts == nullptr || m.does.accepts(c, value);
}

}  // namespace

bool exists(const msr_row& m, profile p) {
    if (p == profile::p55c) return m.address <= last_of_pentium;
    return p == profile::compat || !m.only_compat;
}

bool read_msr(context& c, std::uint32_t number, std::uint64_t& value) {
    const msr_row* m = find(c, number);
    if (m == nullptr) return c.env.read_msr(number, value);
    if (m->owner == msr_owner::local_apic) return c.env.read_apic_base(value);
    value = m->of != nullptr ? m->of(c.s) : m->reset();
    return true;
}

bool write_msr(context& c, std::uint32_t number, std::uint64_t value) {
    const msr_row* m = find(c, number);
    if (m == nullptr) return c.env.write_msr(number, value);
    if (m->owner == msr_owner::local_apic) return c.env.write_apic_base(value);
    if (!allowed(c, *m, value)) return false;
    if (m->does.write != nullptr)
        m->does.write(c, {m}, value);
    else
        m->of(c.s) = value;
    return true;
}

}  // namespace knc::isa
