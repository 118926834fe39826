// The fast path changes no result: random code on a thread that uses it, beside the same code on
// one that drops every granted line and translation before each instruction.
#include <tuple>

#include <gtest/gtest.h>

#include <knc/isa/control_registers.h>
#include <knc/isa/memory_type.h>
#include <knc/isa/msr.h>

#include "stepper.h"

namespace knc::isa::test {
namespace {

using machine = flat_machine;
constexpr unsigned page_count = machine::ram_size >> 12;

bool paged(world w) {
    return w == world::paged32 || w == world::pae32 || w == world::long64;
}

// An entry of a page: other rights, other cacheability, another frame.
template <class Entry>
void randomize_entry(source& s, std::uint8_t* at) {
    Entry e;
    std::memcpy(&e, at, sizeof e);
    if (s.chance(30)) e = static_cast<Entry>((e & 0xfff) | Entry{s.below(page_count)} << 12);
    e = static_cast<Entry>(e ^ (s.any() & 0x1e));
    e = static_cast<Entry>((e & ~Entry{1}) | (s.chance(90) ? 1 : 0));
    std::memcpy(at, &e, sizeof e);
}
void randomize_page(source& s, machine& m, world w, unsigned n) {
    std::uint8_t* tables = m.ram.data() + machine::tables_at;
    if (w == world::paged32) return randomize_entry<std::uint32_t>(s, tables + 0x1000 + 4 * n);
    randomize_entry<std::uint64_t>(s, tables + 0x3000 + 8 * n);
}
// Half of the time one of those that are used most.
unsigned some_page(source& s) {
    constexpr std::uint64_t used[] = {
        machine::gdt_at,       machine::idt_at,        machine::tss_at,
        machine::ldt_at,       machine::code_at,       machine::handler_at,
        machine::stack_at - 1, machine::stack3_at - 1, machine::data_at};
    return s.chance(50) ? static_cast<unsigned>(used[s.below(std::size(used))] >> 12)
                        : s.below(page_count);
}
void randomize_pages(source& s, machine& m, world w) {
    for (unsigned more = s.below(40); more > 0; --more) randomize_page(s, m, w, some_page(s));
}

// INVLPG of a linear address, at privilege level 0.
void invalidate_page(context& c, std::uint64_t la) {
    constexpr std::uint8_t with_address_size[] = {0x67, 0x0f, 0x01, 0x38};  // of (%rax)
    const unsigned skipped = c.s.mode == code_mode::bits16 ? 0 : 1;
    insn i;
    ASSERT_EQ(decode(c.instruction_set, c.s.mode, with_address_size + skipped, 4 - skipped, i),
              decode_result::ok);
    const std::uint64_t rax_before = c.s.r[rax];
    const std::uint8_t cpl_before = c.s.cpl;
    c.s.cpl = 0;
    c.s.r[rax] = la - c.s.seg[ds].base;
    EXPECT_EQ(i.execute(c, i), status::ok);
    c.s.r[rax] = rax_before;
    c.s.cpl = cpl_before;
}

// Now and then, what system software does and what holds from the next instruction on.
void disturb(source& s, machine& m, world w) {
    constexpr std::uint32_t range_base = 0x204, range_size = 0x205, page_attributes = 0x277;
    constexpr std::uint64_t toggled[] = {cr0_wp, cr0_am, cr0_cd};
    context& c = m.c;
    if (!s.chance(10)) return;
    switch (s.below(paged(w) ? 6 : 4)) {
        case 0:
            write_cr0(c, c.s.cr0 ^ toggled[s.below(3)]);
            break;
        case 1:
            write_msr(c, range_base, s.below(page_count) << 12);
            write_msr(c, range_size, range_mask(0x1000u << s.below(8)) | range_valid);
            break;
        case 2:
            // What PCD selects: uncached, or write-back.
            write_msr(c, page_attributes,
                      s.chance(50) ? 0x0007'0406'0007'0406 : 0x0006'0406'0006'0406);
            break;
        case 3: {
            const std::uint64_t near_used = c.s.r[s.below(no_register)];
            c.s.dr[7] &= ~dr7_gd;
            write_debug_register(c, 0, near_used + s.below(32));
            write_debug_register(c, 7, s.any() & 0xffff'00ff);
            break;
        }
        case 4: {
            const unsigned n = some_page(s);
            randomize_page(s, m, w, n);
            invalidate_page(c, n << 12 | s.below(0x1000));
            break;
        }
        default:
            randomize_pages(s, m, w);
            write_cr3(c, c.s.cr3);
    }
}

// The machine's own access, at privilege level 0 whatever the program's is.
void access_by_machine(source& s, machine& m, std::uint64_t la) {
    std::uint32_t value = 0;
    if (s.chance(30)) m.c.read_system(la, sizeof value, &value);
}

// An access as instructions make it. RAX receives what is read or the exception.
void access(source& s, machine& m, std::uint64_t la) {
    context& c = m.c;
    const unsigned seg = s.chance(80) ? ds : ss;
    std::uint64_t off = la - c.s.seg[seg].base;
    if (c.s.mode != code_mode::bits64) off &= 0xffff'ffff;
    auto value = static_cast<std::uint32_t>(s.any());
    bool done = false;
    switch (s.below(3)) {
        case 0:
            done = c.load(seg, off, value);
            break;
        case 1:
            done = c.store(seg, off, value);
            break;
        default:
            done = c.load_for_update(seg, off, value);
    }
    c.s.r[rax] = done ? value : c.fault.vector;
}

void prepare(stepper& t, world w, source& s) {
    t.prepare(w, s, false);
    if (paged(w)) randomize_pages(s, t.machine, w);
}

// What page walks depend on but for the tables in memory.
auto walked(const state& s) {
    return std::make_tuple(s.paging(), s.cr3, s.cr4 & (cr4_pae | cr4_pse), s.long_mode(), s.pdpte);
}

// A program that changes its page tables has to flush translations itself: until it does, any of
// the two is right. Setting accessed and dirty bits, as walks do, is no change.
class page_tables {
  public:
    explicit page_tables(machine& m) : now_(m.ram.data() + machine::tables_at) { keep(); }

    bool changed() {
        constexpr unsigned accessed_and_dirty = 0x60;
        for (unsigned n = 0; n < machine::tables_size; ++n) {
            if (now_[n] == before_[n]) continue;
            const unsigned sets = n % 4 == 0 ? accessed_and_dirty : 0;
            if (((now_[n] ^ before_[n]) & ~sets) != 0 || (before_[n] & ~now_[n]) != 0) return true;
        }
        keep();
        return false;
    }

    void keep() { std::memcpy(before_, now_, machine::tables_size); }

  private:
    const std::uint8_t* now_;
    std::uint8_t before_[machine::tables_size];
};

void expect_same(const segment& a, const segment& b) {
    EXPECT_EQ(std::tie(a.selector, a.attributes, a.limit, a.base),
              std::tie(b.selector, b.attributes, b.limit, b.base));
}
void expect_same(const x87_state& a, const x87_state& b) {
    EXPECT_EQ(std::tie(a.used, a.control, a.status, a.data_selector, a.data_pointer),
              std::tie(b.used, b.control, b.status, b.data_selector, b.data_pointer));
    for (unsigned n = 0; n < 8; ++n) {
        EXPECT_EQ(a.physical[n].significand, b.physical[n].significand);
        EXPECT_EQ(a.physical[n].sign_exponent, b.physical[n].sign_exponent);
    }
}
void expect_same(machine& a, machine& b) {
    const state &s = a.c.s, &t = b.c.s;
    EXPECT_EQ(s.r, t.r);
    EXPECT_EQ(s.rflags(), t.rflags());
    EXPECT_EQ(s.cpl, t.cpl);
    EXPECT_EQ(s.mode, t.mode);
    for (unsigned n = 0; n < segment_count; ++n) expect_same(s.seg[n], t.seg[n]);
    expect_same(s.ldtr, t.ldtr);
    expect_same(s.tr, t.tr);
    EXPECT_EQ(std::tie(s.gdtr.base, s.gdtr.limit), std::tie(t.gdtr.base, t.gdtr.limit));
    EXPECT_EQ(std::tie(s.idtr.base, s.idtr.limit), std::tie(t.idtr.base, t.idtr.limit));
    EXPECT_EQ(std::tie(s.cr0, s.cr2, s.cr3, s.cr4), std::tie(t.cr0, t.cr2, t.cr3, t.cr4));
    EXPECT_EQ(s.dr, t.dr);
    EXPECT_EQ(s.mxcsr, t.mxcsr);
    expect_same(s.x87, t.x87);
    EXPECT_EQ(a.c.uncached, b.c.uncached);
    EXPECT_EQ(a.c.debug_conditions, b.c.debug_conditions);
    EXPECT_EQ(a.events, b.events);
}

void compare(profile p, world w) {
    stepper remembers(p), walks(p);
    machine &a = remembers.machine, &b = walks.machine;
    each_case(500, [&](source& s) {
        // With the same random numbers.
        const auto both = [&](const auto& act) {
            source same = s;
            b.c.flush_translations();
            act(s, remembers);
            act(same, walks);
        };
        both([&](source& r, stepper& t) { prepare(t, w, r); });
        page_tables tables(a);
        const auto before = walked(a.c.s);
        for (unsigned n = 0; n < 100; ++n) {
            both([&](source& r, stepper& t) { disturb(r, t.machine, w); });
            tables.keep();
            const std::uint64_t la = some_page(s) << 12 | s.below(0x1000);
            both([&](source& r, stepper& t) { access_by_machine(r, t.machine, la); });
            both([&](source& r, stepper& t) { access(r, t.machine, la); });
            bool goes_on = true;
            both([&](source& r, stepper& t) { goes_on = t.run(r, 1); });
            if (paged(w) && tables.changed()) return;
            expect_same(a, b);
            if (!goes_on || testing::Test::HasFailure() || walked(a.c.s) != before) break;
        }
        EXPECT_EQ(std::memcmp(a.ram.data(), b.ram.data(), machine::ram_size), 0);
    });
}

class front : public testing::TestWithParam<world> {};

TEST_P(front, profile_knc) {
    compare(profile::knc, GetParam());
}
TEST_P(front, profile_compat) {
    compare(profile::compat, GetParam());
}

INSTANTIATE_TEST_SUITE_P(mode, front, testing::ValuesIn(all_worlds), name_of);

}  // namespace
}  // namespace knc::isa::test
