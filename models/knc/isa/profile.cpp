#include <knc/isa/profile.h>

#include <algorithm>
#include <iterator>

#include <Zydis/Zydis.h>

namespace knc::isa {
namespace {

// The sets of profiles knc and compat, which refuse everything outside them.
constexpr ZydisISASet executed_sets[] = {
    ZYDIS_ISA_SET_I86,       ZYDIS_ISA_SET_I186,     ZYDIS_ISA_SET_I286PROTECTED,
    ZYDIS_ISA_SET_I286REAL,  ZYDIS_ISA_SET_I386,     ZYDIS_ISA_SET_I486,
    ZYDIS_ISA_SET_I486REAL,  ZYDIS_ISA_SET_LONGMODE, ZYDIS_ISA_SET_PENTIUMREAL,
    ZYDIS_ISA_SET_PPRO,      ZYDIS_ISA_SET_AMD,      ZYDIS_ISA_SET_LAHF,
    ZYDIS_ISA_SET_RDPMC,     ZYDIS_ISA_SET_X87,      ZYDIS_ISA_SET_FXSAVE,
    ZYDIS_ISA_SET_FXSAVE64,  ZYDIS_ISA_SET_SSEMXCSR, ZYDIS_ISA_SET_FAT_NOP,
    ZYDIS_ISA_SET_KNC_MISC,  ZYDIS_ISA_SET_KNCE,     ZYDIS_ISA_SET_KNCJKBR,
    ZYDIS_ISA_SET_KNCSTREAM, ZYDIS_ISA_SET_KNCV,     ZYDIS_ISA_SET_KNC_PF_HINT,
};

// Refused instructions with a hint of their own; `compat`: profile compat has them.
struct set_rule {
    ZydisISASet set;
    bool compat;
    const char* why;
};
struct mnemonic_rule {
    ZydisMnemonic mnemonic;
    bool compat;
    const char* why;
};

constexpr const char* no_cmov =
    "Knights Corner has no CMOV; build through the firmware's CMOV rewriting step";
constexpr const char* no_fence =
    "Knights Corner has no fences; use a locked add to the stack instead";
constexpr const char* no_port =
    "Knights Corner has no port I/O; its devices are reached through memory";
constexpr const char* no_compare =
    "Knights Corner has no x87 compare into EFLAGS; compare with FCOM and FNSTSW";
constexpr const char* no_count =
    "Knights Corner has the VEX forms only; build without -mpopcnt, -mlzcnt and -mbmi";
constexpr const char* no_prefetch = "Knights Corner has no PREFETCHx; use VPREFETCHx";
constexpr const char* no_sysenter = "Knights Corner has no SYSENTER; use SYSCALL";
constexpr const char* no_monitor = "Knights Corner has no MONITOR and MWAIT; use HLT or DELAY";
constexpr const char* no_simd =
    "Knights Corner has no MMX, SSE or AVX; build with -mgeneral-regs-only";

constexpr set_rule set_rules[] = {
    {ZYDIS_ISA_SET_CMOV, true, no_cmov},
    {ZYDIS_ISA_SET_PAUSE, true, "Knights Corner has no PAUSE; use DELAY"},
    {ZYDIS_ISA_SET_CMPXCHG16B, true, "Knights Corner has no CMPXCHG16B; build with -mno-cx16"},
    {ZYDIS_ISA_SET_RDTSCP, true, "Knights Corner has no RDTSCP; use RDTSC"},
    {ZYDIS_ISA_SET_CLFSH, true, "Knights Corner has no CLFLUSH; use CLEVICT0 and CLEVICT1"},
    {ZYDIS_ISA_SET_SSE_PREFETCH, true, no_prefetch},
    {ZYDIS_ISA_SET_PREFETCH_NOP, true, no_prefetch},
    {ZYDIS_ISA_SET_PREFETCHWT1, true, no_prefetch},
    {ZYDIS_ISA_SET_FCMOV, true, "Knights Corner has no FCMOV; build for a Pentium's x87"},
    {ZYDIS_ISA_SET_MONITOR, false, no_monitor},
    {ZYDIS_ISA_SET_POPCNT, false, no_count},
    {ZYDIS_ISA_SET_LZCNT, false, no_count},
    {ZYDIS_ISA_SET_BMI1, false, no_count},
    {ZYDIS_ISA_SET_BMI2, false, no_count},
    {ZYDIS_ISA_SET_MOVBE, false, "Knights Corner has no MOVBE; build with -mno-movbe"},
    {ZYDIS_ISA_SET_RDWRFSGS, false,
     "Knights Corner has no RDFSBASE family; use MSRs C0000100 and C0000101"},
    {ZYDIS_ISA_SET_PENTIUMMMX, false, no_simd},
    {ZYDIS_ISA_SET_SSE, false, no_simd},
    {ZYDIS_ISA_SET_SSE2, false, no_simd},
    {ZYDIS_ISA_SET_SSE2MMX, false, no_simd},
    {ZYDIS_ISA_SET_SSE3, false, no_simd},
    {ZYDIS_ISA_SET_SSE3X87, false, no_simd},
    {ZYDIS_ISA_SET_SSSE3, false, no_simd},
    {ZYDIS_ISA_SET_SSSE3MMX, false, no_simd},
    {ZYDIS_ISA_SET_SSE4, false, no_simd},
    {ZYDIS_ISA_SET_SSE42, false, no_simd},
    {ZYDIS_ISA_SET_AVX, false, no_simd},
    {ZYDIS_ISA_SET_AVX2, false, no_simd},
    {ZYDIS_ISA_SET_FMA, false, no_simd},
};

// Instructions that share a set with some that the card has or, the fences, with some it has not.
constexpr mnemonic_rule mnemonic_rules[] = {
    {ZYDIS_MNEMONIC_LFENCE, true, no_fence},      {ZYDIS_MNEMONIC_MFENCE, true, no_fence},
    {ZYDIS_MNEMONIC_SFENCE, true, no_fence},      {ZYDIS_MNEMONIC_IN, true, no_port},
    {ZYDIS_MNEMONIC_OUT, true, no_port},          {ZYDIS_MNEMONIC_INSB, true, no_port},
    {ZYDIS_MNEMONIC_INSW, true, no_port},         {ZYDIS_MNEMONIC_INSD, true, no_port},
    {ZYDIS_MNEMONIC_OUTSB, true, no_port},        {ZYDIS_MNEMONIC_OUTSW, true, no_port},
    {ZYDIS_MNEMONIC_OUTSD, true, no_port},        {ZYDIS_MNEMONIC_FCOMI, true, no_compare},
    {ZYDIS_MNEMONIC_FCOMIP, true, no_compare},    {ZYDIS_MNEMONIC_FUCOMI, true, no_compare},
    {ZYDIS_MNEMONIC_FUCOMIP, true, no_compare},   {ZYDIS_MNEMONIC_SYSENTER, false, no_sysenter},
    {ZYDIS_MNEMONIC_SYSEXIT, false, no_sysenter},
};

// Those of a Pentium with MMX. The decoder puts later MMX instructions into the set of the first.
constexpr ZydisISASet pentium_sets[] = {
    ZYDIS_ISA_SET_I86,      ZYDIS_ISA_SET_I186,        ZYDIS_ISA_SET_I286PROTECTED,
    ZYDIS_ISA_SET_I286REAL, ZYDIS_ISA_SET_I386,        ZYDIS_ISA_SET_I486,
    ZYDIS_ISA_SET_I486REAL, ZYDIS_ISA_SET_PENTIUMREAL, ZYDIS_ISA_SET_LAHF,
    ZYDIS_ISA_SET_RDPMC,    ZYDIS_ISA_SET_X87,         ZYDIS_ISA_SET_PENTIUMMMX,
    ZYDIS_ISA_SET_PAUSE,  // NOP with a prefix
};
// Undefined by definition: no processor has them.
constexpr ZydisMnemonic undefined_mnemonics[] = {ZYDIS_MNEMONIC_UD0, ZYDIS_MNEMONIC_UD1,
                                                 ZYDIS_MNEMONIC_UD2};

// MMX instructions that came with SSE, which Zydis counts among those of the Pentium.
constexpr ZydisMnemonic mmx_of_sse[] = {
    ZYDIS_MNEMONIC_MASKMOVQ, ZYDIS_MNEMONIC_MOVNTQ, ZYDIS_MNEMONIC_PAVGB,    ZYDIS_MNEMONIC_PAVGW,
    ZYDIS_MNEMONIC_PEXTRW,   ZYDIS_MNEMONIC_PINSRW, ZYDIS_MNEMONIC_PMAXSW,   ZYDIS_MNEMONIC_PMAXUB,
    ZYDIS_MNEMONIC_PMINSW,   ZYDIS_MNEMONIC_PMINUB, ZYDIS_MNEMONIC_PMOVMSKB, ZYDIS_MNEMONIC_PMULHUW,
    ZYDIS_MNEMONIC_PSADBW,   ZYDIS_MNEMONIC_PSHUFW,
};

constexpr const char* not_of_pentium =
    "a Pentium with MMX has no such instruction; build with -march=pentium-mmx";
struct pentium_hint {
    ZydisMnemonic mnemonic;
    const char* why;
};
constexpr const char* no_pentium_fence =
    "a Pentium with MMX has no fences; use a locked add to the stack instead";
constexpr pentium_hint pentium_hints[] = {
    {ZYDIS_MNEMONIC_LFENCE, no_pentium_fence},
    {ZYDIS_MNEMONIC_MFENCE, no_pentium_fence},
    {ZYDIS_MNEMONIC_SFENCE, no_pentium_fence},
    {ZYDIS_MNEMONIC_RDTSCP, "a Pentium with MMX has no RDTSCP; use RDTSC"},
};

template <class Range, class Value>
bool contains(const Range& range, Value value) {
    return std::find(std::begin(range), std::end(range), value) != std::end(range);
}

bool pentium_has(const ZydisDecodedInstruction& i) {
    if (contains(undefined_mnemonics, i.mnemonic)) return true;
    return contains(pentium_sets, i.meta.isa_set) &&
           (i.meta.isa_set != ZYDIS_ISA_SET_PENTIUMMMX || !contains(mmx_of_sse, i.mnemonic));
}

bool refused_by_pentium(const ZydisDecodedInstruction& i, const char** why) {
    if (pentium_has(i)) return false;
    if (why == nullptr) return true;
    const auto* const hint =
        std::find_if(std::begin(pentium_hints), std::end(pentium_hints),
                     [&](const pentium_hint& h) { return h.mnemonic == i.mnemonic; });
    *why = hint != std::end(pentium_hints) ? hint->why : not_of_pentium;
    return true;
}

}  // namespace

bool refused(profile p, const ZydisDecodedInstruction& i, const char** why) {
    if (p == profile::p55c) return refused_by_pentium(i, why);
    const char* reason = nullptr;
    bool compat = false;
    const auto take = [&](const auto& rules, auto matches) {
        const auto rule = std::find_if(std::begin(rules), std::end(rules), matches);
        if (rule == std::end(rules)) return;
        reason = rule->why;
        compat = rule->compat;
    };
    take(set_rules, [&](const set_rule& r) { return r.set == i.meta.isa_set; });
    take(mnemonic_rules, [&](const mnemonic_rule& r) { return r.mnemonic == i.mnemonic; });
    if (reason == nullptr) {
        if (contains(executed_sets, i.meta.isa_set)) return false;
        reason = "Knights Corner has no such instruction; build for plain x86-64";
    }
    if (why != nullptr) *why = reason;
    return !(compat && p == profile::compat);
}

}  // namespace knc::isa
