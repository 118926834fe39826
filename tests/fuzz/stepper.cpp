#include "stepper.h"

#include <algorithm>
#include <cstring>

#include <gtest/gtest.h>

#include <knc/isa/memory_type.h>
#include <knc/isa/paging.h>
#include <knc/isa/segmentation.h>

namespace knc::isa::test {
namespace {

constexpr std::size_t code_size = 0x400;
constexpr std::uint64_t all_flags = 0x3f7fd7;

code_mode mode_of(world w) {
    switch (w) {
        case world::real:
        case world::protected16:
            return code_mode::bits16;
        case world::long64:
            return code_mode::bits64;
        default:
            return code_mode::bits32;
    }
}

}  // namespace

std::string name_of(const testing::TestParamInfo<world>& i) {
    constexpr const char* names[] = {"real",    "protected16", "protected32",
                                     "paged32", "pae32",       "long64"};
    return names[static_cast<unsigned>(i.param)];
}

void stepper::prepare(world w, source& s, bool damages_pages) {
    const bool user = w != world::real && w != world::protected16 && s.chance(40);
    machine.enter(w, user ? 3 : 0);
    left_protected_mode_ = w == world::real;
    if (w == world::protected32 && s.chance(20)) {
        // Virtual-8086 mode.
        machine.c.s.eflags |= flag_vm | (s.chance(50) ? 3u << 12 : 0);
        machine.c.s.cpl = 3;
        for (segment& g : machine.c.s.seg) g = {0, 0xf3, 0xffff, 0};
    }
    randomize_registers(s);
    if (machine.c.instruction_set == profile::p55c) randomize_x87(s);
    randomize_system(s);
    randomize_memory(s, damages_pages);
    const std::vector<std::uint8_t> code =
        s.code(machine.c.s.virtual_8086() ? code_mode::bits16 : mode_of(w), code_size);
    std::copy_n(code.begin(), code_size, machine.at(flat_machine::code_at));
    for (unsigned v = 0; v < 256; ++v) {
        const std::vector<std::uint8_t> i = s.instruction(mode_of(w));
        std::copy(i.begin(), i.end(), machine.at(flat_machine::handler_at + 16 * v));
    }
    machine.c.flush_translations();
    machine.c.update_mode();
}

void stepper::randomize_registers(source& s) {
    state& t = machine.c.s;
    for (unsigned n = rax; n <= r15; ++n)
        if (n != rsp || s.chance(10)) t.r[n] = s.value();
    s.vectors(t.vector);
    t.mxcsr = mxcsr_ones | static_cast<std::uint32_t>(s.chance(50) ? s.any() & mxcsr_writable : 0);
    std::uint64_t flags =
        s.any() & (arithmetic_flags | flag_df | flag_if | flag_ac | flag_nt | flag_rf | 3u << 12);
    if (s.chance(80)) flags &= ~std::uint64_t{flag_nt};
    t.set_rflags(flags | (t.eflags & flag_vm) | (t.virtual_8086() ? t.eflags & 3u << 12 : 0));
    for (const segment_register n : {es, ss, ds, fs, gs, cs}) {
        if (!s.chance(n == cs ? 5 : 15) || t.virtual_8086()) continue;
        segment& g = t.seg[n];
        if (s.chance(50)) g.base = n >= fs ? s.value() : s.value() & 0xffff'ffff;
        if (s.chance(50)) g.limit = static_cast<std::uint32_t>(s.value());
        if (n == cs) continue;
        if (s.chance(30)) g.attributes = static_cast<std::uint16_t>(s.any() & 0xf0ff);
        if (s.chance(30)) g.selector = static_cast<std::uint16_t>(s.value());
    }
}

// Also of MMX, whose registers these are.
void stepper::randomize_x87(source& s) {
    x87_state& x = machine.c.s.x87;
    for (x87_register& r : x.physical) {
        r.significand = s.chance(50) ? s.any() : s.value();
        r.sign_exponent = static_cast<std::uint16_t>(s.chance(30) ? 0xffff : s.any());
    }
    x.used = static_cast<std::uint8_t>(s.any());
    x.set_control(static_cast<unsigned>(s.any()));
    x.status = static_cast<std::uint16_t>(s.any());
    x.update_summary();
}

void stepper::randomize_system(source& s) {
    state& t = machine.c.s;
    if (s.chance(20)) t.cr0 ^= cr0_wp;
    if (s.chance(20)) t.cr0 |= cr0_am;
    if (s.chance(10)) t.cr0 |= s.any() & (cr0_ts | cr0_em | cr0_mp);
    if (s.chance(30)) t.cr0 |= cr0_cd;
    if (s.chance(20)) {
        // Some of the memory is not cacheable.
        constexpr std::uint64_t size = 0x8000;
        t.memory_types.base[2] = s.below(flat_machine::ram_size / size) * size;
        t.memory_types.mask[2] = range_mask(size) | range_valid;
    }
    t.cr4 |= s.any() & (cr4_tsd | cr4_de | cr4_pce | cr4_vme | cr4_pvi);
    for (unsigned n = 0; n < 4; ++n) t.dr[n] = s.value();
    t.star = s.any();
    t.lstar = s.chance(90) ? flat_machine::handler_at + 16 * s.below(64) : s.any() & 0xffff'ffff;
    t.sfmask = s.any() & 0xffff'ffff;
    t.kernel_gs_base = s.value() & 0xffff'ffff;
    if (s.chance(5)) t.idtr = {s.value(), static_cast<std::uint16_t>(s.any())};
    if (s.chance(5)) t.gdtr = {s.value(), static_cast<std::uint16_t>(s.any())};
    machine.c.nmi_blocked = s.chance(10);
    machine.c.interrupt_shadow = s.chance(10);
}

// Some damage to the tables; data all random.
void stepper::randomize_memory(source& s, bool damages_pages) {
    const auto damage = [&](std::uint64_t at, unsigned size, unsigned percent) {
        if (!s.chance(percent)) return;
        for (unsigned n = 1 + s.below(4); n > 0; --n) {
            std::uint8_t& byte = machine.ram.data()[at + s.below(size)];
            byte = s.chance(50) ? static_cast<std::uint8_t>(byte ^ 1u << s.below(8))
                                : static_cast<std::uint8_t>(s.any());
        }
    };
    damage(flat_machine::gdt_at, flat_machine::gdt_end, 50);
    damage(flat_machine::idt_at, 0x1000, 50);
    damage(flat_machine::tss_at, 0x80, 50);
    if (damages_pages) damage(flat_machine::tables_at, flat_machine::tables_size, 50);
    for (std::uint64_t at = flat_machine::ldt_at; at < flat_machine::ldt_at + 0x40; at += 8)
        machine.put(at, s.any());
    for (std::uint64_t at = flat_machine::data_at; at < flat_machine::data_at + 0x400; at += 8)
        machine.put(at, s.chance(50) ? s.value() : s.any());
}

bool stepper::run(source& s, unsigned steps) {
    for (unsigned n = 0; n < steps; ++n) {
        if (!step(s) || testing::Test::HasFailure()) return false;
        check();
    }
    return true;
}

// One instruction, with the event it causes, or one interrupt.
bool stepper::step(source& s) {
    context& c = machine.c;
    const std::uint64_t ip = c.s.r[rip];
    if (!c.interrupt_shadow && (c.s.eflags & flag_if) != 0 && s.chance(3)) {
        fault f;
        f.vector = static_cast<std::uint8_t>(s.any());
        return take(event_kind::external_interrupt, f, ip);
    }
    c.interrupt_shadow = false;
    machine.device_answers = s.chance(30) ? s.below(3) : ~0u;
    switch (execute_next(ip)) {
        case status::ok:
            return true;
        case status::blocked:
        case status::repeat:
            c.s.r[rip] = ip;
            return true;
        default:
            break;
    }
    if (c.fault.unsupported) {
        EXPECT_FALSE(c.message.empty());
        return false;
    }
    const fault f = c.fault;
    const std::uint64_t next_ip = c.s.r[rip];
    c.s.r[rip] = ip;
    return take(event_kind::exception, f, f.trap ? next_ip : ip);
}

// False: shutdown. A delivery that waits for a device is repeated when that answers.
bool stepper::take(event_kind kind, const fault& f, std::uint64_t next_ip) {
    delivery d = deliver(machine.c, kind, f, next_ip);
    if (d == delivery::blocked) {
        machine.device_answers = ~0u;
        d = deliver(machine.c, kind, f, next_ip);
        EXPECT_NE(d, delivery::blocked);
    }
    return d == delivery::done;
}

status stepper::execute_next(std::uint64_t ip) {
    context& c = machine.c;
    std::uint8_t bytes[15];
    std::uint64_t paddr = 0;
    const unsigned n = c.fetch(ip, sizeof bytes, bytes, paddr);
    if (n == 0) return c.failure;
    std::uint8_t* at = edge_.end() - n;
    std::memcpy(at, bytes, n);
    insn i;
    if (decode(c.instruction_set, c.s.mode, at, n, i) == decode_result::more) return c.gp();
    const state before = c.s;
    c.s.r[rip] = (ip + i.length) & c.ip_mask;
    const status end = i.execute(c, i);
    if (end == status::fault || end == status::blocked) check_unchanged(before, i);
    return end;
}

// An instruction that faults or waits leaves the registers as they were. Not so a task switch that
// faults in the new task.
void stepper::check_unchanged(const state& before, const insn& i) {
    const state& after = machine.c.s;
    if (after.tr.selector != before.tr.selector || after.tr.base != before.tr.base) return;
    for (unsigned n = rax; n < rip; ++n)
        EXPECT_EQ(after.r[n], before.r[n])
            << "register " << n << " of " << ZydisMnemonicGetString(ZydisMnemonic(i.mnemonic));
    if (!machine.c.fault.trap) {
        EXPECT_EQ(after.rflags(), before.rflags())
            << ZydisMnemonicGetString(ZydisMnemonic(i.mnemonic));
    }
    EXPECT_EQ(
        std::memcmp(after.vector.zmm.data(), before.vector.zmm.data(), sizeof after.vector.zmm), 0)
        << ZydisMnemonicGetString(ZydisMnemonic(i.mnemonic));
    EXPECT_EQ(after.vector.k, before.vector.k) << ZydisMnemonicGetString(ZydisMnemonic(i.mnemonic));
    EXPECT_EQ(after.mxcsr, before.mxcsr) << ZydisMnemonicGetString(ZydisMnemonic(i.mnemonic));
    for (unsigned n = 0; n < before.x87.physical.size(); ++n)
        EXPECT_EQ(after.x87.physical[n].significand, before.x87.physical[n].significand)
            << ZydisMnemonicGetString(ZydisMnemonic(i.mnemonic));
    EXPECT_EQ(after.x87.used, before.x87.used) << ZydisMnemonicGetString(ZydisMnemonic(i.mnemonic));
    EXPECT_EQ(after.x87.status, before.x87.status)
        << ZydisMnemonicGetString(ZydisMnemonic(i.mnemonic));
    EXPECT_EQ(after.cpl, before.cpl);
    EXPECT_EQ(after.seg[cs].selector, before.seg[cs].selector);
}

void stepper::check() {
    context& c = machine.c;
    const state& s = c.s;
    EXPECT_EQ(s.r[no_register], 0u);
    EXPECT_EQ(s.rflags() & 2, 2u);
    EXPECT_EQ(s.rflags() & ~all_flags, 0u);
    // Running on over the border faults with the next fetch.
    EXPECT_TRUE(!s.long_mode() || canonical(s.r[rip]) || canonical(s.r[rip] - 15))
        << std::hex << s.r[rip];
    EXPECT_EQ(s.r[rip] & ~c.ip_mask, 0u);

    left_protected_mode_ |= !s.protected_mode();
    EXPECT_TRUE(s.protected_mode() || s.cpl == 0);
    EXPECT_TRUE(!s.virtual_8086() || s.cpl == 3);
    EXPECT_TRUE(left_protected_mode_ || s.virtual_8086() || (s.seg[cs].selector & 3) == s.cpl);
    EXPECT_TRUE(!s.long_mode() || (s.paging() && (s.cr4 & cr4_pae) != 0));
    EXPECT_TRUE(!s.paging() || s.protected_mode());

    // What is derived from the state is current.
    const auto derived = [&] {
        return std::make_tuple(s.mode, c.unchecked_reads, c.unchecked_writes, c.ip_mask);
    };
    const auto had = derived();
    c.update_mode();
    EXPECT_TRUE(had == derived());
}

}  // namespace knc::isa::test
