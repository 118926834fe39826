// Architectural state of one hardware thread.
//
// Models: what software can see of the thread: general registers, RIP, flags, segments, descriptor
// table registers, control and debug registers, vector registers, the MSRs that belong to the
// thread. Leaves out: MSRs of the PMU and of the card.
// Source: Intel SDM vol. 3, chapters 2 and 3.
#ifndef KNC_ISA_STATE_H
#define KNC_ISA_STATE_H

#include <array>
#include <cstdint>

#include <knc/base/bits.h>
#include <knc/isa/flags.h>
#include <knc/isa/vector_state.h>
#include <knc/isa/x87_state.h>

namespace knc::isa {

enum gpr : std::uint8_t {
    rax,
    rcx,
    rdx,
    rbx,
    rsp,
    rbp,
    rsi,
    rdi,
    r8,
    r9,
    r10,
    r11,
    r12,
    r13,
    r14,
    r15,
    no_register,  // always 0: base or index of an address that has none
    rip,          // the next instruction while one executes
    gpr_count
};

enum segment_register : std::uint8_t { es, cs, ss, ds, fs, gs, segment_count };

// Visible selector and hidden descriptor part of a segment register.
struct segment {
    std::uint16_t selector = 0;
    // Bits 55:40 of the descriptor: 3:0 type, 4 S, 6:5 DPL, 7 P, 12 AVL, 13 L, 14 D/B, 15 G. Bits
    // 11:8 are 0.
    std::uint16_t attributes = 0;
    std::uint32_t limit = 0;  // in bytes, the last valid offset
    std::uint64_t base = 0;

    unsigned type() const { return attributes & 15u; }
    bool code_or_data() const { return (attributes & 1u << 4) != 0; }
    unsigned dpl() const { return attributes >> 5 & 3u; }
    bool present() const { return (attributes & 1u << 7) != 0; }
    bool long_mode() const { return (attributes & 1u << 13) != 0; }
    bool big() const { return (attributes & 1u << 14) != 0; }
    bool usable() const { return present(); }
};

struct table_register {
    std::uint64_t base = 0;
    std::uint16_t limit = 0xffff;
};

inline constexpr std::uint64_t cr0_pe = 1u << 0, cr0_mp = 1u << 1, cr0_em = 1u << 2,
                               cr0_ts = 1u << 3, cr0_et = 1u << 4, cr0_ne = 1u << 5,
                               cr0_wp = 1u << 16, cr0_am = 1u << 18, cr0_nw = 1u << 29,
                               cr0_cd = 1u << 30, cr0_pg = 1u << 31;
inline constexpr std::uint64_t cr4_vme = 1u << 0, cr4_pvi = 1u << 1, cr4_tsd = 1u << 2,
                               cr4_de = 1u << 3, cr4_pse = 1u << 4, cr4_pae = 1u << 5,
                               cr4_mce = 1u << 6, cr4_pge = 1u << 7, cr4_pce = 1u << 8;
inline constexpr std::uint64_t efer_sce = 1u << 0, efer_lme = 1u << 8, efer_lma = 1u << 10,
                               efer_nxe = 1u << 11;

// Memory type range registers and page attribute table (knc/isa/memory_type.h).
struct memory_type_registers {
    std::array<std::uint64_t, 8> base{}, mask{};  // the variable ranges
    std::array<std::uint64_t, 11> fixed{};        // eight ranges each, from address 0 up
    std::uint64_t default_type = 0, pat = 0;
};

// Nothing in the machine fails, so only software changes these.
struct machine_check_registers {
    struct bank {
        std::uint64_t control = 0, status = 0, address = 0, misc = 0;
    };
    std::uint64_t status = 0, control = 0;
    std::array<bank, 3> banks{};
};

// How code is decoded and addresses are formed.
enum class code_mode : std::uint8_t { bits16, bits32, bits64 };

struct state {
    std::array<std::uint64_t, gpr_count> r{};
    arithmetic_state arithmetic;
    std::uint32_t eflags = 2;  // all flags but the six arithmetic ones; bit 1 reads as 1
    std::uint8_t cpl = 0;
    code_mode mode = code_mode::bits16;  // derived from CS, CR0 and EFER: see update_mode()
    std::array<segment, segment_count> seg{};
    segment ldtr, tr;
    table_register gdtr, idtr;
    std::uint64_t cr0 = cr0_et | cr0_cd | cr0_nw, cr2 = 0, cr3 = 0, cr4 = 0;
    std::array<std::uint64_t, 4> pdpte{};  // page-directory pointers of PAE paging, loaded with CR3
    std::array<std::uint64_t, 8> dr{0, 0, 0, 0, 0, 0, 0xffff0ff0, 0x400};
    std::uint64_t efer = 0, star = 0, lstar = 0, sfmask = 0, kernel_gs_base = 0;
    std::uint64_t microcode = 0;  // profile compat only
    std::uint64_t tsc_aux = 0;    // profile compat only
    x87_state x87;
    std::uint32_t mxcsr = mxcsr_initial;
    vector_state vector;
    memory_type_registers memory_types;
    machine_check_registers machine_check;
    std::array<std::uint64_t, 11> test{};  // TR1-7, TR9-12
    std::uint64_t core_c6 = 0;

