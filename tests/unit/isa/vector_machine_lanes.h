// One lane of each operation of the vector unit, from its definition.
#ifndef KNC_TESTS_ISA_VECTOR_MACHINE_LANES_H
#define KNC_TESTS_ISA_VECTOR_MACHINE_LANES_H

#include "vector_machine.h"

namespace knc::isa::test {

constexpr const reference_format& vm_format(unsigned bytes) {
    return bytes == 4 ? float32 : float64;
}

// Names end as in the manual where the operation depends on the element.
#define KNC_LANES(name) vm_result name(const vm_lane&)
namespace lanes {
// float32 and float64 by the size of the lane
KNC_LANES(add);
KNC_LANES(addn);
KNC_LANES(sub);
KNC_LANES(subr);
KNC_LANES(mul);
KNC_LANES(fmadd132);
KNC_LANES(fmadd213);
KNC_LANES(fmadd231);
KNC_LANES(fmsub132);
KNC_LANES(fmsub213);
KNC_LANES(fmsub231);
KNC_LANES(fnmadd132);
KNC_LANES(fnmadd213);
KNC_LANES(fnmadd231);
KNC_LANES(fnmsub132);
KNC_LANES(fnmsub213);
KNC_LANES(fnmsub231);
KNC_LANES(fmadd233);
KNC_LANES(gmin);
KNC_LANES(gmax);
KNC_LANES(gmaxabs);
KNC_LANES(cmp);
KNC_LANES(getexp);
KNC_LANES(getmant);
KNC_LANES(rndfxpnt);
KNC_LANES(scale);
KNC_LANES(fixupnan);
KNC_LANES(addsets);
KNC_LANES(rcp23);
KNC_LANES(rsqrt23);
KNC_LANES(log2);
KNC_LANES(exp223);
KNC_LANES(cvtps2pd);
KNC_LANES(cvtpd2ps);
KNC_LANES(cvtdq2pd);
KNC_LANES(cvtudq2pd);
KNC_LANES(cvtfxpntdq2ps);
KNC_LANES(cvtfxpntudq2ps);
KNC_LANES(cvtfxpntps2dq);
KNC_LANES(cvtfxpntps2udq);
KNC_LANES(cvtfxpntpd2dq);
KNC_LANES(cvtfxpntpd2udq);
// integers, bits, permutations
KNC_LANES(move);
KNC_LANES(blend);
KNC_LANES(and_);
KNC_LANES(andn);
KNC_LANES(or_);
KNC_LANES(xor_);
KNC_LANES(paddd);
KNC_LANES(psubd);
KNC_LANES(psubrd);
KNC_LANES(pmulld);
KNC_LANES(pmulhd);
KNC_LANES(pmulhud);
KNC_LANES(pmadd231d);
KNC_LANES(pmadd233d);
KNC_LANES(pmaxsd);
KNC_LANES(pmaxud);
KNC_LANES(pminsd);
KNC_LANES(pminud);
KNC_LANES(psllvd);
KNC_LANES(psrlvd);
KNC_LANES(psravd);
KNC_LANES(pslld);
KNC_LANES(psrld);
KNC_LANES(psrad);
KNC_LANES(padcd);
KNC_LANES(paddsetcd);
KNC_LANES(paddsetsd);
KNC_LANES(psbbd);
KNC_LANES(psbbrd);
KNC_LANES(psubsetbd);
KNC_LANES(psubrsetbd);
KNC_LANES(pcmpeqd);
KNC_LANES(pcmpgtd);
KNC_LANES(pcmpltd);
KNC_LANES(pcmpd);
KNC_LANES(pcmpud);
KNC_LANES(ptestmd);
KNC_LANES(valignd);
KNC_LANES(permd);
KNC_LANES(permf32x4);
KNC_LANES(pshufd);
}  // namespace lanes
#undef KNC_LANES

}  // namespace knc::isa::test

#endif
