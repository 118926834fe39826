// One instruction of one thread: fetch, execution, retirement.

#include <knc/core/core.h>

#include <algorithm>
#include <utility>

#include <Zydis/Mnemonic.h>

#include <knc/isa/decoder.h>

namespace knc::core {

namespace {

// Flags that give retirement more to do than counting.
constexpr std::uint32_t unusual_flags = isa::insn_microcode | isa::insn_segment_load |
                                        isa::insn_halt | isa::insn_delay | isa::insn_mode |
                                        isa::insn_serializing;

// Clocks of the instructions that act when they complete.
struct late_clocks {
    std::uint16_t mnemonic;
    std::uint32_t parameters::*clocks;
};
constexpr late_clocks late_table[] = {
    {ZYDIS_MNEMONIC_RDTSC, &parameters::rdtsc_clocks},
    {ZYDIS_MNEMONIC_RDPMC, &parameters::rdpmc_clocks},
    {ZYDIS_MNEMONIC_SPFLT, &parameters::spflt_clocks},
};

std::uint32_t clocks_of(const parameters& p, std::uint16_t mnemonic) {
    for (const late_clocks& l : late_table)
        if (l.mnemonic == mnemonic) return p.*l.clocks;
    return p.microcode_clocks;
}

// What a decoded page belongs to, beside its address.
std::uint64_t code_tag(std::uint64_t la, const isa::state& s) {
    return (la & ~std::uint64_t{0xfff}) | static_cast<std::uint64_t>(s.mode) |
           (s.cpl == 3 ? 4u : 0u);
}

}  // namespace

const isa::insn* core::fetch(thread& t, bool shadow) {
    const std::uint64_t la = t.context.linear(isa::cs, t.context.s.r[isa::rip]);
    const isa::insn* i = nullptr;
    if (__builtin_expect(t.code_tag == code_tag(la, t.context.s), 1)) i = t.code->find(la);
    if (__builtin_expect(i == nullptr, 0)) {
        i = fetch_slow(t, shadow);
        if (i == nullptr) return nullptr;
    }
    const std::uint64_t block = parameters_.fetch_bytes;
    const std::uint64_t first = la & ~(block - 1);
    const std::uint64_t last = (la + i->length - 1) & ~(block - 1);
    if (last != t.fetch_chunk) {
        count_fetches(t, (first != t.fetch_chunk) + std::uint64_t{first != last});
        t.fetch_chunk = last;
    }
    return i;
}

void core::count_fetches(thread& t, std::uint64_t requests) {
    base::event_row& row = *t.context.events;
    row[base::code_read] += requests;
    if (__builtin_expect(t.context.code_cacheable, 1)) return;
    row[base::code_cache_miss] += requests;
    t.context.uncached += static_cast<std::uint32_t>(requests);
    t.context.unusual = true;
}

// Looks at instruction breakpoints too: what a page with one decodes to is not remembered.
const isa::insn* core::fetch_slow(thread& t, bool shadow) {
    constexpr unsigned longest = 15;
    isa::context& c = t.context;
    if (decoded_.has_dropped()) decoded_.collect();
    const std::uint64_t ip = c.s.r[isa::rip];
    const std::uint64_t la = c.linear(isa::cs, ip);
    const bool suppressed = (c.s.eflags & isa::flag_rf) != 0 || (shadow && c.debug_shadow);
    if (c.watched.on_instructions() && !suppressed) {
        if (const std::uint32_t met = c.watched.at_instruction(la)) {
            c.debug(met);
            return nullptr;
        }
    }
    const bool watched = c.watched.instruction_in_page(la);
    std::uint64_t paddr = 0;
    std::uint8_t bytes[longest];
    const unsigned n = c.fetch(ip, longest, bytes, paddr);
    if (n == 0) return nullptr;
    if (code_map_.holds_code(paddr) && t.page(paddr) != nullptr) {
        // Another thread, or another linear address, may have decoded it already.
        isa::decode_cache::page* p = decoded_.at(paddr >> 12, c.s.mode);
        if (const isa::insn* i = p->find(la)) {
            if (!watched) t.keep_code(code_tag(la, c.s), p, paddr >> 12);
            return i;
        }
    }
    isa::insn i;
    if (isa::decode(c.instruction_set, c.s.mode, bytes, n, i) == isa::decode_result::more) {
        // The instruction goes on where nothing could be fetched: the fault of its next byte.
        std::uint64_t next = 0;
        std::uint8_t byte = 0;
        if (n == longest || c.fetch((ip + n) & c.ip_mask, 1, &byte, next) != 0) c.failure = c.gp();
        return nullptr;
    }
    if (t.page(paddr) == nullptr || (la & 0xfff) + i.length > 0x1000) {
        t.crossing = i;
        return &t.crossing;
    }
    isa::decode_cache::page* p = decoded_.at(paddr >> 12, c.s.mode);
    if (!watched) t.keep_code(code_tag(la, c.s), p, paddr >> 12);
    code_map_.mark(paddr, i.length);
    return p->add(la, i);
}

void core::issue(thread& t) {
    isa::context& c = t.context;
    if (t.doing != occupancy::idle) account(t, now_);
    const bool shadow = std::exchange(c.interrupt_shadow, false);
    last_ = t.index();
    ledger_.execution_stage = t.index();
    c.events = &ledger_.counts[t.index()][ledger_.at[t.index()]];
    if (__builtin_expect(t.delivery.waiting, 0)) {
        deliver(t, t.delivery.kind, t.delivery.what, t.delivery.next_ip);
        return;
    }
    if (__builtin_expect(t.apic->pending(), 0) && take_event(t, shadow)) return;

    const std::uint64_t ip = c.s.r[isa::rip];
    const isa::insn* i = fetch(t, shadow);
    if (__builtin_expect(i == nullptr, 0)) {
        not_retired(t, ip, c.failure);
        return;
    }
    // TF: a trap follows. RF: it has kept instruction breakpoints away and ends here.
    const std::uint32_t stepping = c.s.eflags & (isa::flag_tf | isa::flag_rf);
    if (__builtin_expect(((i->flags & isa::insn_late) | stepping) != 0, 0)) {
        c.s.eflags &= ~isa::flag_rf;
        if ((i->flags & isa::insn_late) != 0) {
            begin_late(t, *i);
            return;
        }
    }
    c.s.r[isa::rip] = (ip + i->length) & c.ip_mask;
    const isa::status st = i->execute(c, *i);
    if (__builtin_expect(st != isa::status::ok, 0)) {
        not_retired(t, ip, st);
        return;
    }
    base::event_row& row = *c.events;
    ++row[base::instructions_executed];
    ++row[base::exec_stage_cycles];
    row[base::branches] += (i->flags & isa::insn_branch) != 0;
    ready_[t.index()] = now_ + parameters_.issue_interval;
    count_retired(t, ip);
    const bool single_step = (stepping & isa::flag_tf) != 0;
    if (__builtin_expect((i->flags & unusual_flags) != 0 || c.unusual || single_step, 0))
        after(t, *i, single_step);
}

void core::count_retired(thread& t, std::uint64_t ip) {
    ++t.retired;
    if (__builtin_expect(profile_ != nullptr, 0))
        profile_->retired(t.index(), ledger_.at[t.index()], ip, now_);
}

// What follows an instruction beyond counting it.
void core::after(thread& t, const isa::insn& i, bool single_step) {
    isa::context& c = t.context;
    c.unusual = false;
    t.forget_device_accesses();
    if ((i.flags & (isa::insn_mode | isa::insn_serializing)) != 0) t.reset_fetch();
    const base::cycle_t stall = uncached_clocks(t);
    base::cycle_t more = std::exchange(t.extra_clocks, 0) + stall;  // after this clock
    occupancy what = stall != 0 ? occupancy::waiting : occupancy::executing;
    const bool flush = (i.flags & isa::insn_segment_load) != 0;
    if (flush) ++(*c.events)[base::pipeline_flushes];
    if ((i.flags & isa::insn_microcode) != 0 &&
        (i.flags & (isa::insn_late | isa::insn_halt)) == 0) {
        // Microcode refills the pipeline when it ends.
        use_microcode(t, parameters_.microcode_clocks + more);
    } else {
        if (flush) {
            what = occupancy::waiting;
            more += parameters_.flush_clocks;
        }
        if ((i.flags & isa::insn_delay) != 0) {
            what = occupancy::waiting;
            more += std::min(std::exchange(c.delay, 0), parameters_.delay_limit);
        }
        occupy(t, what, more);
    }
    follow_privilege(t);
    // A trap ends a HLT at once; INIT comes before a trap.
    const bool left_stepping =
        (i.flags & isa::insn_calls_handler) != 0 && (c.s.eflags & isa::flag_tf) == 0;
    if (const std::uint32_t met = due_conditions(t, single_step && !left_stepping)) {
        if (!t.apic->init_pending()) debug_trap(t, met);
    } else if ((i.flags & isa::insn_halt) != 0) {
        halt(t);
    }
}

// DR6 bits of the trap that is due behind an instruction. MOV SS and POP SS hold theirs back, but
// not those of one before.
std::uint32_t core::due_conditions(thread& t, bool single_step) {
    isa::context& c = t.context;
    const std::uint32_t earlier = std::exchange(t.held_conditions, 0);
    const std::uint32_t own = std::exchange(c.debug_conditions, 0);
    if (c.interrupt_shadow && c.debug_shadow) {
        t.held_conditions = own;
        c.unusual = own != 0;
        return earlier;
    }
    return earlier | own | (single_step ? isa::dr6_bs : 0);
}

// What the instruction, or event entry, spends on memory that may not be cached.
base::cycle_t core::uncached_clocks(thread& t) {
    return base::cycle_t{parameters_.uncached_clocks} * std::exchange(t.context.uncached, 0);
}

void core::begin_late(thread& t, const isa::insn& i) {
    const base::cycle_t clocks = std::max<base::cycle_t>(clocks_of(parameters_, i.mnemonic), 2);
    ++(*t.context.events)[base::exec_stage_cycles];
    use_microcode(t, clocks);
    t.late = true;
    t.late_insn = i;
    t.late_at = now_ + clocks - 1;
    ready_[t.index()] = base::never;
    due_ = std::min(due_, t.late_at);
    attention_ = std::min(attention_, due_);
}

// The instruction's last clock, in which nothing else can issue, passes here: its own event lies in
// it, its effect holds from the next clock on.
void core::complete_late(thread& t) {
    isa::context& c = t.context;
    ++now_;
    account(t, now_);  // a fault goes on to something else at once
    t.late = false;
    t.counted = false;
    ready_[t.index()] = now_;
    c.events = &ledger_.counts[t.index()][ledger_.at[t.index()]];
    const std::uint64_t ip = c.s.r[isa::rip];
    const bool single_step = (c.s.eflags & isa::flag_tf) != 0;
    c.s.r[isa::rip] = (ip + t.late_insn.length) & c.ip_mask;
    const isa::status st = t.late_insn.execute(c, t.late_insn);
    if (st != isa::status::ok) {
        not_retired(t, ip, st);
        return;
    }
    if (!t.counted) ++(*c.events)[base::instructions_executed];
    count_retired(t, ip);
    after(t, t.late_insn, single_step);
}

void core::not_retired(thread& t, std::uint64_t ip, isa::status st) {
    isa::context& c = t.context;
    const std::uint64_t next_ip = c.s.r[isa::rip];
    c.s.r[isa::rip] = ip;
    c.unusual = false;
    switch (st) {
        case isa::status::blocked:
            c.s.eflags |= isa::flag_rf;  // its breakpoint has been looked at
            c.uncached = c.debug_conditions = 0;
            c.unusual = t.held_conditions != 0;
            t.replay_device_accesses();
            wait(t);
            break;
        case isa::status::repeat:
            repeated(t);
            break;
        default:
            t.forget_device_accesses();
            c.debug_conditions = 0;
            if (c.fault.unsupported) {
                outside_.unsupported(c.message);
                shut_down(t, "an instruction the model does not execute");
            } else {
                deliver(t, isa::event_kind::exception, c.fault, c.fault.trap ? next_ip : ip);
            }
    }
    t.extra_clocks = 0;
}

// One element of a repeated string instruction is done.
void core::repeated(thread& t) {
    isa::context& c = t.context;
    t.forget_device_accesses();
    ++(*c.events)[base::exec_stage_cycles];
    ready_[t.index()] = now_ + parameters_.issue_interval;
    const base::cycle_t stall = uncached_clocks(t);
    occupy(t, stall != 0 ? occupancy::waiting : occupancy::executing, t.extra_clocks + stall);
    c.s.eflags |= isa::flag_rf;  // its breakpoint is not that of its further elements
    if (const std::uint32_t met = due_conditions(t, (c.s.eflags & isa::flag_tf) != 0))
        debug_trap(t, met);
}

// Until device_done(): the thread holds its instruction.
void core::wait(thread& t) {
    t.doing = occupancy::waiting;
    t.doing_since = now_ + 1;
    t.doing_until = base::never;
    ready_[t.index()] = base::never;
}

}  // namespace knc::core