    bool protected_mode() const { return (cr0 & cr0_pe) != 0; }
    bool paging() const { return (cr0 & cr0_pg) != 0; }
    bool long_mode() const { return (efer & efer_lma) != 0; }
    bool virtual_8086() const { return (eflags & flag_vm) != 0; }

    std::uint64_t rflags() const { return eflags | arithmetic.get(); }
    void set_rflags(std::uint64_t f) {
        arithmetic.set(static_cast<std::uint32_t>(f));
        eflags = (static_cast<std::uint32_t>(f) & ~arithmetic_flags & 0x3f7fd5u) | 2;
    }
};

// Family and model as CPUID leaf 1 has them in EAX and reset leaves them in EDX: family 0x0B, model
// 1; of profile p55c family 5, model 4.
constexpr std::uint32_t signature(std::uint32_t stepping, profile p = profile::knc) {
    return (p == profile::p55c ? 0x0540u : 0x0b10u) | (stepping & 15);
}
inline constexpr std::uint32_t default_signature = signature(2);

// State after reset (SDM vol. 3, table 9-1): real mode at F000:FFF0. After each of these three,
// call context::flush_translations() and update_mode().
void reset(state&, std::uint32_t signature = default_signature);
// State after INIT: as after reset, but INIT keeps the x87 unit, MXCSR, CR0.CD, CR0.NW and those
// MSRs of which the table of knc/isa/msr.h says so.
void init(state&, std::uint32_t signature = default_signature);
// Does what the card's boot code has done on every thread before other software runs: caches on,
// memory write-back except for the device hole below 4 GB.
void enable_caches(state&);
// Where and how a loader, or a coprocessor's boot code, lets a thread begin.
struct entry_point {
    std::uint64_t rip = 0, rax = 0, rbx = 0, rsi = 0;  // the others are as after reset
    // Selectors of CS and of the data segments, whose hidden parts are flat in any case.
    std::uint16_t code_selector = 0x08, data_selector = 0x10;
    table_register gdt{};
    // Not 0: 64-bit code with these page tables. 0: 32-bit protected mode, paging off.
    std::uint64_t page_tables = 0;
};
// State at an entry: interrupts off, after enable_caches().
void enter(state&, const entry_point&, std::uint32_t signature = default_signature);
// The same at `eip` in 32-bit protected mode. Only the hidden parts have descriptors.
void enter_flat_protected_mode(state&, std::uint32_t eip,
                               std::uint32_t signature = default_signature);

}  // namespace knc::isa

#endif
