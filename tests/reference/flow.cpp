// Stack, strings, control transfer.

#include <knc/isa/state.h>

#include "generator.h"
#include "layout.h"

namespace knc::reference {

using namespace layout;
using isa::rax, isa::rcx, isa::rdx, isa::rsp, isa::rbp, isa::rsi, isa::rdi;

void generator::push_and_pop() {
    switch (d_.below(6)) {
        case 0:
            a.bytes({0x6a});
            a.number(d_.below(128), 1);
            break;
        case 1:
            a.op(0, {0xff}, 6, memory());
            break;
        case 2:
            a.bytes({0x9c});
            break;
        case 3:
            if (a.wide) return;
            a.bytes({0x60, 0x61});
            return;
        default:
            a.op_plus(0, {0x50}, any_register());
            if (d_.chance(60)) {
                // Two in a row pair.
                a.op_plus(0, {0x50}, any_register());
                if (d_.chance(50)) a.op(4, {0x8b}, target(), operand::at(rsp, 0));
                const unsigned r = target();
                a.op_plus(0, {0x58}, r);
                written(r);
            }
    }
    if (d_.chance(60)) instruction();
    if (d_.chance(15)) {
        a.op(0, {0x8f}, 0, memory());
    } else if (d_.chance(10)) {
        a.op(a.wide ? 8 : 4, {0x83}, 0, operand::in(rsp));
        a.bytes({a.wide ? 8u : 4u});
    } else {
        const unsigned r = target();
        a.op_plus(0, {0x58}, r);
        written(r);
    }
}

void generator::frame() {
    if (keeps(rbp)) return;
    a.bytes({0xc8});
    a.number(d_.below(64), 2);
    a.number(d_.chance(80) ? 0 : d_.below(4), 1);
    kept_ |= 1u << rbp;
    instruction();
    kept_ &= ~(1u << rbp);
    a.bytes({0xc9});
    written(rbp);
}

// Without a prefix.
void generator::string() {
    if (keeps(rax)) return;
    if (a.wide && d_.chance(30)) a.bytes({0x48});
    a.bytes({d_.of({0xa4u, 0xa5u, 0xa6u, 0xa7u, 0xaau, 0xabu, 0xacu, 0xadu, 0xaeu, 0xafu})});
    written(rax);
}

void generator::repeated_string() {
    if (keeps(rax) || keeps(rcx)) return;
    if (d_.chance(70)) a.load(rsi, address());
    if (d_.chance(70)) a.load(rdi, address());
    a.load(rcx, d_.chance(10) ? 0 : d_.below(24));
    if (d_.chance(15)) a.bytes({0xfd});
    a.bytes({d_.of({0xf2u, 0xf3u, 0xf3u})});
    if (d_.chance(10)) a.bytes({0x3e});
    if (d_.chance(10)) a.bytes({0x66});
    if (a.wide && d_.chance(30)) a.bytes({0x48});
    a.bytes({d_.of({0xa4u, 0xa5u, 0xa6u, 0xa7u, 0xaau, 0xabu, 0xacu, 0xadu, 0xaeu, 0xafu})});
    a.bytes({0xfc});
    written(rax);
    written(rcx, true);
}

// A branch that depends on data, over a few instructions.
void generator::skip_some() {
    if (d_.chance(60)) {
        const unsigned size = any_size();
        if (d_.chance(50))
            a.op(size, {size == 1 ? 0x84u : 0x85u}, any_register(), operand::in(any_register()));
        else
            a.op(size, {size == 1 ? 0x3au : 0x3bu}, any_register(), either());
    }
    const unsigned size = d_.chance(75) ? 1 : 4, condition = d_.below(16);
    assembler::branch over{};
    const unsigned how = d_.below(20);
    if (how == 0)
        over = a.jump({0xe3}, 1);
    else if (how < 3)
        over = size == 1 ? a.jump({0xeb}, 1) : a.jump({0xe9}, 4);
    else
        over = size == 1 ? a.jump({0x70 + condition}, 1) : a.jump({0x0f, 0x80 + condition}, 4);
    const std::size_t begin = a.code.size();
    for (unsigned n = d_.below(4); n > 0 && a.code.size() - begin < 60; --n) instruction();
    if (a.bind(over)) return;
    // Too far for a byte: to the next instruction.
    a.bind(over, a.here() - (a.code.size() - begin));
}

// Over a good deal of nothing: other pages, other blocks.
void generator::far_skip() {
    const auto over = a.jump({0xe9}, 4);
    for (unsigned n = d_.below(400); n > 0; --n) a.bytes({0x90});
    a.bind(over);
}

void generator::loop() {
    if (keeps(rcx)) return;
    a.load(rcx, d_.between(1, 8));
    kept_ |= 1u << rcx;
    const std::uint64_t top = a.here();
    for (unsigned n = d_.between(1, 3); n > 0 && a.here() - top < 60; --n) instruction();
    kept_ &= ~(1u << rcx);
    written(rcx, true);
    if (d_.chance(40)) {
        const auto back = a.jump({d_.of({0xe0u, 0xe1u, 0xe2u, 0xe2u})}, 1);
        if (!a.bind(back, top)) a.bind(back);
    } else {
        a.op(4, {0xff}, 1, operand::in(rcx));
        a.bind(a.jump({0x0f, 0x85}, 4), top);
    }
}

void generator::call() {
    if (subroutines_.empty()) return;
    const std::uint64_t to = subroutines_[d_.below(static_cast<unsigned>(subroutines_.size()))];
    a.bind(a.jump({0xe8}, 4), to);
}

// Through a register, or a cell that is one of two.
void generator::call_indirect() {
    if (subroutines_.empty()) return;
    const auto to = [&] {
        return static_cast<std::uint32_t>(
            subroutines_[d_.below(static_cast<unsigned>(subroutines_.size()))]);
    };
    if (d_.chance(50)) {
        const unsigned r = target();
        a.load(r, to());
        if (d_.chance(50)) instruction();
        a.load(r, to());
        a.op(0, {0xff}, 2, operand::in(r));
        written(r);
        return;
    }
    const operand cell = operand::at(cells_ + targets);
    const std::uint32_t one = to(), other = to();
    a.op(4, {0xc7}, 0, cell);
    a.number(one, 4);
    const auto over = a.jump({0x70 + d_.below(16)}, 1);
    a.op(4, {0xc7}, 0, cell);
    a.number(other, 4);
    a.bind(over);
    a.op(0, {0xff}, 2, cell);
}

void generator::jump_indirect() {
    const unsigned r = target();
    a.load(r, 0);
    const std::size_t label = a.code.size() - 4;
    written(r);
    kept_ |= 1u << r;
    if (d_.chance(40)) instruction();
    kept_ &= ~(1u << r);
    a.op(0, {0xff}, 4, operand::in(r));
    for (unsigned n = d_.below(12); n > 0; --n) a.bytes({0x90});
    const std::uint64_t here = a.here();
    for (unsigned n = 0; n < 4; ++n) a.code[label + n] = static_cast<std::uint8_t>(here >> 8 * n);
}

void generator::call_system() {
    if (!a.wide || keeps(rcx)) return;
    a.bytes({0x0f, 0x05});
    written(rcx);
    written(11);
}

}  // namespace knc::reference
