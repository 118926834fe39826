// The x87 unit.

#include "generator.h"

namespace knc::reference {

void generator::x87_load() {
    switch (d_.below(6)) {
        case 0:
            a.op(0, {0xd9}, 0, memory());
            break;
        case 1:
            a.op(0, {0xdd}, 0, memory());
            break;
        case 2:
            a.op(0, {0xdb}, d_.of({0u, 0u, 5u}), memory());
            break;
        case 3:
            a.op(0, {0xdf}, d_.of({0u, 5u}), memory());
            break;
        case 4:
            a.bytes({0xd9, 0xc0 + d_.below(8)});
            break;
        default:
            a.bytes({0xd9, 0xe8 + d_.below(7)});
    }
}

void generator::x87_store() {
    switch (d_.below(5)) {
        case 0:
            a.op(0, {0xd9}, d_.of({2u, 3u}), memory());
            break;
        case 1:
            a.op(0, {0xdd}, d_.of({2u, 3u}), memory());
            break;
        case 2:
            a.op(0, {0xdb}, d_.of({2u, 3u, 7u}), memory());
            break;
        case 3:
            a.op(0, {0xdf}, d_.of({2u, 3u, 7u}), memory());
            break;
        default:
            a.bytes({0xdd, d_.of({0xd0u, 0xd8u}) + d_.below(8)});
    }
}

// Mostly of registers, and now and then a division.
void generator::x87_arithmetic() {
    const unsigned what = d_.chance(85) ? d_.of({0u, 1u, 4u, 5u}) : d_.of({6u, 7u});
    switch (d_.below(8)) {
        case 0:
            a.op(0, {d_.of({0xd8u, 0xdcu})}, what, memory());
            break;
        case 1:
            a.op(0, {d_.of({0xdau, 0xdeu})}, what, memory());
            break;
        default:
            a.bytes({d_.of({0xd8u, 0xd8u, 0xdcu, 0xdeu}), 0xc0 + 8 * what + d_.below(8)});
    }
    if (d_.chance(40)) x87_exchange();
}

void generator::x87_exchange() {
    a.bytes({0xd9, 0xc8 + d_.below(8)});
}

void generator::x87_compare() {
    switch (d_.below(6)) {
        case 0:
            a.bytes({0xd8, d_.of({0xd0u, 0xd8u}) + d_.below(8)});
            break;
        case 1:
            a.bytes({0xdd, d_.of({0xe0u, 0xe8u}) + d_.below(8)});
            break;
        case 2:
            a.bytes({d_.of({0xdbu, 0xdfu}), d_.of({0xe8u, 0xf0u}) + d_.below(8)});
            break;
        case 3:
            a.bytes({d_.of({0xdau, 0xdbu}), 0xc0 + 8 * d_.below(4) + d_.below(8)});
            break;
        case 4:
            a.op(0, {d_.of({0xd8u, 0xdcu, 0xdau, 0xdeu})}, d_.of({2u, 3u}), memory());
            break;
        default:
            a.bytes({0xdf, 0xe0});
            written(0);
    }
}

// Of one operand.
void generator::x87_one() {
    if (d_.chance(70))
        a.bytes({0xd9, d_.of({0xe0u, 0xe1u, 0xe4u, 0xe5u, 0xfau, 0xfcu, 0xf6u, 0xf7u})});
    else if (d_.chance(50))
        a.bytes({0xd9, d_.of({0xf0u, 0xf1u, 0xf2u, 0xf3u, 0xf4u, 0xf5u, 0xf8u, 0xf9u, 0xfbu, 0xfdu,
                              0xfeu, 0xffu})});
    else
        a.bytes({d_.of({0xddu, 0xdfu}), 0xc0 + d_.below(8)});
}

void generator::x87_control() {
    switch (d_.below(8)) {
        case 0:
            a.bytes({0x9b});
            break;
        case 1:
            a.bytes({0xdb, d_.of({0xe2u, 0xe3u})});
            break;
        case 2:
            a.op(0, {0xd9}, 7, memory());
            break;
        case 3:
            a.op(0, {0xd9}, 6, memory());
            break;
        case 4: {
            // Another precision, or an exception that is not masked.
            const operand o = memory();
            a.op(2, {0xc7}, 0, o);
            a.number(d_.chance(80) ? 0x037f ^ d_.below(4) << 8 : 0x037f ^ 1u << d_.below(6), 2);
            a.op(0, {0xd9}, 5, o);
            break;
        }
        case 5:
            a.op(0, {0xdd}, d_.of({4u, 6u, 7u}), memory());
            break;
        case 6:
            a.op(0, {0xd9}, 4, memory());
            break;
        default:
            a.op(0, {0x0f, 0xae}, d_.of({0u, 1u, 2u, 3u}), memory());
    }
}

}  // namespace knc::reference
