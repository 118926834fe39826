// Instructions of the vector unit against those of AVX-512 that mean the same, a second opinion.
//
// Skipped on hosts without AVX-512.
#include <gtest/gtest.h>

#if defined(__x86_64__)

#include <map>
#include <string>

#include <fmt/format.h>

#include "vector_host.h"
#include "vector_machine_cases.h"

namespace knc::isa::test {
namespace {

#define KNC_AVX512 __attribute__((target("avx512f")))

struct operands {
    vm_register dest, second, third;
    std::uint16_t mask = 0;  // the writemask; the result of a comparison
};

KNC_AVX512 __m512i get(const vm_register& r) {
    return _mm512_load_si512(r.bytes.data());
}

// Volatile assembly stays where MXCSR is set.
#define KNC_HOST(name, text)                                          \
    KNC_AVX512 void name(operands& x) {                               \
        __m512i d = get(x.dest), a = get(x.second), b = get(x.third); \
        const auto k = static_cast<__mmask16>(x.mask);                \
        asm volatile(text " %[b], %[a], %[d] %{%[k]%}"                \
                     : [d] "+v"(d)                                    \
                     : [a] "v"(a), [b] "v"(b), [k] "Yk"(k));          \
        _mm512_store_si512(x.dest.bytes.data(), d);                   \
    }
#define KNC_HOST_IMMEDIATE(name, text)                                     \
    template <unsigned Imm>                                                \
    KNC_AVX512 void name(operands& x) {                                    \
        __m512i d = get(x.dest), a = get(x.second), b = get(x.third);      \
        const auto k = static_cast<__mmask16>(x.mask);                     \
        asm volatile(text " %[i], %[b], %[a], %[d] %{%[k]%}"               \
                     : [d] "+v"(d)                                         \
                     : [a] "v"(a), [b] "v"(b), [k] "Yk"(k), [i] "i"(Imm)); \
        _mm512_store_si512(x.dest.bytes.data(), d);                        \
    }
#define KNC_HOST_COMPARE(name, text)                                       \
    template <unsigned Imm>                                                \
    KNC_AVX512 void name(operands& x) {                                    \
        __m512i a = get(x.second), b = get(x.third);                       \
        __mmask16 r, k = static_cast<__mmask16>(x.mask);                   \
        asm volatile(text " %[i], %[b], %[a], %[r] %{%[k]%}"               \
                     : [r] "=Yk"(r)                                        \
                     : [a] "v"(a), [b] "v"(b), [k] "Yk"(k), [i] "i"(Imm)); \
        x.mask = r;                                                        \
    }
KNC_HOST(addps, "vaddps")
KNC_HOST(addpd, "vaddpd")
KNC_HOST(subps, "vsubps")
KNC_HOST(subpd, "vsubpd")
KNC_HOST(mulps, "vmulps")
KNC_HOST(mulpd, "vmulpd")
#define KNC_HOST_FMA(name)             \
    KNC_HOST(name##ps, "v" #name "ps") \
    KNC_HOST(name##pd, "v" #name "pd")
KNC_HOST_FMA(fmadd132)
KNC_HOST_FMA(fmadd213)
KNC_HOST_FMA(fmadd231)
KNC_HOST_FMA(fmsub132)
KNC_HOST_FMA(fmsub213)
KNC_HOST_FMA(fmsub231)
KNC_HOST_FMA(fnmadd132)
KNC_HOST_FMA(fnmadd213)
KNC_HOST_FMA(fnmadd231)
KNC_HOST_FMA(fnmsub132)
KNC_HOST_FMA(fnmsub213)
KNC_HOST_FMA(fnmsub231)
KNC_HOST(paddd, "vpaddd")
KNC_HOST(psubd, "vpsubd")
KNC_HOST(pmulld, "vpmulld")
KNC_HOST(pmaxsd, "vpmaxsd")
KNC_HOST(pmaxud, "vpmaxud")
KNC_HOST(pminsd, "vpminsd")
KNC_HOST(pminud, "vpminud")
KNC_HOST(psllvd, "vpsllvd")
KNC_HOST(psrlvd, "vpsrlvd")
KNC_HOST(psravd, "vpsravd")
KNC_HOST(pandd, "vpandd")
KNC_HOST(pandq, "vpandq")
KNC_HOST(pandnd, "vpandnd")
KNC_HOST(pandnq, "vpandnq")
KNC_HOST(pord, "vpord")
KNC_HOST(porq, "vporq")
KNC_HOST(pxord, "vpxord")
KNC_HOST(pxorq, "vpxorq")
KNC_HOST(permd, "vpermd")
KNC_HOST(blendmps, "vblendmps")
KNC_HOST(blendmpd, "vblendmpd")
KNC_HOST_IMMEDIATE(alignd, "valignd")
KNC_HOST_COMPARE(cmpps, "vcmpps")
KNC_HOST_COMPARE(cmppd, "vcmppd")
KNC_HOST_COMPARE(pcmpd, "vpcmpd")
KNC_HOST_COMPARE(pcmpud, "vpcmpud")

using host_function = void (*)(operands&);
// By bits of the immediate.
#define KNC_EIGHT(f) f<0>, f<1>, f<2>, f<3>, f<4>, f<5>, f<6>, f<7>
#define KNC_SIXTEEN(f) KNC_EIGHT(f), f<8>, f<9>, f<10>, f<11>, f<12>, f<13>, f<14>, f<15>
#define KNC_BOTH(name, f)   \
    {name "PS", {f##ps}}, { \
        name "PD", {        \
            f##pd           \
        }                   \
    }

const std::map<std::string, std::vector<host_function>> on_this_host = {
    KNC_BOTH("VADD", add),
    KNC_BOTH("VSUB", sub),
    KNC_BOTH("VMUL", mul),
    KNC_BOTH("VFMADD132", fmadd132),
    KNC_BOTH("VFMADD213", fmadd213),
    KNC_BOTH("VFMADD231", fmadd231),
    KNC_BOTH("VFMSUB132", fmsub132),
    KNC_BOTH("VFMSUB213", fmsub213),
    KNC_BOTH("VFMSUB231", fmsub231),
    KNC_BOTH("VFNMADD132", fnmadd132),
    KNC_BOTH("VFNMADD213", fnmadd213),
    KNC_BOTH("VFNMADD231", fnmadd231),
    KNC_BOTH("VFNMSUB132", fnmsub132),
    KNC_BOTH("VFNMSUB213", fnmsub213),
    KNC_BOTH("VFNMSUB231", fnmsub231),
    KNC_BOTH("VBLENDM", blendm),
    {"VPADDD", {paddd}},
    {"VPSUBD", {psubd}},
    {"VPMULLD", {pmulld}},
    {"VPMAXSD", {pmaxsd}},
    {"VPMAXUD", {pmaxud}},
    {"VPMINSD", {pminsd}},
    {"VPMINUD", {pminud}},
    {"VPSLLVD", {psllvd}},
    {"VPSRLVD", {psrlvd}},
    {"VPSRAVD", {psravd}},
    {"VPANDD", {pandd}},
    {"VPANDQ", {pandq}},
    {"VPANDND", {pandnd}},
    {"VPANDNQ", {pandnq}},
    {"VPORD", {pord}},
    {"VPORQ", {porq}},
    {"VPXORD", {pxord}},
    {"VPXORQ", {pxorq}},
    {"VPERMD", {permd}},
    {"VALIGND", {KNC_SIXTEEN(alignd)}},
    {"VCMPPS", {KNC_EIGHT(cmpps)}},
    {"VCMPPD", {KNC_EIGHT(cmppd)}},
    {"VPCMPD", {KNC_EIGHT(pcmpd)}},
    {"VPCMPUD", {KNC_EIGHT(pcmpud)}},
};

// What the host makes of the case in registers; the state after it.
vm_state expected_of(const vm_trial& t, const std::vector<host_function>& f) {
    const vm_case& c = t.c;
    const bool compare = c.row->what.shape == vm_shape::compare;
    vm_state s = t.before;
    operands x{compare ? vm_register{} : s.zmm[c.reg], s.zmm[c.second], s.zmm[c.rm],
               c.mask == 0 ? std::uint16_t{0xffff} : s.k[c.mask]};
    const reference_mode m{s.mxcsr >> 13 & 3, (s.mxcsr & mxcsr_daz) != 0,
                           (s.mxcsr & mxcsr_fz) != 0};
    const auto [unused, flags] = on_host(m, [&] {
        f[c.imm % f.size()](x);
        return 0;
    });
    static_cast<void>(unused);
    if (compare)
        s.k[c.reg] = x.mask;
    else
        s.zmm[c.reg] = x.dest;
    s.mxcsr |= flags;
    s.rip += t.code.size;
    return s;
}

TEST(vector_machine_host, agrees_with_avx512) {
    if (!__builtin_cpu_supports("avx512f")) GTEST_SKIP() << "this host has no AVX-512";
    const std::uint64_t first = vector_first_seed(), cases = vector_cases(5000);
    vm_model model;
    vm_trial t;
    std::size_t found = 0;
    for (const vm_row& r : vm_rows()) {
        const auto f = on_this_host.find(r.name);
        if (f == on_this_host.end()) continue;
        ++found;
        unsigned failures = 0;
        for (std::uint64_t n = 0; n < cases && failures < 3; ++n) {
            vm_prepare(r, {false, false, 0}, first + n, t);
            model.set(t.before);
            const status end = model.step(t.code);
            const std::string differences = model.differences(expected_of(t, f->second));
            if (end == status::ok && differences.empty()) continue;
            ++failures;
            ADD_FAILURE() << vm_describe(t) << differences << "KNC_SEED=" << first + n
                          << " KNC_CASES=1";
        }
    }
    EXPECT_EQ(found, on_this_host.size());
}

}  // namespace
}  // namespace knc::isa::test

#else

TEST(vector_machine_host, agrees_with_avx512) {
    GTEST_SKIP() << "this host is no x86 processor";
}

#endif
