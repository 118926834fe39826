// Moves, arithmetic, logic.

#include <knc/isa/state.h>

#include "generator.h"
#include "layout.h"

namespace knc::reference {

using isa::rax, isa::rcx, isa::rdx, isa::rsp;

void generator::alu() {
    const unsigned what = d_.below(8) * 8, size = any_size(), wide = size == 1 ? 0 : 1;
    if (d_.chance(50)) {
        const unsigned r = target();
        a.op(size, {what + 2 + wide}, r, either());
        written(r);
    } else if (d_.chance(60)) {
        const unsigned r = target();
        a.op(size, {what + wide}, any_register(), operand::in(r));
        written(r);
    } else {
        a.op(size, {what + wide}, any_register(), memory());
    }
}

void generator::alu_constant() {
    const unsigned what = d_.below(8), size = any_size();
    if (d_.chance(20) && !keeps(rax)) {
        if (size == 2) a.bytes({0x66});
        a.bytes({what * 8 + (size == 1 ? 4u : 5u)});
        immediate(size);
        written(rax);
        return;
    }
    const operand to = d_.chance(70) ? operand::in(target()) : memory();
    const bool byte = size == 1 || d_.chance(60);
    a.op(size, {size == 1 ? 0x80u : byte ? 0x83u : 0x81u}, what, to);
    immediate(byte ? 1 : size);
    if (!to.memory) written(to.reg);
}

void generator::move() {
    const unsigned size = any_size(), wide = size == 1 ? 0 : 1;
    if (d_.chance(35)) {
        a.op(size, {0x88 + wide}, any_register(), memory());
        return;
    }
    const unsigned r = target();
    a.op(size, {0x8a + wide}, r, d_.chance(60) ? memory() : operand::in(any_register()));
    written(r);
}

void generator::move_constant() {
    const unsigned size = any_size();
    if (d_.chance(40)) {
        a.op(size, {size == 1 ? 0xc6u : 0xc7u}, 0, memory());
        immediate(size);
        return;
    }
    const unsigned r = target();
    const bool is_small = d_.chance(50);
    a.load(r, is_small ? d_.below(64) : d_.word());
    written(r, is_small);
}

void generator::address_of() {
    const unsigned r = target();
    a.op(a.wide ? 8 : 4, {0x8d}, r, memory());
    written(r);
}

void generator::point() {
    a.load(pointer(), address());
}

// A pointer moves a little; what follows may have to wait for it.
void generator::step_pointer() {
    const unsigned r = pointer();
    const operand o = operand::in(r);
    switch (d_.below(4)) {
        case 0:
            a.op(4, {0x83}, d_.of({0u, 5u}), o);
            a.number(d_.below(64), 1);
            break;
        case 1:
            a.op(4, {0xff}, d_.below(2), o);
            break;
        case 2:
            a.op(4, {0x8d}, r, operand::at(static_cast<int>(r), static_cast<int>(d_.below(64))));
            break;
        default:
            a.op(4, {0x89}, r, operand::in(pointer()));
    }
    if (d_.chance(50)) a.op(4, {0x8b}, target(), operand::at(static_cast<int>(r), 0));
}

void generator::make_small() {
    const unsigned r = target();
    a.op(4, {0x83}, 4, operand::in(r));
    a.number(d_.below(128), 1);
    written(r, true);
}

void generator::increment() {
    const unsigned size = any_size(), wide = size == 1 ? 0 : 1, what = d_.below(2);
    if (!a.wide && wide != 0 && d_.chance(50)) {
        const unsigned r = target();
        a.op_plus(size, {0x40 + 8 * what}, r);
        written(r);
        return;
    }
    const operand o = d_.chance(70) ? operand::in(target()) : memory();
    a.op(size, {0xfe + wide}, what, o);
    if (!o.memory) written(o.reg);
}

void generator::unary() {
    const unsigned size = any_size();
    const operand o = d_.chance(70) ? operand::in(target()) : memory();
    a.op(size, {size == 1 ? 0xf6u : 0xf7u}, d_.of({2u, 3u}), o);
    if (!o.memory) written(o.reg);
}

void generator::shift() {
    const unsigned size = any_size(), wide = size == 1 ? 0 : 1;
    const unsigned what = d_.of({0u, 1u, 2u, 3u, 4u, 4u, 5u, 5u, 7u, 7u});
    const operand o = d_.chance(75) ? operand::in(target()) : memory();
    switch (d_.below(3)) {
        case 0:
            a.op(size, {0xd0 + wide}, what, o);
            break;
        case 1:
            a.op(size, {0xc0 + wide}, what, o);
            a.number(d_.below(40), 1);
            break;
        default:
            a.op(size, {0xd2 + wide}, what, o);
    }
    if (!o.memory) written(o.reg);
}

void generator::double_shift() {
    const operand o = d_.chance(75) ? operand::in(target()) : memory();
    const bool by_constant = d_.chance(50);
    a.op(a.wide ? 8 : 4, {0x0f, d_.of({0xa4u, 0xacu}) + (by_constant ? 0 : 1)}, any_register(), o);
    if (by_constant) a.number(d_.below(40), 1);
    if (!o.memory) written(o.reg);
}

void generator::multiply() {
    const unsigned size = any_size();
    if (d_.chance(50)) {
        const unsigned r = target(), wide = size == 1 ? 4 : size;
        a.op(wide, {0x0f, 0xaf}, r, either());
        written(r);
        return;
    }
    if (keeps(rax) || keeps(rdx)) return;
    a.op(size, {size == 1 ? 0xf6u : 0xf7u}, d_.of({4u, 5u}), either());
    written(rax);
    written(rdx);
}

// Mostly of small numbers.
void generator::divide() {
    if (keeps(rax) || keeps(rdx)) return;
    const unsigned size = any_size();
    if (d_.chance(80)) {
        a.op(4, {0x31}, rdx, operand::in(rdx));
        a.load(rcx == target() && !keeps(rcx) ? rcx : rax, d_.below(256));
    }
    a.op(size, {size == 1 ? 0xf6u : 0xf7u}, d_.of({6u, 7u}), either());
    written(rax);
    written(rdx);
    written(rcx);
}

void generator::test() {
    const unsigned size = any_size(), wide = size == 1 ? 0 : 1;
    if (d_.chance(60)) {
        a.op(size, {0x84 + wide}, any_register(), either());
        return;
    }
    a.op(size, {0xf6 + wide}, 0, either());
    immediate(size);
}

void generator::exchange() {
    const unsigned size = any_size(), r = target();
    const operand o = d_.chance(50) ? memory() : operand::in(target());
    a.op(size, {size == 1 ? 0x86u : 0x87u}, r, o);
    written(r);
    if (!o.memory) written(o.reg);
}

void generator::compare_exchange() {
    const unsigned size = any_size(), wide = size == 1 ? 0 : 1;
    const operand o = d_.chance(50) ? memory() : operand::in(target());
    if (!o.memory) written(o.reg);
    switch (d_.below(3)) {
        case 0: {
            const unsigned r = target();
            a.op(size, {0x0f, 0xc0 + wide}, r, o);
            written(r);
            break;
        }
        case 1:
            if (keeps(rax)) return;
            a.op(size, {0x0f, 0xb0 + wide}, any_register(), o);
            written(rax);
            break;
        default:
            if (keeps(rax) || keeps(rdx)) return;
            a.op(4, {0x0f, 0xc7}, 1, memory());
            written(rax);
            written(rdx);
    }
}

void generator::widen() {
    const unsigned r = target();
    switch (d_.below(4)) {
        case 0:
        case 1: {
            const bool byte = d_.chance(50);
            const unsigned unsigned_byte = byte ? 0xb6 : 0xb7, signed_byte = byte ? 0xbe : 0xbf;
            a.op(4, {0x0f, d_.chance(50) ? unsigned_byte : signed_byte}, r, either());
            written(r);
            break;
        }
        case 2:
            if (!a.wide) return;
            a.op(8, {0x63}, r, either());
            written(r);
            break;
        default:
            if (keeps(rax) || keeps(rdx)) return;
            if (a.wide && d_.chance(40)) a.bytes({0x48});
            a.bytes({d_.of({0x98u, 0x99u})});
            written(rax);
            written(rdx);
    }
}

void generator::bits() {
    const unsigned size = a.wide ? d_.of({4u, 8u}) : 4;
    const unsigned r = target();
    switch (d_.below(4)) {
        case 0:
            a.op(size, {0x0f, d_.of({0xbcu, 0xbdu})}, r, either());
            written(r);
            break;
        case 1:
            a.op(size, {0x0f, 0xba}, d_.between(4, 7), d_.chance(50) ? memory() : operand::in(r));
            a.number(d_.below(64), 1);
            written(r);
            break;
        case 2:
            a.op(size, {0x0f, d_.of({0xa3u, 0xabu, 0xb3u, 0xbbu})}, any_register(), operand::in(r));
            written(r);
            break;
        default:
            // Bit strings reach far: by a small number only.
            a.load(r, d_.below(512));
            a.op(size, {0x0f, d_.of({0xa3u, 0xabu, 0xb3u, 0xbbu})}, r,
                 operand::at(static_cast<int>(pointer()), 0));
            written(r);
    }
}

void generator::set_condition() {
    const operand o = d_.chance(60) ? operand::in(targets_[d_.below(3)]) : memory();
    if (!o.memory && keeps(o.reg)) return;
    a.op(1, {0x0f, 0x90 + d_.below(16)}, 0, o);
    if (!o.memory) written(o.reg);
}

void generator::flags() {
    if (d_.chance(30) && !keeps(rax)) {
        a.bytes({d_.of({0x9eu, 0x9fu})});
        written(rax);
        return;
    }
    a.bytes({d_.of({0xf5u, 0xf8u, 0xf9u})});
}

void generator::locked() {
    a.bytes({0xf0});
    const unsigned size = any_size(), wide = size == 1 ? 0 : 1;
    switch (d_.below(4)) {
        case 0:
            a.op(size, {d_.of({0x00u, 0x08u, 0x10u, 0x18u, 0x20u, 0x28u, 0x30u}) + wide},
                 any_register(), memory());
            break;
        case 1:
            a.op(size, {0xfe + wide}, d_.below(2), memory());
            break;
        case 2: {
            const unsigned r = target();
            a.op(size, {0x0f, 0xc0 + wide}, r, memory());
            written(r);
            break;
        }
        default:
            a.op(4, {0x0f, 0xba}, d_.between(5, 7), memory());
            a.number(d_.below(32), 1);
    }
}

void generator::no_operation() {
    switch (d_.below(3)) {
        case 0:
            a.op(d_.of({2u, 4u}), {0x0f, 0x1f}, 0, memory());
            break;
        default:
            a.bytes({0x90});
    }
}

// Of the card's own: POPCNT, TZCNT, LZCNT, TZCNTI; prefetches and evictions, which translate and
// access nothing.
void generator::scalar_vex() {
    if (!a.wide) return;
    if (d_.chance(50)) {
        const unsigned r = target();
        const bool inverted = d_.chance(25);
        a.vex(inverted ? 3 : 2, d_.chance(50), inverted ? 0xbc : d_.of({0xb8u, 0xbcu, 0xbdu}), r,
              operand::in(any_register()));
        written(r);
    } else if (d_.chance(70)) {
        a.vex(0, false, 0x18, d_.below(8), memory());
    } else {
        a.vex(d_.of({2u, 3u}), false, 0xae, 7, memory());
    }
}

// Prefixes that change nothing but the clocks.
void generator::prefixed() {
    for (unsigned n = d_.between(1, 3); n > 0; --n) a.bytes({d_.of({0x26u, 0x2eu, 0x36u, 0x3eu})});
    switch (d_.below(3)) {
        case 0:
            move();
            break;
        case 1:
            alu();
            break;
        default:
            shift();
    }
}

}  // namespace knc::reference
