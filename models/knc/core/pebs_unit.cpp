#include <knc/core/pebs_unit.h>

#include <algorithm>
#include <cstring>

#include <knc/core/pebs_record.h>
#include <knc/isa/address_mask.h>
#include <knc/isa/segmentation.h>
#include <knc/pmu/event_table.h>

namespace knc::core {

namespace {

using step = sampled_instruction::step;

// The DS area.
constexpr std::uint64_t buffer_fields = 0x20, index_field = 0x28, general_resets = 0x40,
                        fixed_resets = 0x80;
constexpr unsigned field_bytes = 8;
constexpr std::uint64_t page_bytes = 0x1000;

// The linear address of the memory operand of `i`, as far as it has one.
std::uint64_t operand(const isa::context& c, const isa::insn& i) {
    const bool reads = (i.flags & isa::insn_reads) != 0;
    if ((i.flags & isa::insn_string) != 0) {
        const std::uint64_t mask = isa::address_mask(i);
        // LODS, MOVS and CMPS read their source; SCAS has no other operand than the destination.
        const bool source =
            i.mnemonic != ZYDIS_MNEMONIC_SCASB && i.mnemonic != ZYDIS_MNEMONIC_SCASW &&
            i.mnemonic != ZYDIS_MNEMONIC_SCASD && i.mnemonic != ZYDIS_MNEMONIC_SCASQ && reads;
        return source ? c.linear(i.seg, c.s.r[isa::rsi] & mask)
                      : c.linear(isa::es, c.s.r[isa::rdi] & mask);
    }
    if ((i.flags & isa::insn_stack) == 0) return c.linear(i.seg, c.offset(i));
    return c.linear(isa::ss, c.s.r[isa::rsp] - (reads ? 0 : i.size));
}

// The counts of a thread while the assist accesses memory. What belongs to the thread is forgotten;
// what belongs to the core stays.
class uncounted {
  public:
    explicit uncounted(base::event_row& row) : row_(row), before_(row) {}
    ~uncounted() {
        for (std::size_t e = 0; e < row_.size(); ++e)
            if (pmu::info(static_cast<base::event>(e)).scope == pmu::event_scope::thread)
                row_[e] = before_[e];
    }
    uncounted(const uncounted&) = delete;
    uncounted& operator=(const uncounted&) = delete;

