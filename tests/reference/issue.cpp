// One issue: fetch, pairing, interlocks, execution, and the clocks it takes.

#include <algorithm>
#include <utility>

#include <Zydis/Mnemonic.h>

#include <knc/isa/decoder.h>

#include "attempt.h"
#include "branches.h"
#include "machine.h"
#include "pairing.h"

namespace knc::reference {
namespace {

constexpr unsigned longest_instruction = 15;
constexpr std::uint64_t page_bytes = 4096;

bool accesses_memory(const isa::insn& i) {
    return is(i, isa::insn_reads | isa::insn_writes);
}

// What is no instruction at all is that because of as many bytes as it takes to see it.
unsigned deciding_bytes(const isa::context& c, const isa::insn& i, const std::uint8_t* bytes) {
    isa::insn again;
    for (unsigned n = 1; is(i, isa::insn_undefined); ++n)
        if (isa::decode(c.instruction_set, c.s.mode, bytes, n, again) == isa::decode_result::ok)
            return n;
    return i.length;
}

unsigned left_in_page(std::uint64_t address) {
    return static_cast<unsigned>(page_bytes - address % page_bytes);
}

// DR7: some breakpoint is enabled and of kind 0, execution.
bool looks_for_breakpoints(std::uint64_t dr7) {
    for (unsigned n = 0; n < 4; ++n)
        if ((dr7 >> 2 * n & 3) != 0 && (dr7 >> (16 + 4 * n) & 3) == 0) return true;
    return false;
}

// The first byte that a pairable instruction, about to execute, accesses.
std::uint64_t data_address(const isa::context& c, const isa::insn& i) {
    if (!is(i, isa::insn_stack)) return c.linear(i.seg, c.offset(i));
    const bool pushes = is(i, isa::insn_writes);
    return c.linear(isa::ss, c.s.r[isa::rsp] - (pushes ? i.size : 0));
}

// Bytes looked at one by one: two words of one bank, one for each access.
bool share_bank(const core::parameters& p, std::uint64_t u, unsigned u_size, std::uint64_t v,
                unsigned v_size) {
    for (unsigned m = 0; m < u_size; ++m)
        for (unsigned n = 0; n < v_size; ++n) {
            const std::uint64_t a = (u + m) / p.bank_bytes, b = (v + n) / p.bank_bytes;
            if (a != b && a % p.banks == b % p.banks) return true;
        }
    return false;
}

// The same for `u`, which may be a vector instruction: it says itself which bytes it has accessed.
bool share_bank(const core::parameters& p, const isa::context& c, const isa::insn& u,
                std::uint64_t u_address, std::uint64_t v, unsigned v_size) {
    if (!is(u, isa::insn_vector)) return share_bank(p, u_address, u.size, v, v_size);
    for (unsigned n = 0; n < 64; ++n)
        if ((c.vector_accessed.which >> n & 1) != 0 &&
            share_bank(p, c.vector_accessed.la + n, 1, v, v_size))
            return true;
    return false;
}

bool single_step(const isa::context& c) {
    return (c.s.eflags & isa::flag_tf) != 0;
}
// Whether a trap is due behind `i`, which found these flags. A software interrupt clears TF on its
// way to the handler.
bool traps_behind(const isa::context& c, const isa::insn& i, bool tf, bool overflow) {
    switch (i.mnemonic) {
        case ZYDIS_MNEMONIC_SYSCALL:
        case ZYDIS_MNEMONIC_SYSRET:
            return single_step(c);
        case ZYDIS_MNEMONIC_INT:
        case ZYDIS_MNEMONIC_INT1:
        case ZYDIS_MNEMONIC_INT3:
            return false;
        case ZYDIS_MNEMONIC_INTO:
            return tf && !overflow;
        default:
            return tf;
    }
}

}  // namespace

void machine::issue(thread& t) {
    isa::context& c = t.c;
    const bool shadow = c.interrupt_shadow;
    c.count_in(t.counts());
    t.forget_translation();
    if (t.event) {
        const pending_event e = *t.event;
        enter(t, e);
        return;
    }
    if (take_interrupt(t, shadow)) return;

    const std::uint64_t ip = c.s.r[isa::rip];
    const fetched u = fetch(t, ip);
    if (!u.ready) {
        if (t.code_walk == 0) {
            not_executed(t, ip, c.failure);
            return;
        }
        lose_slot(t, std::exchange(t.code_walk, 0), "code walk");
        return;
    }
    const std::optional<isa::insn> next = partner(t, u, ip);
    const bool alone = shadow || (c.s.eflags & (isa::flag_tf | isa::flag_rf)) != 0 ||
                       looks_for_breakpoints(c.s.dr[7]);
    const isa::insn* v = next && !alone && pairs(u.code, *next) ? &*next : nullptr;
    if (interlocked(t, u.code, v)) return;
    if (lacks_x87_value(t, u.code)) return;
    if (lacks_vector_value(t, u.code, v)) return;
    remember(t, v == nullptr ? "" : "+", u.bytes);
    t.decoder_busy = p_.core.issue_interval - 1;
    t.resumed = (c.s.eflags & isa::flag_rf) != 0;
    c.s.eflags &= ~isa::flag_rf;
    c.interrupt_shadow = false;
    if (!begin_late(t, u.code)) execute(t, u.code, v);
}

machine::fetched machine::fetch(thread& t, std::uint64_t ip) {
    isa::context& c = t.c;
    const std::uint64_t la = c.linear(isa::cs, ip);
    const unsigned here = std::min(longest_instruction, left_in_page(la));
    fetched f;
    std::uint8_t* const bytes = f.bytes.all.data();
    const unsigned n = c.fetch(ip, here, bytes, f.paddr);
    if (n == 0 || t.code_walk != 0) return f;
    const bool cacheable = c.code_cacheable;
    f.in_ram = t.page(f.paddr) != nullptr;
    auto result = isa::decode(c.instruction_set, c.s.mode, bytes, n, f.code);
    bool crosses = false;
    if (result == isa::decode_result::more && n == here && n < longest_instruction) {
        // It goes on in the next page.
        std::uint64_t rest = 0;
        const unsigned more =
            c.fetch((ip + n) & c.ip_mask, longest_instruction - n, bytes + n, rest);
        if (more == 0 || t.code_walk != 0) return f;
        crosses = true;
        result = isa::decode(c.instruction_set, c.s.mode, bytes, n + more, f.code);
        if (result == isa::decode_result::ok && f.in_ram && t.page(rest) != nullptr &&
            f.code.length > n) {
            look_at(f.paddr, n);
            look_at(rest, f.code.length - n);
        }
    }
    if (result == isa::decode_result::more) {
        c.failure = c.gp();
        return f;
    }
    c.code_cacheable = cacheable;
    if (f.in_ram && !crosses) look_at(f.paddr, deciding_bytes(c, f.code, bytes));
    t.walked.clear();
    request_code(t, la, f.code.length);
    f.bytes.size = f.code.length;
    f.ready = true;
    return f;
}

// The instruction behind `u`, if it lies in the same page. Looking at it is enough for a store to
// its line to be noticed.
std::optional<isa::insn> machine::partner(thread& t, const fetched& u, std::uint64_t ip) {
    const isa::context& c = t.c;
    const std::uint64_t la = c.linear(isa::cs, ip);
    const unsigned length = u.code.length;
    if (!u.in_ram || length >= left_in_page(la)) return std::nullopt;
    const std::uint64_t paddr = u.paddr + length;
    const unsigned available = std::min(longest_instruction, left_in_page(paddr));
    isa::insn v;
    if (isa::decode(c.instruction_set, c.s.mode, ram + paddr, available, v) !=
        isa::decode_result::ok) {
        look_at(paddr, available);
        return std::nullopt;
    }
    look_at(paddr, deciding_bytes(c, v, ram + paddr));
    const bool behind_limit =
        c.s.mode != isa::code_mode::bits64 && ip + length + v.length - 1 > c.s.seg[isa::cs].limit;
    return behind_limit ? std::nullopt : std::make_optional(v);
}

// The prefetch buffer holds the block that was asked for last, and asks for the blocks of an
// instruction up to that of its last byte, unless it holds that one.
void machine::request_code(thread& t, std::uint64_t la, unsigned length) {
    const std::uint64_t size = p_.core.fetch_bytes, last = (la + length - 1) / size;
    if (t.block == last) return;
    for (std::uint64_t b = la / size; b <= last; ++b) {
        if (b == t.block) continue;
        ++t.counts()[base::code_read];
        if (t.c.code_cacheable) continue;
        ++t.counts()[base::code_cache_miss];
        ++t.c.uncached;
    }
    t.block = last;
}

void machine::execute(thread& t, const isa::insn& u, const isa::insn* v) {
    isa::context& c = t.c;
    const std::uint64_t ip = c.s.r[isa::rip];
    const bool tf = single_step(c), overflow = c.s.arithmetic.of();
    const std::uint64_t address = v != nullptr && accesses_memory(u) ? data_address(c, u) : 0;
    const unsigned top = c.s.x87.top();
    t.reached_apic = t.code_voided = false;
    t.taken = will_be_taken(c, u);
    c.s.r[isa::rip] = (ip + u.length) & c.ip_mask;
    attempt a(t.counts());
    c.vector_accessed = {};
    const isa::status end = u.execute(c, u);
    if (end == isa::status::blocked) {
        a.waits();
        if (t.resumed) c.s.eflags |= isa::flag_rf;
    }
    if (end == isa::status::repeat) {
        c.s.r[isa::rip] = ip;
        element_done(t, u);
        return;
    }
    if (end != isa::status::ok) {
        t.stalled = end == isa::status::blocked;
        not_executed(t, ip, end);
        return;
    }
    t.executing = true;
    ++t.counts()[base::instructions_executed];
    t.counts()[base::vpu_instructions_executed] += is(u, isa::insn_vector);
    ++t.retired;
    t.written = u.writes & isa::address_registers;
    if (is(u, isa::insn_branch)) branch(t, u, ip, false);
    // Nothing issues beside what went past the caches or changed code of this page.
    const bool joined = v != nullptr && c.uncached == 0 && !t.reached_apic && !t.code_voided;
    unsigned clocks = use_of(u).clocks;
    if (joined) {
        const std::uint64_t v_ip = c.s.r[isa::rip];
        const isa::status v_end = execute_second(t, u, *v, address);
        write_x87(t, u, top);
        write_vector(t, u);
        if (v_end == isa::status::fault) {
            // It has its own slot, behind the clocks of the first.
            c.s.r[isa::rip] = v_ip;
            t.event = {isa::event_kind::exception, c.fault, v_ip};
        } else if (v_end != isa::status::ok) {
            if (clocks > 1) t.ahead.push_back({activity::executing, clocks - 1});
            not_executed(t, v_ip, v_end);
            return;
        } else {
            write_x87(t, *v, c.s.x87.top());
            write_vector(t, *v);
            clocks = clocks_together(u, *v) + t.conflict;
        }
    } else {
        write_x87(t, u, top);
        write_vector(t, u);
    }
    ended(t, u, clocks, traps_behind(c, u, tf, overflow));
}

isa::status machine::execute_second(thread& t, const isa::insn& u, const isa::insn& v,
                                    std::uint64_t u_address) {
    isa::context& c = t.c;
    const std::uint64_t ip = c.s.r[isa::rip];
    request_code(t, c.linear(isa::cs, ip), v.length);
    // A vector instruction may access nothing.
    const bool first = is(u, isa::insn_vector) ? c.vector_accessed.which != 0 : accesses_memory(u);
    const bool both = first && accesses_memory(v);
    const std::uint64_t v_address = both ? data_address(c, v) : 0;
    t.taken = will_be_taken(c, v);
    c.s.r[isa::rip] = (ip + v.length) & c.ip_mask;
    attempt a(t.counts());
    const isa::status end = v.execute(c, v);
    if (end == isa::status::blocked) a.waits();
    if (end != isa::status::ok) return end;
    ++t.counts()[base::instructions_executed];
    ++t.counts()[base::instructions_executed_v_pipe];
    t.counts()[base::vpu_instructions_executed] += is(v, isa::insn_vector);
    t.counts()[base::vpu_instructions_executed_v_pipe] += is(v, isa::insn_vector);
    ++t.retired;
    t.written |= v.writes & isa::address_registers;
    t.conflict = 0;
    if (both) {
        ++t.counts()[base::memory_accesses_in_both_pipes];
        if (share_bank(p_.core, c, u, u_address, v_address, v.size)) {
            ++t.counts()[base::bank_conflicts];
            t.conflict = p_.core.bank_conflict_cycles;
        }
    }
    if (is(v, isa::insn_branch)) branch(t, v, ip, true);
    return end;
}

void machine::branch(thread& t, const isa::insn& i, std::uint64_t ip, bool in_v) {
    ++t.counts()[base::branches];
    // These fetch anew in any case.
    if (is(i, isa::insn_segment_load) || use_of(i).microcode) return;
    const std::uint64_t target = t.c.s.r[isa::rip];
    const branch_cost cost = t.branches.branch(t.c.linear(isa::cs, ip),
                                               is(i, isa::insn_conditional), t.taken, target, in_v);
    t.counts()[base::pipeline_flushes] += cost.flush;
    t.counts()[base::branches_mispredicted] += cost.mispredicted;
    t.waits += cost.clocks;
}

// The clocks behind the one of the issue.
void machine::ended(thread& t, const isa::insn& i, unsigned clocks, bool stepped) {
    isa::context& c = t.c;
    const pipe_use use = use_of(i);
    // INTO without an overflow goes on as any instruction.
    const bool went_on = i.mnemonic == ZYDIS_MNEMONIC_INTO && !t.taken;
    if (is(i, isa::insn_mode | isa::insn_serializing) && !went_on) {
        t.block = ~0ull;
        t.walked.clear();
    }
    if (is(i, isa::insn_segment_load) && !went_on) ++t.counts()[base::pipeline_flushes];
    base::cycle_t waits = all_waits(t);
    if (!is(i, isa::insn_at_completion | isa::insn_halt)) {
        const unsigned set_up = t.in_string ? 0 : use.set_up;
        if (t.in_string) {
            t.stalled = true;
            t.decoder_busy = 0;
        }
        t.in_string = false;
        t.microcode = t.microcode || use.microcode;
        const activity what = use.microcode ? activity::microcode : activity::executing;
        if (clocks + set_up > 1) t.ahead.push_back({what, clocks + set_up - 1});
        if (is(i, isa::insn_segment_load) && !use.microcode) waits += p_.core.flush_cycles;
    }
    if (waits > 0) t.ahead.push_back({activity::waiting, waits});
    if (is(i, isa::insn_delay)) {
        const base::cycle_t asked = std::min(std::exchange(c.delay, 0), p_.core.delay_limit);
        if (asked > 0 && !wakes(t.index)) t.ahead.push_back({activity::waiting, asked, true});
    }
    const bool hidden = c.interrupt_shadow && c.debug_shadow;
    if (stepped && !hidden)
        trap(t);
    else if (is(i, isa::insn_halt))
        halt(t);
}

// One element of a string: the microcode goes on with the next before any other thread issues,
// unless it has to wait.
void machine::element_done(thread& t, const isa::insn& i) {
    const pipe_use use = use_of(i);
    const bool stepped = (t.c.s.eflags & isa::flag_tf) != 0;
    const unsigned clocks = use.clocks + (t.in_string ? 0 : use.set_up);
    t.executing = t.microcode = true;
    if (clocks > 1) t.ahead.push_back({activity::microcode, clocks - 1});
    if (const base::cycle_t waits = all_waits(t)) t.ahead.push_back({activity::waiting, waits});
    t.stalled = t.in_string;
    t.decoder_busy = 0;
    string_goes_on_ = t.in_string = true;
    t.c.s.eflags |= isa::flag_rf;
    if (stepped) trap(t);
}

// The instruction at `ip` faulted, or waits for a device.
void machine::not_executed(thread& t, std::uint64_t ip, isa::status end) {
    isa::context& c = t.c;
    const std::uint64_t next_ip = c.s.r[isa::rip];
    c.s.r[isa::rip] = ip;
    if (end == isa::status::blocked) {
        t.ahead.push_back({activity::waiting, base::never});
        return;
    }
    if (c.fault.unsupported) {
        shut_down(t);
        return;
    }
    enter(t, {isa::event_kind::exception, c.fault, c.fault.trap ? next_ip : ip});
}

void machine::look_at(std::uint64_t paddr, unsigned size) {
    for (std::uint64_t line = paddr / 64; line <= (paddr + size - 1) / 64; ++line)
        code_lines_[line / 64] |= std::uint64_t{1} << line % 64;
}

}  // namespace knc::reference
