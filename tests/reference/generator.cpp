#include "generator.h"

#include <numeric>

#include <knc/isa/state.h>

#include "layout.h"

namespace knc::reference {
namespace {

using namespace layout;
using isa::rax, isa::rcx, isa::rdx, isa::rbx, isa::rsp, isa::rbp, isa::rsi, isa::rdi;

constexpr unsigned deepest = 3;  // instructions within instructions

}  // namespace

generator::generator(const program& p, dice& d, unsigned thread, std::uint64_t origin,
                     std::vector<std::uint32_t>& patches)
    : a(p.world.wide, origin),
      p_(p),
      d_(d),
      thread_(thread),
      cells_(cells + cells_step * thread),
      patches_(patches) {
    pointers_ = {rbx, rsi, rdi};
    targets_ = {rax, rcx, rdx, rbp};
    if (a.wide) {
        pointers_.insert(pointers_.end(), {12, 13});
        targets_.insert(targets_.end(), {8, 9, 10, 11, 14, 15});
    }
}

const std::vector<generator::weight>& generator::weights() {
    // pairs, memory, branches, system, events, changes, x87, mixture, vectors
    static const std::vector<weight> all = {
        {&generator::alu, {30, 12, 12, 8, 12, 12, 6, 12, 8}},
        {&generator::alu_constant, {12, 5, 6, 4, 6, 6, 2, 6, 3}},
        {&generator::move, {30, 25, 8, 5, 10, 10, 6, 12, 10}},
        {&generator::move_constant, {6, 3, 2, 2, 2, 4, 1, 3, 2}},
        {&generator::address_of, {6, 2, 1, 1, 1, 1, 0, 2}},
        {&generator::point, {6, 10, 1, 1, 2, 2, 4, 4, 3}},
        {&generator::step_pointer, {8, 6, 1, 1, 1, 1, 2, 3}},
        {&generator::make_small, {2, 3, 1, 0, 1, 0, 0, 2}},
        {&generator::increment, {8, 4, 4, 2, 2, 3, 2, 4, 3}},
        {&generator::unary, {3, 2, 1, 1, 1, 1, 0, 2}},
        {&generator::shift, {8, 2, 2, 1, 1, 1, 2, 3, 2}},
        {&generator::double_shift, {1, 1, 0, 0, 0, 0, 0, 1}},
        {&generator::multiply, {2, 1, 1, 1, 1, 0, 1, 1}},
        {&generator::divide, {0, 0, 0, 0, 3, 0, 0, 1}},
        {&generator::test, {6, 3, 4, 1, 1, 1, 0, 3}},
        {&generator::exchange, {2, 2, 0, 0, 0, 0, 0, 1}},
        {&generator::compare_exchange, {1, 2, 0, 0, 0, 0, 0, 1}},
        {&generator::widen, {3, 2, 1, 1, 1, 0, 0, 1}},
        {&generator::bits, {2, 2, 1, 0, 0, 0, 0, 1}},
        {&generator::set_condition, {1, 1, 2, 0, 0, 0, 0, 1}},
        {&generator::flags, {2, 1, 2, 1, 1, 1, 0, 1}},
        {&generator::locked, {1, 4, 0, 1, 1, 1, 0, 1}},
        {&generator::no_operation, {4, 1, 2, 2, 1, 3, 2, 2, 3}},
        {&generator::scalar_vex, {2, 1, 1, 2, 1, 0, 1, 1, 4}},
        {&generator::prefixed, {5, 3, 1, 1, 1, 1, 0, 2, 2}},
        {&generator::push_and_pop, {6, 6, 5, 1, 3, 2, 1, 4, 2}},
        {&generator::frame, {0, 1, 1, 0, 0, 0, 0, 1}},
        {&generator::string, {1, 3, 0, 0, 0, 0, 0, 1}},
        {&generator::repeated_string, {0, 4, 0, 0, 1, 0, 1, 1, 1}},
        {&generator::skip_some, {5, 3, 30, 3, 4, 4, 3, 6, 3}},
        {&generator::far_skip, {0, 0, 4, 1, 1, 0, 0, 1}},
        {&generator::loop, {1, 1, 4, 0, 0, 1, 1, 1, 1}},
        {&generator::call, {1, 1, 10, 1, 1, 1, 1, 2, 1}},
        {&generator::call_indirect, {0, 0, 6, 0, 0, 0, 0, 1}},
        {&generator::jump_indirect, {0, 0, 6, 0, 0, 0, 0, 1}},
        {&generator::call_system, {0, 0, 1, 1, 2, 0, 0, 1}},
        {&generator::identify, {0, 0, 0, 3, 0, 0, 0, 1}},
        {&generator::read_time, {0, 0, 0, 10, 1, 0, 1, 1}},
        {&generator::read_counter, {0, 0, 0, 8, 1, 0, 0, 1}},
        {&generator::read_msr, {0, 0, 0, 4, 1, 0, 0, 1}},
        {&generator::write_msr, {0, 0, 0, 3, 1, 0, 0, 1}},
        {&generator::program_counter, {0, 0, 0, 8, 1, 0, 0, 1}},
        {&generator::delay, {0, 0, 1, 4, 0, 0, 0, 1}},
        {&generator::system_register, {0, 0, 0, 6, 1, 0, 0, 1}},
        {&generator::reload_translations, {0, 1, 0, 2, 0, 0, 0, 1, 1}},
        {&generator::segments, {0, 1, 0, 4, 1, 0, 1, 1}},
        {&generator::interrupt_flag, {0, 0, 0, 3, 4, 0, 1, 1}},
        {&generator::local_apic, {0, 0, 0, 2, 4, 0, 0, 1}},
        {&generator::interrupt, {0, 0, 1, 1, 8, 0, 0, 1, 1}},
        {&generator::fault, {0, 1, 0, 1, 10, 0, 0, 1, 1}},
        {&generator::single_step, {0, 0, 0, 0, 2, 0, 0, 1}},
        {&generator::modify_code, {0, 0, 0, 0, 0, 12, 0, 1}},
        {&generator::x87_load, {0, 0, 0, 0, 0, 0, 14, 1}},
        {&generator::x87_store, {0, 0, 0, 0, 0, 0, 8, 1}},
        {&generator::x87_arithmetic, {0, 0, 0, 0, 0, 0, 30, 2, 2}},
        {&generator::x87_exchange, {0, 0, 0, 0, 0, 0, 14, 1}},
        {&generator::x87_compare, {0, 0, 0, 0, 0, 0, 6, 1}},
        {&generator::x87_one, {0, 0, 0, 0, 0, 0, 8, 1}},
        {&generator::x87_control, {0, 0, 0, 0, 0, 0, 4, 1}},
        {&generator::patchable, {0, 0, 0, 0, 0, 8, 0, 1}},
        {&generator::vector_arithmetic, {0, 0, 0, 0, 0, 0, 0, 3, 40}},
        {&generator::vector_move, {0, 0, 0, 0, 0, 0, 0, 2, 20}},
        {&generator::vector_stream, {0, 0, 0, 0, 0, 0, 0, 1, 8}},
        {&generator::vector_compare, {0, 0, 0, 0, 0, 0, 0, 1, 6}},
        {&generator::vector_masks, {0, 0, 0, 0, 0, 0, 0, 1, 14}},
        {&generator::vector_branch, {0, 0, 0, 0, 0, 0, 0, 1, 4}},
        {&generator::vector_gather, {0, 0, 0, 0, 0, 0, 0, 1, 8}},
    };
    return all;
}

void generator::instruction() {
    const auto theme = static_cast<unsigned>(p_.about);
    static const auto sums = [] {
        std::array<unsigned, themes> s{};
        for (const weight& w : weights())
            for (unsigned n = 0; n < themes; ++n) s[n] += w.of[n];
        return s;
    }();
    unsigned left = d_.below(sums[theme]);
    for (const weight& w : weights()) {
        if (left < w.of[theme]) {
            if (++depth_ <= deepest) (this->*w.make)();
            --depth_;
            return;
        }
        left -= w.of[theme];
    }
}

unsigned generator::any_size() {
    return a.wide ? d_.of({4u, 4u, 4u, 8u, 8u, 2u, 1u}) : d_.of({4u, 4u, 4u, 4u, 2u, 1u});
}

unsigned generator::target() {
    for (;;) {
        const unsigned r = targets_[d_.below(static_cast<unsigned>(targets_.size()))];
        if (!keeps(r)) return r;
    }
}

unsigned generator::any_register() {
    return d_.chance(80) ? targets_[d_.below(static_cast<unsigned>(targets_.size()))] : pointer();
}

unsigned generator::pointer() {
    return pointers_[d_.below(static_cast<unsigned>(pointers_.size()))];
}

std::uint32_t generator::address() {
    const std::uint32_t around = d_.chance(10) ? page_bytes - d_.below(16) : d_.below(page_bytes);
    if (!a.wide || d_.chance(30)) {
        const std::uint32_t at = d_.chance(80) ? data : large_page;
        return at + page_bytes * d_.below(14) + around;
    }
    // Few pages often, many seldom.
    const auto page = [&](unsigned n) { return d_.chance(60) ? d_.below(6) : d_.below(n - 2); };
    switch (d_.below(p_.about == theme::memory || p_.about == theme::events ? 8 : 20)) {
        case 0:
        case 1:
            return large_pages + large_page_bytes * page(large_page_count) + around;
        case 2:
            return odd_pages + page_bytes * page(500) + around;
        case 3:
        case 4:
            return medium_pages + 16 * page_bytes * page(32) + page_bytes * d_.below(16) + around;
        default:
            return small_pages + page_bytes * page(512) + around;
    }
}

operand generator::memory() {
    operand o;
    o.memory = true;
    const unsigned how = d_.below(100);
    if (how < 20) return operand::at(address());
    if (how < 26 && a.wide) {
        // Relative to somewhere behind this instruction.
        const auto distance = static_cast<std::int64_t>(data + d_.below(0x8000)) -
                              static_cast<std::int64_t>(a.here());
        return operand::at(operand::next_ip, static_cast<std::int32_t>(distance));
    }
    o.base = static_cast<int>(pointer());
    if (d_.chance(60))
        o.disp = d_.chance(70) ? static_cast<int>(d_.below(128)) - 32
                               : static_cast<int>(d_.below(0x2000)) - 0x800;
    if (how < 40 && small_ != 0) {
        for (const std::uint32_t r : targets_)
            if ((small_ >> r & 1) != 0 && d_.chance(50)) o.index = static_cast<int>(r);
        o.scale = d_.below(4);
    }
    // Now and then one that goes anywhere.
    if (how == 99 && (a.wide || p_.world.limited)) o.base = static_cast<int>(any_register());
    return o;
}

operand generator::either() {
    return d_.chance(60) ? operand::in(any_register()) : memory();
}

void generator::written(unsigned reg, bool is_small) {
    small_ = (small_ & ~(1u << reg)) | (is_small ? 1u << reg : 0);
}

void generator::immediate(unsigned size) {
    const std::uint64_t v = d_.chance(50) ? d_.below(256) : d_.any();
    a.number(v, size > 4 ? 4 : size);
}

// Instructions behind which a fault goes on.
void generator::block() {
    a.op(4, {0xc7}, 0, operand::at(cells_ + resume));
    const std::size_t label = a.code.size();
    a.number(0, 4);
    if (d_.chance(15)) a.load(rsp, stacks + stacks_step * thread_ + own_stack);
    for (unsigned n = d_.between(4, 12); n > 0; --n) instruction();
    const std::uint64_t here = a.here();
    for (unsigned n = 0; n < 4; ++n) a.code[label + n] = static_cast<std::uint8_t>(here >> 8 * n);
}

void generator::subroutine() {
    subroutines_.push_back(a.here());
    for (unsigned n = d_.between(1, 4); n > 0; --n) instruction();
    if (d_.chance(20)) {
        a.bytes({0xc2});
        a.number(0, 2);
    } else {
        a.bytes({0xc3});
    }
}

void generator::generate() {
    // Where SYSCALL goes.
    a.op(4, {0xff}, 0, operand::at(cells_ + interrupts));
    a.bytes({0x48, 0x0f, 0x07});
    while (a.code.size() < entry_offset) a.bytes({0x90});
    const auto begin = a.jump({0xe9}, 4);
    for (unsigned n = d_.below(4); n > 0; --n) subroutine();
    while (d_.chance(30)) a.bytes({0x90});
    a.bind(begin);
    a.op(4, {0xc7}, 0, operand::at(cells_ + rounds));
    a.number(d_.between(2, 40), 4);
    const std::uint64_t top = a.here();
    a.load(rsp, stacks + stacks_step * thread_ + own_stack);
    if (d_.chance(30)) a.bytes({0xdb, 0xe3});
    for (unsigned n = d_.between(2, 10); n > 0; --n) block();
    a.op(4, {0xff}, 1, operand::at(cells_ + rounds));
    a.bind(a.jump({0x0f, 0x8f}, 4), top);
    // Then it waits, or halts, or turns on the spot.
    if (p_.world.interrupts && d_.chance(60)) {
        a.bytes({0xfb, 0xf4, 0xeb, 0xfd});
    } else if (d_.chance(70)) {
        a.bytes({0xfa, 0xf4, 0xeb, 0xfd});
    } else {
        a.bytes({0xeb, 0xfe});
    }
}

}  // namespace knc::reference
