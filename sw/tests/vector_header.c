// Every function of lib/knc_vector.h, for tests/knc_as/object.cpp, which has the same list. Not
// executed. Each displacement occurs once: the compiler keeps a sum that it needs again.
#include "lib/knc_vector.h"

void vector_header(const u8* from, u8* to);

void vector_header(const u8* from, u8* to) {
    knc_vaddps(1, 2, 3);
    knc_vaddps_load(1, 2, from);
    knc_vaddpd_load(1, 2, from);
    knc_vaddps_cdab(1, 2, 3);
    knc_vaddps_badc(1, 2, 3);
    knc_vmulps(1, 2, 3);
    knc_vmulpd_load(1, 2, from);
    knc_vfmadd231ps(29, 30, 31);
    knc_vfmadd231pd(29, 30, 31);
    knc_vfmadd231ps_load(1, 2, from + 64);
    knc_vfmadd231pd_load(1, 2, from + 128);
    knc_vfmadd231ps_1to16(1, 2, from + 4);
    knc_vfmadd231pd_1to8(1, 2, from + 8);
    knc_vpxord(1, 2, 3);
    knc_vaddps_mask(1, 7, 2, 3);
    knc_vsubps_mask(1, 7, 2, 3);
    knc_vmulps_mask(1, 7, 2, 3);
    knc_vpaddd_mask(1, 7, 2, 3);
    knc_vmovaps_load(1, from);
    knc_vmovapd_load(1, from);
    knc_vmovdqa32_load(1, from);
    knc_vmovaps_load_float16(1, from + 32);
    knc_vbroadcastss(1, from + 12);
    knc_vbroadcastsd(1, from + 16);
    knc_vpbroadcastd(1, from + 20);
    knc_vmovaps_store(to, 1);
    knc_vmovapd_store(to, 1);
    knc_vmovaps_store_float16(to + 32, 1);
    knc_vmovdqa32_store_uint8(to + 16, 1);
    knc_vmovnrapd_store(to, 1);
    knc_vmovnrngoapd_store(to, 1);
    knc_vloadunpacklps(1, from + 24);
    knc_vloadunpackhps(1, from + 28);
    knc_vgatherdps(1, 2, from, 3);
    knc_vgatherdpd(1, 2, from, 3);
    knc_vcmpleps_mask(1, 2, 3, 4);
    knc_vprefetch0(from);
    knc_vprefetch1(from);
    knc_vprefetche0(to);
    knc_vprefetche1(to);
    knc_valignd_load(1, 2, from, 15);
    knc_vpermf32x4(1, 2, 0x4E);
    knc_kmov(1, 0);
    knc_kmov_k(1, 2);
    do {
        knc_vpxord(0, 0, 0);
    } while (knc_jknzd(1));
}
