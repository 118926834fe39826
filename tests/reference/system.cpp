// Microcode, time, counters, exceptions, interrupts, code that changes.

#include <knc/isa/state.h>

#include "generator.h"
#include "layout.h"

namespace knc::reference {

using namespace layout;
using isa::rax, isa::rcx, isa::rdx, isa::rbx, isa::rsp, isa::rsi;

void generator::identify() {
    if (keeps(rax) || keeps(rcx) || keeps(rdx)) return;
    a.load(rax, d_.below(3));
    a.bytes({0x0f, 0xa2});
    written(rax);
    written(rcx);
    written(rdx);
    point();
}

void generator::read_time() {
    if (keeps(rax) || keeps(rdx)) return;
    for (unsigned n = d_.chance(10) ? d_.below(6) : 0; n > 0; --n) a.bytes({0x3e});
    if (p_.setting.profile == isa::profile::compat && !keeps(rcx) && d_.chance(30)) {
        a.bytes({0x0f, 0x01, 0xf9});
        written(rcx);
    } else {
        a.bytes({0x0f, 0x31});
    }
    written(rax);
    written(rdx);
    if (d_.chance(40)) a.op(4, {0x89}, rax, memory());
}

void generator::read_counter() {
    if (keeps(rax) || keeps(rcx) || keeps(rdx)) return;
    a.load(rcx, d_.chance(90) ? d_.below(2) : d_.below(8));
    a.bytes({0x0f, 0x33});
    written(rax);
    written(rcx, true);
    written(rdx);
    if (d_.chance(40)) a.op(4, {0x89}, rax, memory());
}

void generator::read_msr() {
    if (keeps(rax) || keeps(rcx) || keeps(rdx)) return;
    a.load(rcx, d_.chance(85) ? d_.of({0x10u, 0x20u, 0x21u, 0x28u, 0x29u, 0x2cu, 0x2du, 0x2fu,
                                       0x1bu, 0xfeu, 0x200u})
                              : d_.below(0x40));
    a.bytes({0x0f, 0x32});
    written(rax);
    written(rcx);
    written(rdx);
}

void generator::write_msr() {
    if (keeps(rax) || keeps(rcx) || keeps(rdx)) return;
    const std::uint32_t number =
        d_.of({0x10u, 0x20u, 0x21u, 0x2cu, 0x2eu, 0x2fu, 0x2du, 0x08u, 0x1234u});
    a.load(rcx, number);
    a.load(rax, number == 0x2f || number == 0x2e ? d_.below(4) : d_.word());
    a.load(rdx, d_.chance(50) ? 0 : d_.below(256));
    a.bytes({0x0f, 0x30});
    written(rax);
    written(rcx);
    written(rdx);
}

// A counter starts near its end and counts something.
void generator::program_counter() {
    if (keeps(rax) || keeps(rcx) || keeps(rdx)) return;
    const unsigned n = d_.below(2);
    const auto write = [&](std::uint32_t number, std::uint32_t high, std::uint32_t low) {
        a.load(rcx, number);
        a.load(rdx, high);
        a.load(rax, low);
        a.bytes({0x0f, 0x30});
    };
    if (d_.chance(60)) write(0x20 + n, 0xff, ~d_.below(400));
    if (d_.chance(60)) {
        std::uint32_t select = d_.of({0x16u, 0x2au, 0x2cu, 0x2du, 0x2eu, 0x12u, 0x00u, 0x28u, 0x0cu,
                                      0x17u, 0x1fu, 0x15u, 0x02u, 0x0du}) |
                               0x53'0000;
        if (d_.chance(30)) select |= d_.below(3) << 24 | d_.below(2) << 23 | d_.below(2) << 18;
        if (d_.chance(20)) select |= 1u << 21;
        if (d_.chance(20)) select ^= d_.of({1u << 16, 1u << 17, 1u << 20, 1u << 22});
        write(0x28 + n, 0, select);
    }
    if (d_.chance(50)) write(0x2f, 0, d_.chance(70) ? 3 : d_.below(4));
    if (a.wide && d_.chance(20)) a.vex(3, false, 0xae, 6, operand::in(any_register()));
    written(rax);
    written(rcx);
    written(rdx);
}

void generator::delay() {
    if (!a.wide) return;
    const unsigned r = target();
    a.load(r, d_.chance(90) ? d_.below(60) : d_.word());
    a.vex(2, d_.chance(50), 0xae, 6, operand::in(r));
    written(r);
}

void generator::system_register() {
    const unsigned r = target();
    switch (d_.below(7)) {
        case 0:
            a.op(4, {0x0f, 0x01}, 4, operand::in(r));
            break;
        case 1:
            a.op(4, {0x0f, 0x00}, d_.below(2), operand::in(r));
            break;
        case 2:
            a.op(0, {0x0f, 0x01}, d_.below(2), memory());
            return;
        case 3:
            a.bytes({0x0f, 0x06});
            return;
        case 4:
            a.op(0, {0x0f, 0x20}, d_.of({0u, 2u, 3u, 4u}), operand::in(r));
            break;
        case 5:
            a.op(4, {0x0f, d_.of({0x02u, 0x03u})}, r, operand::in(any_register()));
            break;
        default:
            a.op(0, {0x0f, 0x00}, d_.of({4u, 5u}), operand::in(any_register()));
            return;
    }
    written(r);
}

void generator::reload_translations() {
    const unsigned r = target();
    if (d_.chance(50)) {
        a.op(0, {0x0f, 0x01}, 7, memory());
        return;
    }
    const unsigned number = d_.of({3u, 3u, 4u, 0u});
    a.op(0, {0x0f, 0x20}, number, operand::in(r));
    if (number == 4 && p_.setting.profile == isa::profile::compat) {
        a.op(4, {0x81}, 6, operand::in(r));
        a.number(isa::cr4_pge, 4);
    }
    a.op(0, {0x0f, 0x22}, number, operand::in(r));
    written(r);
}

void generator::segments() {
    const unsigned r = target();
    const std::uint32_t selector = p_.world.user ? data3 : data0;
    const unsigned segment = d_.of({0u, 2u, 2u, 3u});
    switch (d_.below(3)) {
        case 0:
            a.op(4, {0x8c}, segment, operand::in(r));
            break;
        default:
            a.load(r, d_.chance(95) ? selector : d_.below(0x60));
            a.op(0, {0x8e}, segment, operand::in(r));
            // Behind MOV SS exactly one instruction is not interrupted.
            if (d_.chance(50)) instruction();
    }
    written(r);
}

void generator::interrupt_flag() {
    a.bytes({d_.of({0xfau, 0xfbu, 0xfbu})});
    if (p_.world.interrupts) a.bytes({0xfb});
    if (p_.world.interrupts && d_.chance(20)) a.bytes({0xf4});
}

void generator::local_apic() {
    if (!p_.world.interrupts) return;
    const std::uint32_t at = a.wide ? wide_apic : apic;
    const auto write = [&](std::uint32_t offset, std::uint32_t value) {
        a.op(4, {0xc7}, 0, operand::at(at + offset));
        a.number(value, 4);
    };
    switch (d_.below(7)) {
        case 0:
            write(0x380, 50 + d_.below(1000));
            break;
        case 1:
            write(0x310, d_.below(4) << 16);
            write(0x300, 32 + d_.below(32));
            break;
        case 2:
            write(0x300, (32 + d_.below(32)) | d_.of({1u, 2u, 3u}) << 18);
            break;
        case 3:
            write(0x310, d_.below(4) << 16);
            write(0x300, 0x400);
            break;
        case 4:
            write(d_.of({0x80u, 0xb0u}), d_.below(0x30));
            break;
        case 5:
            // HLT finds the interrupt there.
            a.bytes({0xfa});
            write(0x300, (32 + d_.below(32)) | 1u << 18);
            a.bytes({0xfb, 0xf4});
            break;
        default: {
            const unsigned r = target();
            a.op(4, {0x8b}, r, operand::at(at + d_.of({0x20u, 0x80u, 0xa0u, 0x390u, 0x280u})));
            written(r);
        }
    }
}

void generator::interrupt() {
    switch (d_.below(8)) {
        case 0:
            a.bytes({0xcc});
            break;
        case 1:
            a.bytes({0xf1});
            break;
        case 2:
            a.bytes({d_.of({0xceu, 0xccu})});
            break;
        default:
            a.bytes({0xcd, d_.chance(80) ? 64 + d_.below(192) : d_.below(64)});
    }
}

void generator::fault() {
    switch (d_.below(7)) {
        case 0:
            a.bytes({0x0f, 0x0b});
            break;
        case 1:
            // Refused by the card.
            a.op(4, {0x0f, 0x40 + d_.below(16)}, target(), operand::in(any_register()));
            break;
        case 2: {
            const unsigned r = target();
            a.op(4, {0x31}, r, operand::in(r));
            a.op(4, {0xf7}, 6, operand::in(r));
            break;
        }
        case 3:
            if (!a.wide) return;
            // Not canonical, or nothing there.
            a.op_plus(8, {0xb8}, rax);
            a.number(d_.chance(50) ? d_.any() : d_.any() & 0x7fff'ffff'ffff, 8);
            a.op(4, {0x8b}, rax, operand::at(rax, 0));
            written(rax);
            break;
        case 4:
            // The second of a pair.
            if (!a.wide && !p_.world.limited) return;
            a.op_plus(4, {0xb8}, rax);
            a.number(0x7000'0000 + d_.below(0x1000'0000), 4);
            a.op(4, {0x31}, rsi, operand::in(rsi));
            a.op(4, {0x01}, rdx, operand::at(static_cast<int>(rbx), 0));
            a.op(4, {d_.of({0x8bu, 0x89u, 0x01u})}, rcx, operand::at(rax, 0));
            written(rax);
            break;
        case 5:
            a.bytes({0xf4});
            break;
        default:
            a.op(4, {0x8b}, target(), operand::at(0x7000'0000));
    }
}

// Sets TF; the handler clears it when it has counted some steps.
void generator::single_step() {
    a.op(4, {0xc7}, 0, operand::at(cells_ + steps));
    a.number(d_.between(1, 6), 4);
    a.bytes({0x9c});
    a.op(4, {0x81}, 1, operand::at(rsp, 0));
    a.number(0x100, 4);
    a.bytes({0x9d});
    for (unsigned n = d_.below(4); n > 0; --n) instruction();
}

// MOV of a constant that may be another one the next time, or what is no instruction yet and lies
// in two lines.
void generator::patchable() {
    if (d_.chance(25)) {
        constexpr unsigned line = 64;
        while (a.here() % line != line - 1) a.bytes({0x90});
        a.bytes({0x0f, d_.of({0x04u, 0x0au, 0x0cu, 0x36u}), 0xc0});
        patches_.push_back(static_cast<std::uint32_t>(a.here()) - 2 + p_.world.code_base);
        return;
    }
    const unsigned r = target();
    while (d_.chance(30)) a.bytes({0x90});
    a.load(r, d_.word());
    patches_.push_back(static_cast<std::uint32_t>(a.here()) - 4 + p_.world.code_base);
    written(r);
}

void generator::modify_code() {
    if (d_.chance(40)) {
        // The next instruction, which would pair with the store.
        const operand own = operand::at(static_cast<std::uint32_t>(a.here()) + p_.world.code_base);
        assembler store(a.wide, a.here());
        store.op(1, {0x88}, rax, own);
        const unsigned length = static_cast<unsigned>(store.code.size()) + 1;
        operand next = own;
        next.disp += static_cast<std::int32_t>(length + d_.below(2));
        a.op(1, {0x88}, rax, next);
        a.load(target(), d_.word());
        return;
    }
    if (patches_.empty()) {
        patchable();
        return;
    }
    const std::uint32_t at = patches_[d_.below(static_cast<unsigned>(patches_.size()))];
    const unsigned size = d_.of({1u, 2u, 4u});
    a.op(size, {size == 1 ? 0x88u : 0x89u}, any_register(), operand::at(at + d_.below(2)));
}

}  // namespace knc::reference
