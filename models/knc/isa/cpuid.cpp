#include <knc/isa/cpuid.h>

#include <algorithm>
#include <iterator>

#include <knc/base/address_map.h>
#include <knc/isa/paging.h>

namespace knc::isa {
namespace {

constexpr std::uint32_t b(unsigned n) {
    return 1u << n;
}

// Features of leaf 1 EDX and of leaf 0x80000001 EDX.
constexpr std::uint32_t fpu = b(0), de = b(2), pse = b(3), tsc = b(4), msr = b(5), pae = b(6),
                        cx8 = b(8), apic = b(9), mtrr = b(12), pge = b(13), pat = b(16),
                        fxsr = b(24), htt = b(28);
constexpr std::uint32_t syscall = b(11), nx = b(20), lm = b(29);
// What profile compat adds: leaf 1 EDX, leaf 1 ECX, leaf 0x80000001 EDX.
constexpr std::uint32_t cmov = b(15), clfsh = b(19), cx16 = b(13), rdtscp = b(27);
constexpr std::uint32_t sse = b(25), sse2 = b(26);  // leaf 1 EDX, on demand
// What profile p55c has beside: leaf 1 EDX.
constexpr std::uint32_t vme = b(1), mce = b(7), mmx = b(23);
constexpr std::uint32_t line_bytes = base::line_bytes;
constexpr std::uint32_t clflush_line = line_bytes / 8 << 8;

// Caches: type 1 data, 2 instructions, 3 both; 64-byte lines; shared by the four threads of a core.
constexpr unsigned threads = 4, most_cores = 62;
constexpr std::uint32_t cache_eax(unsigned type, unsigned level) {
    constexpr unsigned self_initializing = 1;
    return type | level << 5 | self_initializing << 8 | (threads - 1) << 14 |
           (most_cores - 1) << 26;
}
constexpr std::uint32_t cache_ebx(unsigned ways) {
    return (line_bytes - 1) | (ways - 1) << 22;
}
constexpr std::uint32_t cache_ecx(unsigned kilobytes, unsigned ways) {
    return kilobytes * 1024 / line_bytes / ways - 1;
}
constexpr std::uint32_t inclusive = b(1);

constexpr std::uint32_t any = ~0u;
struct row {
    std::uint32_t leaf, subleaf;
    cpuid_result value;
};
constexpr row rows[] = {
    {0, any, {4, 0x756e6547, 0x6c65746e, 0x49656e69}},  // "Genu" "ntel" "ineI"
    // EBX 23:16: APIC IDs of the package, so that software finds one package with the cores of
    // leaf 4.
    {1,
     any,
     {0, threads* most_cores << 16, 0,
      fpu | de | pse | tsc | msr | pae | cx8 | apic | mtrr | pge | pat | fxsr | htt}},
    // Descriptors: L1D 32 KB 8-way (2C), L1I 32 KB 8-way (30), L2 512 KB 8-way (80).
    {2, any, {0x01, 0, 0, 0x80302c}},
    {4, 0, {cache_eax(1, 1), cache_ebx(8), cache_ecx(32, 8), 0}},
    {4, 1, {cache_eax(2, 1), cache_ebx(8), cache_ecx(32, 8), 0}},
    {4, 2, {cache_eax(3, 2), cache_ebx(8), cache_ecx(512, 8), inclusive}},
    {0x2000'0000, any, {0x2000'0001, 0, 0, 0}},
    {0x8000'0000, any, {0x8000'0008, 0, 0, 0}},
    {0x8000'0001, any, {0, 0, 0, syscall | nx | lm}},
    {0x8000'0006, any, {0, 0, 512u << 16 | 6u << 12 | line_bytes, 0}},  // 6: 8-way
    {0x8000'0008, any, {physical_address_bits | linear_address_bits << 8, 0, 0, 0}},
};

void add_compat(std::uint32_t leaf, const cpuid_thread& t, cpuid_result& r) {
    if (leaf == 1) {
        r.edx |= cmov | clfsh;
        if (t.announce_sse) r.edx |= sse | sse2;
        r.ecx |= cx16;
        r.ebx |= clflush_line;
    } else if (leaf == 0x8000'0001) {
        r.edx |= rdtscp;
    }
}

// A Pentium with MMX has the two leaves that it names.
cpuid_result cpuid_of_p55c(std::uint32_t leaf, const cpuid_thread& t) {
    if (leaf == 0) return {1, 0x756e6547, 0x6c65746e, 0x49656e69};
    if (leaf != 1) return {};
    constexpr std::uint32_t features = fpu | vme | de | pse | tsc | msr | mce | cx8 | mmx;
    return {t.signature, 0, 0, features | (t.apic_enabled ? apic : 0)};
}

// Leaf 0AH of four general and three fixed counters of 48 bits, and seven events, of which none is
// absent.
constexpr std::uint32_t pdcm = b(15), dtes64 = b(2);  // leaf 1 ECX
constexpr std::uint32_t ds = b(21);                   // leaf 1 EDX
void add_perfmon(std::uint32_t leaf, const cpuid_thread& t, cpuid_result& r) {
    constexpr std::uint32_t last_leaf = 0xa, general = 4, fixed = 3, width = 48, events = 7;
    if (leaf == 0) r.eax = last_leaf;
    if (leaf == 1) r.ecx |= t.debug_store ? pdcm | dtes64 : pdcm;
    if (leaf == 1 && t.debug_store) r.edx |= ds;
    if (leaf == last_leaf)
        r = {t.perfmon_version | general << 8 | width << 16 | events << 24, 0, 0,
             fixed | width << 5};
}

// Leaf 7 announces leaf 0FH, whose sub-leaf 0 names the resources and whose sub-leaf 1 is the L3.
// The leaves between the last one of the machine and these are zeros.
void add_monitoring(std::uint32_t leaf, std::uint32_t subleaf, const monitoring& m,
                    cpuid_result& r) {
    constexpr std::uint32_t last_leaf = 0xf, exists = b(12), l3 = b(1), occupancy = 1, all = 7;
    if (leaf == 0) r.eax = last_leaf;
    if (leaf == 7 && subleaf == 0) r.ebx |= exists;
    if (leaf != last_leaf) return;
    if (subleaf == 0) r = {0, m.rmids - 1, 0, l3};
    if (subleaf == 1) r = {0, m.upscale, m.l3_rmids - 1, m.bandwidth ? all : occupancy};
}

// Leaf 4, sub-leaf 3: the L3, of all threads of the package.
void add_l3(std::uint32_t leaf, std::uint32_t subleaf, const monitoring& m, cpuid_result& r) {
    if (leaf != 4 || subleaf != 3) return;
    constexpr unsigned unified = 3, level = 3, self_initializing = 1;
    r = {unified | level << 5 | self_initializing << 8 | (threads * most_cores - 1) << 14 |
             (most_cores - 1) << 26,
         cache_ebx(m.l3_ways), cache_ecx(m.l3_kilobytes, m.l3_ways), inclusive};
}

}  // namespace

cpuid_result cpuid(std::uint32_t leaf, std::uint32_t subleaf, profile p, const cpuid_thread& t) {
    if (p == profile::p55c) return cpuid_of_p55c(leaf, t);
    const auto found = std::find_if(std::begin(rows), std::end(rows), [&](const row& r) {
        return r.leaf == leaf && (r.subleaf == any || r.subleaf == subleaf);
    });
    cpuid_result r = found == std::end(rows) ? cpuid_result{} : found->value;
    if (leaf == 1) {
        r.eax = t.signature;
        r.ebx |= t.apic_id << 24;
        if (!t.apic_enabled) r.edx &= ~apic;
    }
    if (p == profile::compat) add_compat(leaf, t, r);
    if (t.perfmon_version != 0) add_perfmon(leaf, t, r);
    if (t.cache_monitoring.l3_ways != 0) add_l3(leaf, subleaf, t.cache_monitoring, r);
    if (t.cache_monitoring.rmids != 0) add_monitoring(leaf, subleaf, t.cache_monitoring, r);
    return r;
}

}  // namespace knc::isa
