#include <knc/isa/control_registers.h>

#include <knc/base/bits.h>
#include <knc/isa/paging.h>
#include <knc/isa/segmentation.h>

namespace knc::isa {
namespace {

constexpr std::uint64_t cr0_bits = cr0_pe | cr0_mp | cr0_em | cr0_ts | cr0_et | cr0_ne | cr0_wp |
                                   cr0_am | cr0_nw | cr0_cd | cr0_pg;
constexpr std::uint64_t cr4_bits = cr4_tsd | cr4_de | cr4_pse | cr4_pae | cr4_mce | cr4_pce;
constexpr std::uint64_t cr4_compat_bits = cr4_bits | cr4_pge | cr4_osfxsr | cr4_osxmmexcpt;
constexpr std::uint64_t cr4_p55c_bits =
    cr4_vme | cr4_pvi | cr4_tsd | cr4_de | cr4_pse | cr4_mce | cr4_pce;

std::uint64_t cr4_bits_of(profile p) {
    if (p == profile::p55c) return cr4_p55c_bits;
    return p == profile::compat ? cr4_compat_bits : cr4_bits;
}

// Whether a thread with these registers uses PAE page tables.
bool pae_paging(std::uint64_t cr0, std::uint64_t cr4, std::uint64_t efer) {
    return (cr0 & cr0_pg) != 0 && (cr4 & cr4_pae) != 0 && (efer & efer_lma) == 0;
}

bool has_16_bit_tss(const context& c) {
    return c.s.tr.usable() && (c.s.tr.type() & 8) == 0;
}

// Updates EFER for a change of CR0.PG. False: the change is refused.
bool switch_paging(context& c, bool on, std::uint64_t& efer) {
    if (!on) {
        efer &= ~efer_lma;
        return c.s.mode != code_mode::bits64;
    }
    if ((efer & efer_lme) == 0) return true;
    efer |= efer_lma;
    return (c.s.cr4 & cr4_pae) != 0 && !c.s.seg[cs].long_mode() && !has_16_bit_tss(c);
}

status load_pointers(context& c, std::uint64_t cr3) {
    const status st = load_page_directory_pointers(c.s, c.env, cr3);
    return st == status::fault ? c.gp() : c.failure = st;
}

void changed(context& c) {
    c.flush_translations();
    c.update_mode();
}

}  // namespace

status write_cr0(context& c, std::uint64_t value) {
    const bool pg = (value & cr0_pg) != 0;
    const bool consistent =
        (!pg || (value & cr0_pe) != 0) && ((value & cr0_nw) == 0 || (value & cr0_cd) != 0);
    if (value >> 32 != 0 || !consistent) return c.gp();
    std::uint64_t efer = c.s.efer;
    const bool switches = pg != c.s.paging();
    if (switches) {
        if (!switch_paging(c, pg, efer)) return c.gp();
        if (pae_paging(value, c.s.cr4, efer)) {
            if (const status st = load_pointers(c, c.s.cr3); st != status::ok) return st;
        }
    }
    c.s.efer = efer;
    c.s.cr0 = (value & cr0_bits) | cr0_et;
    if (switches) c.env.translations_void(false);
    changed(c);
    return status::ok;
}

status write_cr3(context& c, std::uint64_t value) {
    if (c.s.long_mode() && value >> physical_address_bits != 0) return c.gp();
    if (pae_paging(c.s.cr0, c.s.cr4, c.s.efer)) {
        if (const status st = load_pointers(c, value); st != status::ok) return st;
    }
    c.s.cr3 = value;
    c.env.translations_void((c.s.cr4 & cr4_pge) != 0);
    changed(c);
    return status::ok;
}

status write_cr4(context& c, std::uint64_t value) {
    const std::uint64_t allowed = cr4_bits_of(c.instruction_set);
    const bool leaves_pae = c.s.long_mode() && (value & cr4_pae) == 0;
    if ((value & ~allowed) != 0 || leaves_pae) return c.gp();
    constexpr std::uint64_t reloading = cr4_pae | cr4_pse | cr4_pge;
    const bool reloads = ((value ^ c.s.cr4) & reloading) != 0;
    if (reloads && pae_paging(c.s.cr0, value, c.s.efer)) {
        if (const status st = load_pointers(c, c.s.cr3); st != status::ok) return st;
    }
    c.s.cr4 = value;
    if (reloads) c.env.translations_void(false);
    changed(c);
    return status::ok;
}

std::uint64_t read_control_register(context& c, unsigned n) {
    switch (n) {
        case 0:
            return c.s.cr0;
        case 2:
            return c.s.cr2;
        case 3:
            return c.s.cr3;
        case 4:
            return c.s.cr4;
        default:
            return c.env.read_cr8();
    }
}

status write_control_register(context& c, unsigned n, std::uint64_t value) {
    switch (n) {
        case 0:
            return write_cr0(c, value);
        case 2:
            c.s.cr2 = value;
            return status::ok;
        case 3:
            return write_cr3(c, value);
        case 4:
            return write_cr4(c, value);
        default:
            if (value > 15) return c.gp();
            c.env.write_cr8(static_cast<std::uint8_t>(value));
            return status::ok;
    }
}

namespace {

constexpr std::uint64_t dr6_ones = 0xffff'0ff0, dr6_bits = 0xe00f, dr7_ones = 0x400,
                        dr7_bits = 0xffff'23ff;

// The register `n` stands for; false: a fault.
bool debug_register(context& c, unsigned& n) {
    if ((n | 1) == 5) {
        if ((c.s.cr4 & cr4_de) != 0) {
            c.ud();
            return false;
        }
        n += 2;
    }
    if ((c.s.dr[7] & dr7_gd) != 0) {
        c.debug(dr6_bd);
        return false;
    }
    return true;
}

}  // namespace

status read_debug_register(context& c, unsigned n, std::uint64_t& value) {
    if (!debug_register(c, n)) return c.failure;
    value = c.s.dr[n];
    return status::ok;
}

status write_debug_register(context& c, unsigned n, std::uint64_t value) {
    if (!debug_register(c, n)) return c.failure;
    if (n >= 6 && value >> 32 != 0) return c.gp();
    if (n == 6) value = (value & dr6_bits) | dr6_ones;
    if (n == 7) value = (value & dr7_bits) | dr7_ones;
    c.s.dr[n] = value;
    c.flush_translations();
    return status::ok;
}

}  // namespace knc::isa
