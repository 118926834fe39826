#include <knc/base/address_map.h>
#include <knc/base/bits.h>
#include <knc/isa/memory_type.h>
#include <knc/isa/msr.h>
#include <knc/isa/paging.h>

namespace knc::isa {
namespace {

using base::bit;
using base::mask;

constexpr auto rw = base::register_access::read_write, ro = base::register_access::read_only;
constexpr bool kept = true, initialised = false;

constexpr std::uint64_t all = mask(64), low_half = mask(32);
constexpr std::uint64_t frame = mask(physical_address_bits) & ~mask(12);
constexpr std::uint64_t apic_reset = base::apic_page | bit(11);
constexpr std::uint64_t base_bits = frame | mask(8), mask_bits = frame | bit(11);
constexpr std::uint64_t default_type_bits = mask(8) | bit(10) | bit(11);
constexpr std::uint64_t efer_bits = efer_sce | efer_lme | efer_lma | efer_nxe;
// 8 variable ranges, fixed ranges, write combining.
constexpr std::uint64_t mtrr_cap = 8 | bit(8) | bit(10);
// 3 banks, IA32_MCG_CTL.
constexpr std::uint64_t mcg_cap = 3 | bit(8);
constexpr std::uint64_t power_on_pat = 0x0007'0406'0007'0406;

constexpr const char *sdm_mtrr = "SDM vol. 3, 11.11", *sdm_pat = "SDM vol. 3, 11.12",
                     *sdm_check = "SDM vol. 3, 15.3; card kernel", *sdm_64 = "SDM vol. 3, 2.2.1",
                     *sdm_call = "SDM vol. 3, 5.8.8", *sdm_pc = "SDM vol. 4; kernels of PCs",
                     *kernel = "card kernel", *p5 = "Pentium; card kernel";
constexpr const char *range_base = "base and type of a variable range",
                     *range_size = "size of a variable range, 11: valid",
                     *fixed = "types of eight fixed ranges",
                     *test = "test register; kept, without effect",
                     *check_control = "errors this bank reports; kept, no error occurs",
                     *check_status = "error this bank reports; software can clear it",
                     *check_address = "address of that error; software can clear it",
                     *check_misc = "more on that error; software can clear it";

using place = msr_row::place;
using behaviour = msr_row::behaviour;

// Reads as what is kept, and a write replaces it.
constexpr behaviour any{};

void replace(context& c, const place& p, std::uint64_t value) {
    static_cast<const msr_row*>(p.row)->of(c.s) = value;
}

// EFER and memory types decide what translations allow.
void replace_and_flush(context& c, const place& p, std::uint64_t value) {
    replace(c, p, value);
    c.flush_translations();
    c.update_mode();
}

bool each_byte(std::uint64_t value, bool (*holds)(std::uint64_t)) {
    for (unsigned n = 0; n < 8; ++n) {
        if (!holds(value >> 8 * n & 0xff)) return false;
    }
    return true;
}

constexpr behaviour can{nullptr, nullptr,
                        [](const context&, std::uint64_t value) { return canonical(value); }};
// The low byte is a memory type.
constexpr behaviour type{nullptr, replace_and_flush, [](const context&, std::uint64_t value) {
                             return is_range_type(value & 0xff);
                         }};
// Part of a memory type range.
constexpr behaviour size{nullptr, replace_and_flush};
// Each byte is a memory type.
constexpr behaviour types{nullptr, replace_and_flush, [](const context&, std::uint64_t value) {
                              return each_byte(value, is_range_type);
                          }};
// Each byte is one, or UC-.
constexpr behaviour pages{nullptr, replace_and_flush, [](const context&, std::uint64_t value) {
                              return each_byte(value, is_page_type);
                          }};
constexpr behaviour efer{nullptr,
                         [](context& c, const place& p, std::uint64_t value) {
                             replace_and_flush(c, p, (value & ~efer_lma) | (c.s.efer & efer_lma));
                         },
                         [](const context& c, std::uint64_t value) {
                             return ((value ^ c.s.efer) & efer_lme) == 0 || !c.s.paging();
                         }};

// The register is member X of state.
#define AT(X) [](state& s) -> std::uint64_t& { return s.X; }
#define CHECK(N, X) AT(machine_check.banks[N].X)

// clang-format off
constexpr msr_row rows[] = {
    {{0x000, "P5_MC_ADDR",             ro, 0,                 0,            any,   "address of the cycle that failed; none does"}, kept, nullptr, p5},
    {{0x001, "P5_MC_TYPE",             ro, 0,                 0,            any,   "type of the cycle that failed; none does"}, kept, nullptr, p5},
    {{0x002, "TR1",                    rw, low_half,          0,            any,   test}, kept, AT(test[0]), p5},
    {{0x004, "TR2",                    rw, low_half,          0,            any,   test}, kept, AT(test[1]), p5},
    {{0x005, "TR3",                    rw, low_half,          0,            any,   test}, kept, AT(test[2]), p5},
    {{0x006, "TR4",                    rw, low_half,          0,            any,   test}, kept, AT(test[3]), p5},
    {{0x007, "TR5",                    rw, low_half,          0,            any,   "cache test control; kept, without effect"}, kept, AT(test[4]), p5},
    {{0x008, "TR6",                    rw, low_half,          0,            any,   test}, kept, AT(test[5]), p5},
    {{0x009, "TR7",                    rw, low_half,          0,            any,   test}, kept, AT(test[6]), p5},
    {{0x00b, "TR9",                    rw, low_half,          0,            any,   test}, kept, AT(test[7]), p5},
    {{0x00c, "TR10",                   rw, low_half,          0,            any,   test}, kept, AT(test[8]), p5},
    {{0x00d, "TR11",                   rw, low_half,          0,            any,   test}, kept, AT(test[9]), p5},
    {{0x00e, "TR12",                   rw, low_half,          0,            any,   "feature control, 16: no snoops of the I-cache; kept, without effect"}, kept, AT(test[10]), p5},
    {{0x017, "IA32_PLATFORM_ID",       ro, 0,                 0,            any,   "socket of the processor (profile compat)"}, kept, nullptr, sdm_pc, msr_owner::thread, true},
    {{0x01b, "IA32_APIC_BASE",         rw, frame | bit(8) | bit(11), apic_reset,   any,   "local APIC, 11: enabled, 8: boot processor; the page is fixed"}, kept, nullptr, "SDM vol. 3, 10.4.4", msr_owner::local_apic},
    {{0x08b, "IA32_BIOS_SIGN_ID",      rw, 0,                 0,            any,   "number of the microcode: none; software may write 0 (profile compat)"}, kept, AT(microcode), sdm_pc, msr_owner::thread, true},
    {{0x0fe, "IA32_MTRRCAP",           ro, 0,                 mtrr_cap,     any,   "7:0 variable ranges, 8: fixed ranges, 10: write combining"}, kept, nullptr, sdm_mtrr},
    {{0x179, "IA32_MCG_CAP",           ro, 0,                 mcg_cap,      any,   "7:0 banks, 8: IA32_MCG_CTL exists"}, kept, nullptr, sdm_check},
    {{0x17a, "IA32_MCG_STATUS",        rw, mask(3),           0,            any,   "state of machine check reporting"}, kept, AT(machine_check.status), sdm_check},
    {{0x17b, "IA32_MCG_CTL",           rw, all,               0,            any,   "reporting on and off; kept, no error occurs"}, kept, AT(machine_check.control), sdm_check},
    {{0x1a0, "IA32_MISC_ENABLE",       ro, 0,                 1,            any,   "0: fast strings (profile compat)"}, kept, nullptr, sdm_pc, msr_owner::thread, true, true},
    {{0x200, "IA32_MTRR_PHYSBASE0",    rw, base_bits,         0,            type,  range_base}, kept, AT(memory_types.base[0]), sdm_mtrr},
    {{0x201, "IA32_MTRR_PHYSMASK0",    rw, mask_bits,         0,            size,  range_size}, kept, AT(memory_types.mask[0]), sdm_mtrr},
    {{0x202, "IA32_MTRR_PHYSBASE1",    rw, base_bits,         0,            type,  range_base}, kept, AT(memory_types.base[1]), sdm_mtrr},
    {{0x203, "IA32_MTRR_PHYSMASK1",    rw, mask_bits,         0,            size,  range_size}, kept, AT(memory_types.mask[1]), sdm_mtrr},
    {{0x204, "IA32_MTRR_PHYSBASE2",    rw, base_bits,         0,            type,  range_base}, kept, AT(memory_types.base[2]), sdm_mtrr},
    {{0x205, "IA32_MTRR_PHYSMASK2",    rw, mask_bits,         0,            size,  range_size}, kept, AT(memory_types.mask[2]), sdm_mtrr},
    {{0x206, "IA32_MTRR_PHYSBASE3",    rw, base_bits,         0,            type,  range_base}, kept, AT(memory_types.base[3]), sdm_mtrr},
    {{0x207, "IA32_MTRR_PHYSMASK3",    rw, mask_bits,         0,            size,  range_size}, kept, AT(memory_types.mask[3]), sdm_mtrr},
    {{0x208, "IA32_MTRR_PHYSBASE4",    rw, base_bits,         0,            type,  range_base}, kept, AT(memory_types.base[4]), sdm_mtrr},
    {{0x209, "IA32_MTRR_PHYSMASK4",    rw, mask_bits,         0,            size,  range_size}, kept, AT(memory_types.mask[4]), sdm_mtrr},
    {{0x20a, "IA32_MTRR_PHYSBASE5",    rw, base_bits,         0,            type,  range_base}, kept, AT(memory_types.base[5]), sdm_mtrr},
    {{0x20b, "IA32_MTRR_PHYSMASK5",    rw, mask_bits,         0,            size,  range_size}, kept, AT(memory_types.mask[5]), sdm_mtrr},
    {{0x20c, "IA32_MTRR_PHYSBASE6",    rw, base_bits,         0,            type,  range_base}, kept, AT(memory_types.base[6]), sdm_mtrr},
    {{0x20d, "IA32_MTRR_PHYSMASK6",    rw, mask_bits,         0,            size,  range_size}, kept, AT(memory_types.mask[6]), sdm_mtrr},
    {{0x20e, "IA32_MTRR_PHYSBASE7",    rw, base_bits,         0,            type,  range_base}, kept, AT(memory_types.base[7]), sdm_mtrr},
    {{0x20f, "IA32_MTRR_PHYSMASK7",    rw, mask_bits,         0,            size,  range_size}, kept, AT(memory_types.mask[7]), sdm_mtrr},
    {{0x250, "IA32_MTRR_FIX64K_00000", rw, all,               0,            types, fixed}, kept, AT(memory_types.fixed[0]), sdm_mtrr},
    {{0x258, "IA32_MTRR_FIX16K_80000", rw, all,               0,            types, fixed}, kept, AT(memory_types.fixed[1]), sdm_mtrr},
    {{0x259, "IA32_MTRR_FIX16K_A0000", rw, all,               0,            types, fixed}, kept, AT(memory_types.fixed[2]), sdm_mtrr},
    {{0x268, "IA32_MTRR_FIX4K_C0000",  rw, all,               0,            types, fixed}, kept, AT(memory_types.fixed[3]), sdm_mtrr},
    {{0x269, "IA32_MTRR_FIX4K_C8000",  rw, all,               0,            types, fixed}, kept, AT(memory_types.fixed[4]), sdm_mtrr},
    {{0x26a, "IA32_MTRR_FIX4K_D0000",  rw, all,               0,            types, fixed}, kept, AT(memory_types.fixed[5]), sdm_mtrr},
    {{0x26b, "IA32_MTRR_FIX4K_D8000",  rw, all,               0,            types, fixed}, kept, AT(memory_types.fixed[6]), sdm_mtrr},
    {{0x26c, "IA32_MTRR_FIX4K_E0000",  rw, all,               0,            types, fixed}, kept, AT(memory_types.fixed[7]), sdm_mtrr},
    {{0x26d, "IA32_MTRR_FIX4K_E8000",  rw, all,               0,            types, fixed}, kept, AT(memory_types.fixed[8]), sdm_mtrr},
    {{0x26e, "IA32_MTRR_FIX4K_F0000",  rw, all,               0,            types, fixed}, kept, AT(memory_types.fixed[9]), sdm_mtrr},
    {{0x26f, "IA32_MTRR_FIX4K_F8000",  rw, all,               0,            types, fixed}, kept, AT(memory_types.fixed[10]), sdm_mtrr},
    {{0x277, "IA32_PAT",               rw, all,               power_on_pat, pages, "types that page tables select by PAT, PCD and PWT"}, kept, AT(memory_types.pat), sdm_pat},
    {{0x2ff, "IA32_MTRR_DEF_TYPE",     rw, default_type_bits, 0,            type,  "7:0 type outside the ranges, 10: fixed ranges on, 11: all on"}, kept, AT(memory_types.default_type), sdm_mtrr},
    {{0x342, "CC6_STATUS",             rw, mask(5),           0,            any,   "core C6, 0: allowed, 4:1 threads ready; kept, cores stay awake"}, kept, AT(core_c6), kernel},
    {{0x400, "IA32_MC0_CTL",           rw, all,               0,            any,   check_control}, kept, CHECK(0, control), sdm_check},
    {{0x401, "IA32_MC0_STATUS",        rw, 0,                 0,            any,   check_status}, kept, CHECK(0, status), sdm_check},
    {{0x402, "IA32_MC0_ADDR",          rw, 0,                 0,            any,   check_address}, kept, CHECK(0, address), sdm_check},
    {{0x403, "IA32_MC0_MISC",          rw, 0,                 0,            any,   check_misc}, kept, CHECK(0, misc), sdm_check},
    {{0x404, "IA32_MC1_CTL",           rw, all,               0,            any,   check_control}, kept, CHECK(1, control), sdm_check},
    {{0x405, "IA32_MC1_STATUS",        rw, 0,                 0,            any,   check_status}, kept, CHECK(1, status), sdm_check},
    {{0x406, "IA32_MC1_ADDR",          rw, 0,                 0,            any,   check_address}, kept, CHECK(1, address), sdm_check},
    {{0x407, "IA32_MC1_MISC",          rw, 0,                 0,            any,   check_misc}, kept, CHECK(1, misc), sdm_check},
    {{0x408, "IA32_MC2_CTL",           rw, all,               0,            any,   check_control}, kept, CHECK(2, control), sdm_check},
    {{0x409, "IA32_MC2_STATUS",        rw, 0,                 0,            any,   check_status}, kept, CHECK(2, status), sdm_check},
    {{0x40a, "IA32_MC2_ADDR",          rw, 0,                 0,            any,   check_address}, kept, CHECK(2, address), sdm_check},
    {{0x40b, "IA32_MC2_MISC",          rw, 0,                 0,            any,   check_misc}, kept, CHECK(2, misc), sdm_check},
    {{0xc000'0080, "IA32_EFER",              rw, efer_bits,         0,            efer,  "0: SYSCALL, 8: long mode enabled, 10: active (read-only), 11: no-execute"}, initialised, AT(efer), sdm_64},
    {{0xc000'0081, "IA32_STAR",              rw, all,               0,            any,   "segments of SYSCALL and SYSRET"}, kept, AT(star), sdm_call},
    {{0xc000'0082, "IA32_LSTAR",             rw, all,               0,            can,   "target of SYSCALL"}, kept, AT(lstar), sdm_call},
    {{0xc000'0084, "IA32_FMASK",             rw, low_half,          0,            any,   "flags SYSCALL clears"}, kept, AT(sfmask), sdm_call},
    {{0xc000'0100, "IA32_FS_BASE",           rw, all,               0,            can,   "base of FS"}, initialised, AT(seg[fs].base), sdm_64},
    {{0xc000'0101, "IA32_GS_BASE",           rw, all,               0,            can,   "base of GS"}, initialised, AT(seg[gs].base), sdm_64},
    {{0xc000'0102, "IA32_KERNEL_GS_BASE",    rw, all,               0,            can,   "base SWAPGS exchanges with that of GS"}, kept, AT(kernel_gs_base), sdm_64},
    {{0xc000'0103, "IA32_TSC_AUX",           rw, low_half,          0,            any,   "ECX of RDTSCP (profile compat)"}, kept, AT(tsc_aux), "SDM vol. 3, 17.17.2", msr_owner::thread, true},
};
// clang-format on
#undef CHECK
#undef AT
static_assert(base::in_order(rows));
constexpr base::register_table<msr_row> table{rows};

}  // namespace

const base::register_table<msr_row>& msrs() {
    return table;
}

}  // namespace knc::isa
