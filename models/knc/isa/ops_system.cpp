// Rows of the system family; MSR, time stamp, CPUID, interrupt flag, HLT, cache and TLB
// instructions.

#include <knc/isa/ops_system.h>

#include <iterator>

#include <knc/isa/context.h>
#include <knc/isa/cpuid.h>
#include <knc/isa/msr.h>
#include <knc/isa/paging.h>
#include <knc/isa/system_flags.h>
#include <knc/isa/virtual_interrupts.h>

namespace knc::isa {
namespace {

std::uint32_t low(const context& c, gpr r) {
    return static_cast<std::uint32_t>(c.s.r[r]);
}

void set_edx_eax(context& c, std::uint64_t value) {
    c.s.r[rax] = value & 0xffff'ffff;
    c.s.r[rdx] = value >> 32;
}

// IA32_QM_EVTSEL and IA32_QM_CTR are behind the ring.
status access_package(context& c, bool write, std::uint64_t& value) {
    const std::uint32_t number = low(c, rcx);
    if (c.s.cpl != 0 || (write && !c.cache_monitoring.accepts(number, value))) return c.gp();
    return c.env.package_register(number, write, value);
}

status rdmsr(context& c, const insn&) {
    std::uint64_t value = 0;
    if (c.cache_monitoring.is_of_package(low(c, rcx))) {
        const status s = access_package(c, false, value);
        if (s == status::ok) set_edx_eax(c, value);
        return s;
    }
    if (c.s.cpl != 0 || !read_msr(c, low(c, rcx), value)) return c.gp();
    set_edx_eax(c, value);
    return status::ok;
}

status wrmsr(context& c, const insn&) {
    std::uint64_t value = std::uint64_t{low(c, rdx)} << 32 | low(c, rax);
    if (c.cache_monitoring.is_of_package(low(c, rcx))) return access_package(c, true, value);
    if (c.s.cpl != 0 || !write_msr(c, low(c, rcx), value)) return c.gp();
    return status::ok;
}

bool may_read_tsc(const context& c) {
    return c.s.cpl == 0 || (c.s.cr4 & cr4_tsd) == 0;
}

status rdtsc(context& c, const insn&) {
    if (!may_read_tsc(c)) return c.gp();
    set_edx_eax(c, c.env.tsc());
    return status::ok;
}

status rdtscp(context& c, const insn&) {
    if (!may_read_tsc(c)) return c.gp();
    set_edx_eax(c, c.env.tsc());
    c.s.r[rcx] = c.s.tsc_aux;
    return status::ok;
}

status rdpmc(context& c, const insn&) {
    std::uint64_t value = 0;
    const bool allowed = c.s.cpl == 0 || (c.s.cr4 & cr4_pce) != 0;
    if (!allowed || !c.env.rdpmc(low(c, rcx), value)) return c.gp();
    set_edx_eax(c, value);
    return status::ok;
}

// A machine without IA32_APIC_BASE cannot disable its local APIC.
bool apic_enabled(context& c) {
    std::uint64_t base = 0;
    return c.instruction_set == profile::p55c || !read_msr(c, msr_apic_base, base) ||
           (base & apic_base_enable) != 0;
}

status identify(context& c, const insn&) {
    const cpuid_thread t{c.signature,       c.env.apic_id(), apic_enabled(c),   c.announce_sse,
                         c.perfmon_version, c.debug_store,   c.cache_monitoring};
    const cpuid_result r = cpuid(low(c, rax), low(c, rcx), c.instruction_set, t);
    c.s.r[rax] = r.eax;
    c.s.r[rbx] = r.ebx;
    c.s.r[rcx] = r.ecx;
    c.s.r[rdx] = r.edx;
    return status::ok;
}

status cli(context& c, const insn&) {
    if (has_virtual_interrupts(c)) return clear_virtual_interrupts(c);
    if (c.s.cpl > iopl(c.s)) return c.gp();
    c.s.eflags &= ~flag_if;
    return status::ok;
}

status sti(context& c, const insn&) {
    if (has_virtual_interrupts(c)) return set_virtual_interrupts(c);
    if (c.s.cpl > iopl(c.s)) return c.gp();
    if ((c.s.eflags & flag_if) == 0) {
        c.interrupt_shadow = true;
        c.debug_shadow = false;
    }
    c.s.eflags |= flag_if;
    return status::ok;
}

// The wait itself is the core's (insn_halt).
status hlt(context& c, const insn&) {
    return c.s.cpl == 0 ? status::ok : c.gp();
}

// WBINVD, and also INVD, which may lose modified lines but need not (docs/system.md).
status flush_caches(context& c, const insn&) {
    return c.s.cpl == 0 ? c.env.flush_caches() : c.gp();
}

status clts(context& c, const insn&) {
    if (c.s.cpl != 0) return c.gp();
    c.s.cr0 &= ~cr0_ts;
    return status::ok;
}

status invlpg(context& c, const insn& i) {
    if (c.s.cpl != 0) return c.gp();
    const std::uint64_t la = c.linear(i.seg, c.offset(i));
    c.flush_translation(la, largest_page_bytes);
    c.env.translation_void(la);
    return status::ok;
}

template <handler H>
handler always(const decoded&, insn&) {
    return H;
}

constexpr std::uint32_t at_completion = insn_at_completion | insn_microcode;
constexpr std::uint32_t control = insn_microcode | insn_serializing | insn_mode;
constexpr std::uint32_t cache = insn_microcode | insn_serializing;

constexpr op_row rows[] = {
    {ZYDIS_MNEMONIC_MOV, select_mov_system_register, control},
    {ZYDIS_MNEMONIC_LMSW, select_lmsw, control},
    {ZYDIS_MNEMONIC_SMSW, select_smsw, insn_microcode},
    {ZYDIS_MNEMONIC_CLTS, always<clts>, insn_microcode},
    {ZYDIS_MNEMONIC_LGDT, select_lgdt, cache},
    {ZYDIS_MNEMONIC_LIDT, select_lidt, cache},
    {ZYDIS_MNEMONIC_SGDT, select_sgdt, insn_microcode},
    {ZYDIS_MNEMONIC_SIDT, select_sidt, insn_microcode},
    {ZYDIS_MNEMONIC_LLDT, select_lldt, cache | insn_several_accesses},
    {ZYDIS_MNEMONIC_LTR, select_ltr, cache | insn_several_accesses},
    {ZYDIS_MNEMONIC_SLDT, select_sldt, insn_microcode},
    {ZYDIS_MNEMONIC_STR, select_str, insn_microcode},
    {ZYDIS_MNEMONIC_INVLPG, always<invlpg>, control},
    {ZYDIS_MNEMONIC_WBINVD, always<flush_caches>, cache},
    {ZYDIS_MNEMONIC_INVD, always<flush_caches>, cache},
    {ZYDIS_MNEMONIC_HLT, always<hlt>, insn_halt},
    {ZYDIS_MNEMONIC_RDMSR, always<rdmsr>, at_completion},
    {ZYDIS_MNEMONIC_WRMSR, always<wrmsr>, at_completion | insn_serializing | insn_mode},
    {ZYDIS_MNEMONIC_RDTSC, always<rdtsc>, at_completion},
    {ZYDIS_MNEMONIC_RDTSCP, always<rdtscp>, at_completion},
    {ZYDIS_MNEMONIC_RDPMC, always<rdpmc>, at_completion},
    {ZYDIS_MNEMONIC_CPUID, always<identify>, cache},
    {ZYDIS_MNEMONIC_CLI, always<cli>, insn_microcode},
    {ZYDIS_MNEMONIC_STI, always<sti>, insn_microcode},
};

}  // namespace

op_table system_ops() {
    return {rows, std::size(rows)};
}

}  // namespace knc::isa
