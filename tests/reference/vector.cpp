// The vector unit.

#include "generator.h"
#include "layout.h"

namespace knc::reference {

using prefix = assembler::mvex_prefix;

// Mostly what the alignment of vectors permits.
operand generator::aligned(unsigned bytes) {
    if (d_.chance(5)) return memory();
    return operand::at(address() & ~(bytes - 1));
}

void generator::vector_arithmetic() {
    if (!a.wide) return;
    struct row {
        prefix p;
        bool second, rounds;
    };
    // VADDPS VMULPS VFMADD231PS VPADDD VPANDD VEXP223PS VCVTPS2PD
    const row r = d_.of({row{{1, 0, 0x58}, true, true}, row{{1, 0, 0x59}, true, true},
                         row{{2, 1, 0xb8}, true, true}, row{{1, 1, 0xfe}, true, false},
                         row{{1, 1, 0xdb}, true, false}, row{{2, 1, 0xc8}, false, false},
                         row{{1, 0, 0x5a}, false, false}});
    const unsigned second = r.second ? vector() : 0;
    if (d_.chance(75) || !r.second) {
        const bool rounding = r.rounds && d_.chance(15);
        const bool swizzled = r.second && d_.chance(30);
        const unsigned eh_sss = rounding ? 8 + d_.below(4) : swizzled ? d_.below(8) : 0;
        a.mvex(r.p, vector(), second, mask(), eh_sss, operand::in(vector()));
    } else {
        const bool broadcast = d_.chance(30);
        a.mvex(r.p, vector(), second, mask(), broadcast ? 1 : 0, aligned(broadcast ? 4 : 64));
    }
}

// VMOVDQA32, VMOVAPS and VMOVNRAPS; between registers too.
void generator::vector_move() {
    if (!a.wide) return;
    switch (d_.below(5)) {
        case 0:
        case 1:
            a.mvex({1, 1, 0x6f}, vector(), 0, mask(), 0, aligned(64));
            break;
        case 2:
            a.mvex({1, 1, 0x7f}, vector(), 0, mask(), 0, aligned(64));
            break;
        case 3:
            a.mvex({1, 0, 0x28}, vector(), 0, mask(), d_.chance(30) ? d_.below(8) : 0,
                   operand::in(vector()));
            break;
        default:
            a.mvex({1, 3, 0x29}, vector(), 0, 0, 0, aligned(64));
    }
}

// VLOADUNPACKLD, VLOADUNPACKHD, VPACKSTORELD, VPACKSTOREHD.
void generator::vector_stream() {
    if (!a.wide) return;
    a.mvex({2, d_.below(2), d_.of({0xd0u, 0xd4u})}, vector(), 0, mask(), 0, aligned(4));
}

void generator::vector_compare() {
    if (!a.wide) return;
    a.mvex({1, 0, 0xc2}, 1 + d_.below(3), vector(), mask(), d_.chance(30) ? d_.below(8) : 0,
           operand::in(vector()));
    a.number(d_.below(8), 1);
}

// KAND, KOR, KXOR, KNOT, KORTEST, KMOV of masks, from and to a general register.
void generator::vector_masks() {
    if (!a.wide) return;
    const unsigned to = 1 + d_.below(3), from = d_.below(4);
    switch (d_.below(5)) {
        case 0:
            a.vex(0, false, d_.of({0x41u, 0x45u, 0x47u, 0x44u, 0x98u}), to, operand::in(from));
            break;
        case 1:
            a.vex(0, false, 0x90, to, operand::in(from));
            break;
        case 2: {
            const unsigned r = target();
            a.vex(0, false, 0x93, r, operand::in(from));
            written(r);
            break;
        }
        default:
            a.vex(0, false, 0x92, to, operand::in(any_register()));
    }
}

// JKZD, JKNZD.
void generator::vector_branch() {
    if (!a.wide) return;
    const unsigned k = d_.below(4);
    const auto over = a.jump({0xc4, 0xe1, (~k & 15) << 3, d_.of({0x84u, 0x85u})}, 4);
    for (unsigned n = d_.below(3); n > 0; --n) instruction();
    a.bind(over);
}

// Of indexes below 4096, now and then of any; once or until all is done. Also VPSCATTERDD.
void generator::vector_gather() {
    if (!a.wide) return;
    const unsigned index = vector(), k = 1 + d_.below(3);
    unsigned reg = vector();
    if (reg == index) reg = (reg + 1) % 32;
    if (d_.chance(80)) {
        a.mvex({1, 1, 0x72}, 2, index, 0, 0, operand::in(vector()));
        a.number(20, 1);
    }
    if (d_.chance(60)) a.vex(0, false, 0x92, k, operand::in(any_register()));
    operand o = operand::at(layout::data + (d_.below(layout::data_bytes - 0x5000) & ~3u));
    o.index = static_cast<int>(index & 15);
    o.scale = 2;
    const std::uint64_t top = a.here();
    a.mvex({2, 1, d_.of({0x90u, 0xa0u})}, reg, index & 16, k, 0, o);
    if (d_.chance(60)) a.bind(a.jump({0xc4, 0xe1, (~k & 15) << 3, 0x85}, 4), top);
}

}  // namespace knc::reference
