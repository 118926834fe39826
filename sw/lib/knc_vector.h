// The card's vector instructions for C: one function, one instruction. It has what the applications
// use; most others are one line here.
//
// The compiler knows neither vector nor mask registers. So a function takes their numbers, 0 to 31
// and 0 to 7, and the program owns these registers: the compiler, the library and its interrupt
// entries never touch them. What a function left in register 5 is there for the next one that
// names 5. Numbers must be constants after inlining; the counter of a loop that
// `#pragma GCC unroll` unrolls completely is one. The compiler keeps these functions in the order
// of the source.
//
// A name is knc_, the mnemonic, then what is special:
//   _load, _store        64 bytes in memory, at a multiple of 64
//   _1to16, _1to8        one element in memory, for all lanes
//   _float16, _uint8     elements of this format in memory, at a multiple of the size of all
//   _cdab, _badc         the last source with its lanes exchanged
//   _mask                bit n of mask register k says whether lane n of the destination changes
// Arguments stand in the order of Intel's syntax: destination, mask, sources.
#ifndef KNC_SW_LIB_KNC_VECTOR_H
#define KNC_SW_LIB_KNC_VECTOR_H

#include "lib/types.h"

#define KNC_INLINE static inline __attribute__((always_inline))

// Types of memory operands: they tell the compiler which bytes an instruction reads or writes.
typedef struct {
    u8 bytes[64];
} __attribute__((may_alias)) knc_64;
typedef struct {
    u8 bytes[32];
} __attribute__((may_alias)) knc_32;
typedef struct {
    u8 bytes[16];
} __attribute__((may_alias)) knc_16;
typedef u64 __attribute__((may_alias)) knc_8;
typedef u32 __attribute__((may_alias)) knc_4;
typedef u8 __attribute__((may_alias)) knc_1;

#define KNC_IN(type, address) "m"(*(const type*)(address))
#define KNC_OUT(type, address) "=m"(*(type*)(address))

// d = a OP b. Sources stand in the opposite order in the assembler's syntax.
#define KNC_OP(name)                                                                        \
    KNC_INLINE void knc_##name(const int d, const int a, const int b) {                     \
        __asm__ volatile(#name " %%zmm%c2, %%zmm%c1, %%zmm%c0" : : "i"(d), "i"(a), "i"(b)); \
    }
#define KNC_OP_MASK(name)                                                                   \
    KNC_INLINE void knc_##name##_mask(const int d, const int k, const int a, const int b) { \
        __asm__ volatile(#name " %%zmm%c3, %%zmm%c2, %%zmm%c0%{%%k%c1%}"                    \
                         :                                                                  \
                         : "i"(d), "i"(k), "i"(a), "i"(b));                                 \
    }
#define KNC_OP_LOAD(name)                                                                        \
    KNC_INLINE void knc_##name##_load(const int d, const int a, const void* b) {                 \
        __asm__ volatile(#name " %2, %%zmm%c1, %%zmm%c0" : : "i"(d), "i"(a), KNC_IN(knc_64, b)); \
    }
#define KNC_OP_BROADCAST(name, lanes, type)                                         \
    KNC_INLINE void knc_##name##_##lanes(const int d, const int a, const void* b) { \
        __asm__ volatile(#name " %2%{" #lanes "%}, %%zmm%c1, %%zmm%c0"              \
                         :                                                          \
                         : "i"(d), "i"(a), KNC_IN(type, b));                        \
    }
#define KNC_OP_SWIZZLE(name, swizzle)                                               \
    KNC_INLINE void knc_##name##_##swizzle(const int d, const int a, const int b) { \
        __asm__ volatile(#name " %%zmm%c2%{" #swizzle "%}, %%zmm%c1, %%zmm%c0"      \
                         :                                                          \
                         : "i"(d), "i"(a), "i"(b));                                 \
    }
// d = memory, converted by `how` if it is not empty; memory = s likewise.
#define KNC_LOAD(function, name, how, type)                                            \
    KNC_INLINE void knc_##function(const int d, const void* from) {                    \
        __asm__ volatile(#name " %1" how ", %%zmm%c0" : : "i"(d), KNC_IN(type, from)); \
    }
#define KNC_STORE(function, name, how, type)                                      \
    KNC_INLINE void knc_##function(void* to, const int s) {                       \
        __asm__ volatile(#name " %%zmm%c1, %0" how : KNC_OUT(type, to) : "i"(s)); \
    }
// Moves to d the elements that lie below (LOW) or from (HIGH) the next multiple of 64 bytes.
// `from` is the same for both; for HIGH the instruction itself gets 64 bytes more.
#define KNC_UNPACK_LOW(name)                                                                 \
    KNC_INLINE void knc_##name(const int d, const void* from) {                              \
        __asm__ volatile(#name " %1, %%zmm%c0" : : "i"(d), KNC_IN(knc_64, from) : "memory"); \
    }
#define KNC_UNPACK_HIGH(name)                                           \
    KNC_INLINE void knc_##name(const int d, const void* from) {         \
        __asm__ volatile(#name " %1, %%zmm%c0"                          \
                         :                                              \
                         : "i"(d), KNC_IN(knc_64, (const u8*)from + 64) \
                         : "memory");                                   \
    }
