// Vector accesses in kernels of the caches. Registers are 0 at the start of a program.
#ifndef KNC_TESTS_CACHES_VECTOR_H
#define KNC_TESTS_CACHES_VECTOR_H

#include "harness.h"

// A line, or half of its lanes.
#define VLOAD(address) "vmovaps " #address ", %zmm1\n"
#define VSTORE(address) "vmovaps %zmm1, " #address "\n"
#define VSTREAM(address) "vmovnraps %zmm1, " #address "\n"
#define VSTREAM_WEAKLY(address) "vmovnrngoaps %zmm1, " #address "\n"
// `n` accesses to (%rdi), `stride` bytes apart from 0x400000 on.
#define VEACH(stride, n, text) \
    "movl $0x400000, %edi\n.rept " #n "\n" text "addl $" #stride ", %edi\n.endr\n"
// %k1: all lanes; %k2: the upper half; %k3: none. EAX is lost.
#define VMASKS                                                            \
    "movl $0xffff, %eax\nkmov %eax, %k1\nmovl $0xff00, %eax\nkmov %eax, " \
    "%k2\nxorl %eax, %eax\nkmov %eax, %k3\n"
// Beside these, %zmm3: indices of words, 0 in the lower half and 1024, 4 KB further, in the upper
// half: 2^0 as a float32 shifted to 1, and to 1024 there. RDI is 0x400000.
#define VINDICES                                                            \
    VMASKS                                                                  \
    "vexp223ps %zmm0, %zmm2\nvpsrld $29, %zmm2, %zmm2\nvpslld $10, %zmm2, " \
    "%zmm3{%k2}\nmovl $0x400000, %edi\n"

namespace knc::caches {

// The same as scalar accesses raise, and the events of the vector unit.
inline counts vector_loads(std::uint64_t n) {
    return loads(n) + n * counts{base::vpu_data_read};
}
inline counts vector_stores(std::uint64_t n) {
    return stores(n) + n * counts{base::vpu_data_write};
}
const counts vector_read_miss = read_miss() + base::vpu_data_read + base::vpu_data_read_miss;
const counts vector_write_miss = write_miss() + base::vpu_data_write + base::vpu_data_write_miss;
const counts vector_read_from_memory =
    vector_read_miss + base::l2_read_miss + base::l2_data_read_miss_mem_fill;
const counts vector_written_from_memory = vector_write_miss + base::l2_data_write_miss_mem_fill;

}  // namespace knc::caches

#endif