  private:
    base::event_row& row_;
    const base::event_row before_;
};

}  // namespace

// ---- which instructions

base::cycle_t pebs_unit::watch() {
    if (asks_ == nullptr) return base::never;
    const base::cycle_t now = rooms_.time.now();
    base::cycle_t next = base::never;
    for (auto& t : rooms_.threads) {
        const base::cycle_t from = frozen_ ? base::never : asks_->watch_from(t->index());
        t->observe(thread::observe_pebs, from <= now);
        if (from > now) next = std::min(next, from);
    }
    return next;
}

void pebs_unit::freeze(bool on) {
    frozen_ = on;
    watch();
}

void pebs_unit::begins(thread& t, const isa::insn& i) {
    sampled_instruction& s = t.sampled;
    s.accesses_before = t.context.events()[base::data_read_or_write];
    s.begun = true;
    if ((i.flags & (isa::insn_reads | isa::insn_writes)) != 0)
        s.address = operand(t.context, i);
    else
        s.address = 0;
}

void pebs_unit::executed(thread& t, bool loaded) {
    sampled_instruction& s = t.sampled;
    const base::ledger::loads& l = ledger_.loaded[t.index()];
    s.source = s.latency = 0;
    if (!loaded) return;
    s.source = static_cast<std::uint64_t>(l.from);
    s.latency = l.from == base::data_source::l1 ? 1 : rooms_.time.now() - l.missed_at + 1;
}

bool pebs_unit::retired(thread& t) {
    sampled_instruction& s = t.sampled;
    if (t.assist_is_due()) return true;
    s.accesses = s.begun && t.context.events()[base::data_read_or_write] != s.accesses_before;
    if (!asks_->retired(t.index(), rooms_.time.now())) return false;
    s.next = step::ask;
    s.halts = false;
    t.before |= thread::assist_waits;
    return true;
}

void pebs_unit::returned(thread& t) {
    sampled_instruction& s = t.sampled;
    if (!s.held || t.context.s.r[isa::rsp] != s.held_sp || t.context.s.cpl != s.held_cpl) return;
    s.held = false;
    asks_->release(t.index());
    rooms_.plan.plan();
}

// ---- the assist

// As the entry of an event, it belongs to CPL 0 with all its cycles.
void pebs_unit::perform(thread& t) {
    if (t.sampled.next == step::halt) {
        end(t);
        rooms_.events.halt(t);
        return;
    }
    const unsigned n = t.index();
    isa::context& c = t.context;
    rooms_.accounting.settle(rooms_.time.now());
    if (!frozen_) pmu_->counters().settle(rooms_.time.now());
    c.count_in(rooms_.accounting.count_at(n, base::supervisor));
    c.failure = isa::status::ok;
    isa::status st;
    {
        const uncounted accesses(ledger_.counts[n][base::supervisor]);
        const std::uint32_t conditions = c.debug_conditions;
        st = attempt(t);
        c.debug_conditions = conditions;
    }
    switch (st) {
        case isa::status::ok:
            finish(t);
            break;
        case isa::status::blocked:
            c.uncached = 0;
            t.devices.restart();
            ++c.events()[base::fe_stalled];
            rooms_.memory.wait(t, 0);
            break;
        default:
            fail(t);
    }
    rooms_.plan.plan();
}

isa::status pebs_unit::attempt(thread& t) {
    sampled_instruction& s = t.sampled;
    isa::status st = isa::status::ok;
    if (s.next == step::ask) {
        s.request = asks_->due(t.index());
        s.tsc = pmu_->tsc(rooms_.time.now());
        s.written = 0;
        s.reset.fill(0);
        if (s.request.counters == 0) return st;
        s.next = step::read_area;
    }
    if (s.next < step::room) st = read_management(t);
    if (st == isa::status::ok && s.next == step::room) st = find_room(t);
    if (st == isa::status::ok && s.next == step::record) st = write_record(t);
    if (st == isa::status::ok && s.next == step::index) st = write_index(t);
    return st;
}

// An access that is done is not repeated when a later one has to wait.
isa::status pebs_unit::access(thread& t, bool write, std::uint64_t la, unsigned size, void* data) {
    isa::context& c = t.context;
    const bool done = write ? c.write_system(la, size, data) : c.read_system(la, size, data);
    if (!done) return c.failure;
    rooms_.memory.release(t);
    t.devices.forget();
    return isa::status::ok;
}

isa::status pebs_unit::read_management(thread& t) {
    sampled_instruction& s = t.sampled;
    const std::uint64_t area = s.request.area;
    constexpr std::size_t general = pmu::perfmon::general_counters;
    if (s.next == step::read_area) {
        std::array<std::uint64_t, 4> fields{};
        const isa::status st = access(t, false, area + buffer_fields, sizeof fields, fields.data());
        if (st != isa::status::ok) return st;
        s.base = fields[0];
        s.index = fields[1];
        s.maximum = fields[2];
        s.threshold = fields[3];
        s.next = step::read_general;
    }
    if (s.next == step::read_general) {
        if ((s.request.counters & pmu::perfmon::general_bits) != 0) {
            const isa::status st =
                access(t, false, area + general_resets, general * field_bytes, s.reset.data());
            if (st != isa::status::ok) return st;
        }
        s.next = step::read_fixed;
    }
    if ((s.request.counters & pmu::perfmon::fixed_bits) != 0) {
        const isa::status st =
            access(t, false, area + fixed_resets, pmu::perfmon::fixed_counters * field_bytes,
                   s.reset.data() + general);
        if (st != isa::status::ok) return st;
    }
    s.next = step::room;
    return isa::status::ok;
}

// No record leaves the buffer. Everything is known to be writable before anything is written.
isa::status pebs_unit::find_room(thread& t) {
    sampled_instruction& s = t.sampled;
    const std::uint64_t size = pebs_record_size(s.request.config), end = s.index + size;
    if (end > s.maximum || end < s.index) {
        s.request.counters = 0;
        return isa::status::ok;
    }
    isa::status st = writable(t, s.index, size);
    if (st == isa::status::ok) st = writable(t, s.request.area + index_field, field_bytes);
    if (st == isa::status::ok) s.next = step::record;
    return st;
}

isa::status pebs_unit::writable(thread& t, std::uint64_t first, std::uint64_t bytes) {
    isa::context& c = t.context;
    for (std::uint64_t la = first; la - first < bytes;) {
        const std::uint64_t rest = bytes - (la - first);
        const std::uint64_t here = std::min(rest, page_bytes - la % page_bytes);
        std::uint64_t to = la;
        if (!c.s.long_mode())
            to &= base::mask(32);
        else if (!isa::canonical_range(la, static_cast<unsigned>(here)))
            return c.gp();
        isa::translation found;
        if (!c.translate(to, isa::access_kind::write, false, found)) return c.failure;
        la += here;
    }
    return isa::status::ok;
}

isa::status pebs_unit::write_record(thread& t) {
    sampled_instruction& s = t.sampled;
    const std::vector<std::uint64_t> record = pebs_record(s, t.context.s);
    const std::uint64_t size = record.size() * field_bytes;
    std::array<std::uint8_t, base::line_bytes> line{};
    while (s.written < size) {
        const std::uint64_t la = s.index + s.written;
        const auto part = static_cast<unsigned>(
            std::min(size - s.written, base::line_bytes - la % base::line_bytes));
        std::memcpy(line.data(), reinterpret_cast<const std::uint8_t*>(record.data()) + s.written,
                    part);
        const isa::status st = access(t, true, la, part, line.data());
        if (st != isa::status::ok) return st;
        s.written += part;
    }
    s.next = step::index;
    return isa::status::ok;
}

isa::status pebs_unit::write_index(thread& t) {
    sampled_instruction& s = t.sampled;
    std::uint64_t index = s.index + s.written;
    return access(t, true, s.request.area + index_field, field_bytes, &index);
}

// The record is written, or there was no room for it. Its microcode occupies the execution stage.
void pebs_unit::finish(thread& t) {
    sampled_instruction& s = t.sampled;
    const auto outcome = s.next != step::index                ? pmu::pebs_outcome::no_room
                         : s.index + s.written >= s.threshold ? pmu::pebs_outcome::threshold_reached
                                                              : pmu::pebs_outcome::written;
    end(t);
    asks_->recorded(t.index(), s.reset, outcome);
    const unsigned n = t.index();
    rooms_.results.forget_written(n);
    rooms_.picking.set_ready(n, rooms_.time.now() + parameters_.issue_interval);
    rooms_.accounting.use_microcode(n, parameters_.pebs_cycles);
    rooms_.accounting.stall(
        n, rooms_.accounting.take_stall(n) + rooms_.memory.take_uncached_cycles(t));
    rooms_.accounting.follow_privilege(n, privilege_of(t.context));
    if (!s.halts) return;
    s.next = step::halt;
    t.before |= thread::assist_waits;
}

// The fault is the thread's, at this boundary. A trap that is due here comes with its handler.
void pebs_unit::fail(thread& t) {
    sampled_instruction& s = t.sampled;
    isa::context& c = t.context;
    end(t);
    rooms_.memory.release(t);
    asks_->hold(t.index());
    s.held = true;
    s.held_sp = c.s.r[isa::rsp];
    s.held_cpl = c.s.cpl;
    const isa::fault f = c.fault;
    if (t.delivery_is_due() && t.delivery.what.vector == isa::vector_db)
        c.held_conditions |= t.delivery.what.dr6;
    rooms_.events.deliver(t, isa::event_kind::exception, f, c.s.r[isa::rip]);
}

void pebs_unit::end(thread& t) {
    t.before &= static_cast<std::uint8_t>(~thread::assist_waits);
    t.sampled.begun = false;
    t.devices.forget();
    t.context.unusual = t.context.held_conditions != 0;
}

}  // namespace knc::core