// One step of a gather of elements of `scale` bytes: d lane n = base[index lane n] for at least one
// lane of mask k. The step clears the bits of the lanes that it has loaded.
#define KNC_GATHER(name, scale)                                                               \
    KNC_INLINE void knc_##name(const int d, const int k, const void* base, const int index) { \
        __asm__ volatile(#name " (%2,%%zmm%c3," #scale "), %%zmm%c0%{%%k%c1%}"                \
                         :                                                                    \
                         : "i"(d), "i"(k), "r"(base), "i"(index)                              \
                         : "memory");                                                         \
    }
// Mask d: the lanes of mask k in which a and b compare so.
#define KNC_COMPARE(name)                                                                   \
    KNC_INLINE void knc_##name##_mask(const int d, const int k, const int a, const int b) { \
        __asm__ volatile(#name " %%zmm%c3, %%zmm%c2, %%k%c0%{%%k%c1%}"                      \
                         :                                                                  \
                         : "i"(d), "i"(k), "i"(a), "i"(b));                                 \
    }
#define KNC_PREFETCH(name)                                        \
    KNC_INLINE void knc_##name(const void* address) {             \
        __asm__ volatile(#name " %0" : : KNC_IN(knc_1, address)); \
    }

KNC_OP(vaddps)
KNC_OP_LOAD(vaddps)
KNC_OP_LOAD(vaddpd)
KNC_OP_SWIZZLE(vaddps, cdab)
KNC_OP_SWIZZLE(vaddps, badc)
KNC_OP(vmulps)
KNC_OP_LOAD(vmulpd)
// d = a * b + d
KNC_OP(vfmadd231ps)
KNC_OP(vfmadd231pd)
KNC_OP_LOAD(vfmadd231ps)
KNC_OP_LOAD(vfmadd231pd)
KNC_OP_BROADCAST(vfmadd231ps, 1to16, knc_4)
KNC_OP_BROADCAST(vfmadd231pd, 1to8, knc_8)
KNC_OP(vpxord)
KNC_OP_MASK(vaddps)
KNC_OP_MASK(vsubps)
KNC_OP_MASK(vmulps)
KNC_OP_MASK(vpaddd)

KNC_LOAD(vmovaps_load, vmovaps, "", knc_64)
KNC_LOAD(vmovapd_load, vmovapd, "", knc_64)
KNC_LOAD(vmovdqa32_load, vmovdqa32, "", knc_64)
KNC_LOAD(vmovaps_load_float16, vmovaps, "%{float16%}", knc_32)
KNC_LOAD(vbroadcastss, vbroadcastss, "", knc_4)
KNC_LOAD(vbroadcastsd, vbroadcastsd, "", knc_8)
KNC_LOAD(vpbroadcastd, vpbroadcastd, "", knc_4)
KNC_STORE(vmovaps_store, vmovaps, "", knc_64)
KNC_STORE(vmovapd_store, vmovapd, "", knc_64)
KNC_STORE(vmovaps_store_float16, vmovaps, "%{float16%}", knc_32)
KNC_STORE(vmovdqa32_store_uint8, vmovdqa32, "%{uint8%}", knc_16)
// Whole lines that the core need not read first: in the order of the program, or in no order until
// memory_barrier().
KNC_STORE(vmovnrapd_store, vmovnrapd, "", knc_64)
KNC_STORE(vmovnrngoapd_store, vmovnrngoapd, "", knc_64)

KNC_UNPACK_LOW(vloadunpacklps)
KNC_UNPACK_HIGH(vloadunpackhps)
KNC_GATHER(vgatherdps, 4)
KNC_GATHER(vgatherdpd, 8)
KNC_COMPARE(vcmpleps)

KNC_PREFETCH(vprefetch0)
KNC_PREFETCH(vprefetch1)
KNC_PREFETCH(vprefetche0)
KNC_PREFETCH(vprefetche1)

// Lanes n to n + 15 of 32 lanes: the first 16 are those in memory, the others a.
KNC_INLINE void knc_valignd_load(const int d, const int a, const void* b, const int n) {
    __asm__ volatile("valignd $%c3, %2, %%zmm%c1, %%zmm%c0"
                     :
                     : "i"(d), "i"(a), KNC_IN(knc_64, b), "i"(n));
}
// d = the groups of four lanes of s that the pairs of bits of `order` name.
KNC_INLINE void knc_vpermf32x4(const int d, const int s, const int order) {
    __asm__ volatile("vpermf32x4 $%c2, %%zmm%c1, %%zmm%c0" : : "i"(d), "i"(s), "i"(order));
}

// Mask registers.
KNC_INLINE void knc_kmov(const int k, u32 mask) {
    __asm__ volatile("kmov %1, %%k%c0" : : "i"(k), "r"(mask));
}
KNC_INLINE void knc_kmov_k(const int d, const int s) {
    __asm__ volatile("kmov %%k%c1, %%k%c0" : : "i"(d), "i"(s));
}
// Branches if mask k is not 0: `do ... while (knc_jknzd(k));` becomes this one instruction.
KNC_INLINE bool knc_jknzd(const int k) {
    __asm__ goto volatile("jknzd %l[taken], %%k%c0" : : "i"(k) : : taken);
    return false;
taken:
    return true;
}

#endif
