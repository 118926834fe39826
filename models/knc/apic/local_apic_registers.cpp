// The register page, reset and IA32_APIC_BASE of the local APIC.

#include <knc/apic/local_apic.h>
#include <knc/base/address_map.h>
#include <knc/base/bits.h>

namespace knc::apic {

namespace {

constexpr unsigned base_bsp = 8;
constexpr unsigned base_enable = 11;

}  // namespace

// The effects of register accesses.
struct register_behaviour {
    using place = register_row::place;
    using behaviour = register_row::behaviour;
    using word = std::uint32_t;

    static word read_arbitration(const local_apic& a, const place&) {
        return a.arbitration_priority();
    }
    static word read_priority(const local_apic& a, const place&) { return a.processor_priority(); }
    template <vector_set local_apic::*set>
    static word read_set(const local_apic& a, const place& p) {
        return (a.*set).half(p.index);
    }
    static word read_count(const local_apic& a, const place& p) { return a.timer_.current(p.now); }

    // Identifiers have fewer bits in an APIC of a PC.
    static void keep_identifier(local_apic& a, const place& p, word v) {
        a.keep(p, a.narrow() ? v & 0xFF000000 : v);
    }
    static void end(local_apic& a, const place& p, word) { a.end_of_interrupt(p.now); }
    // A write of any value copies the errors recorded since the last write into the ESR.
    static void show_errors(local_apic& a, const place&, word) {
        a.at(reg::esr) = a.errors_;
        a.errors_ = 0;
    }
    static void send(local_apic& a, const place& p, word v) {
        a.keep(p, v);
        a.send(p.now);
    }
    static void start_timer(local_apic& a, const place& p, word v) {
        a.keep(p, v);
        a.timer_.start(v, p.now);
    }
    static void set_divide(local_apic& a, const place& p, word v) {
        a.keep(p, v);
        a.timer_.set_divide(a.at(reg::divide), p.now);
    }
    static void write_entry(local_apic& a, const place& p, word v) {
        a.keep(p, v);
        a.write_lvt_masks();
        a.sample_level_pin();
    }
    static void write_timer_entry(local_apic& a, const place& p, word v) {
        a.timer_.set_periodic((v & lvt::periodic) != 0, p.now);
        write_entry(a, p, v);
    }

    static constexpr behaviour kept{}, identifier{nullptr, keep_identifier};
    static constexpr behaviour arbitration{read_arbitration}, priority{read_priority};
    static constexpr behaviour in_service{read_set<&local_apic::isr_>};
    static constexpr behaviour trigger_mode{read_set<&local_apic::tmr_>};
    static constexpr behaviour requests{read_set<&local_apic::irr_>};
    static constexpr behaviour end_of_interrupt{nullptr, end}, errors{nullptr, show_errors};
    static constexpr behaviour command{nullptr, send};
    static constexpr behaviour initial_count{nullptr, start_timer}, divide{nullptr, set_divide};
    static constexpr behaviour current_count{read_count};
    static constexpr behaviour enables{nullptr, write_entry}, lvt_entry{nullptr, write_entry};
    static constexpr behaviour timer_entry{nullptr, write_timer_entry};
};

namespace {

using does = register_behaviour;
constexpr auto rw = base::register_access::read_write, ro = base::register_access::read_only,
               wo = base::register_access::write_only;

// clang-format off
constexpr register_row rows[] = {
    // offset             name              access writable    reset       does                    meaning
    {reg::id,             "id",             rw, 0xFF800000, 0x00000000, does::identifier,        "31:23 (with 8 bits 31:24) APIC ID; reset: that of the thread; INIT keeps it"},
    {reg::version,        "version",        ro, 0x00000000, 0x00000000, does::kept,              "23:16 last LVT entry, 7:0 version; reset: from the parameters"},
    {reg::tpr,            "tpr",            rw, 0x000000FF, 0x00000000, does::kept,              "7:0 task priority"},
    {reg::apr,            "apr",            ro, 0x00000000, 0x00000000, does::arbitration,       "7:0 arbitration priority"},
    {reg::ppr,            "ppr",            ro, 0x00000000, 0x00000000, does::priority,          "7:0 processor priority"},
    {reg::eoi,            "eoi",            wo, 0x00000000, 0x00000000, does::end_of_interrupt,  "a write ends the interrupt in service"},
    {reg::ldr,            "ldr",            rw, 0xFFFF0000, 0x00000000, does::identifier,        "31:16 (31:24) logical ID"},
    {reg::dfr,            "dfr",            rw, 0xF0000000, 0xFFFFFFFF, does::kept,              "31:28 model of logical destinations"},
    {reg::svr,            "svr",            rw, 0x000001FF, 0x000000FF, does::enables,           "8 software enable, 7:0 spurious vector"},
    {reg::isr,            "isr",            ro, 0x00000000, 0x00000000, does::in_service,        "interrupts in service", 8, register_spacing},
    {reg::tmr,            "tmr",            ro, 0x00000000, 0x00000000, does::trigger_mode,      "level-triggered interrupts", 8, register_spacing},
    {reg::irr,            "irr",            ro, 0x00000000, 0x00000000, does::requests,          "interrupts requested", 8, register_spacing},
    {reg::esr,            "esr",            rw, 0x00000000, 0x00000000, does::errors,            "errors up to the last write; a write of any value updates it"},
    {reg::icr_low,        "icr_low",        rw, 0x000CCFFF, 0x00000000, does::command,           "interrupt command; a write sends"},
    {reg::icr_high,       "icr_high",       rw, 0xFFFF0000, 0x00000000, does::identifier,        "31:16 (31:24) destination"},
    {reg::lvt_timer,      "lvt_timer",      rw, 0x000300FF, 0x00010000, does::timer_entry,       "local vector: timer"},
    {reg::lvt_thermal,    "lvt_thermal",    rw, 0x000107FF, 0x00010000, does::lvt_entry,         "local vector: thermal sensor"},
    {reg::lvt_pmc,        "lvt_pmc",        rw, 0x000107FF, 0x00010000, does::lvt_entry,         "local vector: performance counters"},
    {reg::lvt_lint0,      "lvt_lint0",      rw, 0x0001A7FF, 0x00010000, does::lvt_entry,         "local vector: pin LINT0"},
    {reg::lvt_lint1,      "lvt_lint1",      rw, 0x0001A7FF, 0x00010000, does::lvt_entry,         "local vector: pin LINT1"},
    {reg::lvt_error,      "lvt_error",      rw, 0x000100FF, 0x00010000, does::lvt_entry,         "local vector: error"},
    {reg::initial_count,  "initial_count",  rw, 0xFFFFFFFF, 0x00000000, does::initial_count,     "a write starts the timer"},
    {reg::current_count,  "current_count",  ro, 0x00000000, 0x00000000, does::current_count,     "count of the timer"},
    {reg::divide,         "divide",         rw, 0x0000000B, 0x00000000, does::divide,            "3, 1:0 divider of the timer"},
};
// clang-format on
static_assert(base::in_order(rows));
constexpr base::register_table<register_row> table{rows};

}  // namespace

const base::register_table<register_row>& registers() {
    return table;
}

bool local_apic::read(std::uint32_t offset, std::uint32_t& value, base::cycle_t now) {
    advance(now);
    const register_row::place p = place_of(offset, now);
    value = value_of(p);
    if (!p) refuse(now);
    return static_cast<bool>(p);
}

std::uint32_t local_apic::peek(std::uint32_t offset, base::cycle_t now) const {
    return value_of(place_of(offset, now));
}

// The register at `offset`; none while the APIC is disabled.
register_row::place local_apic::place_of(std::uint32_t offset, base::cycle_t now) const {
    if (!globally_enabled_ || (offset == reg::lvt_pmc && !parameters_.performance_lvt)) return {};
    register_row::place p = table.find(offset);
    p.now = now;
    return p;
}

std::uint32_t local_apic::value_of(const register_row::place& p) const {
    if (!p) return 0;
    const auto read = p.row->does.read;
    return read == nullptr ? at(p.address()) : read(*this, p);
}

bool local_apic::write(std::uint32_t offset, std::uint32_t value, base::cycle_t now) {
    advance(now);
    const register_row::place p = place_of(offset, now);
    if (!p) {
        refuse(now);
        return false;
    }
    const auto write = p.row->does.write;
    if (write == nullptr)
        keep(p, value);
    else
        write(*this, p, value);
    settle();
    return true;
}

void local_apic::keep(const register_row::place& p, std::uint32_t value) {
    std::uint32_t& kept = at(p.address());
    kept = p.merged(kept, value);
}

void local_apic::refuse(base::cycle_t now) {
    advance(now);
    if (!globally_enabled_) return;
    raise_error(esr::illegal_register);
    settle();
}

// A software-disabled APIC has all LVT entries masked.
void local_apic::write_lvt_masks() {
    if (software_enabled()) return;
    for (std::uint32_t o = reg::lvt_timer; o <= reg::lvt_error; o += register_spacing)
        at(o) |= lvt::masked;
}

void local_apic::end_of_interrupt(base::cycle_t now) {
    ++eois_;
    const std::uint8_t vector = isr_.highest();
    if (vector == 0) return;
    isr_.assign(vector, false);
    if (!tmr_.test(vector)) return;
    if (vector == level_vector_) at(reg::lvt_lint0) &= ~lvt::remote_irr;
    bus_.eoi_broadcast(vector, now);
    sample_level_pin();
}

std::uint64_t local_apic::base() const {
    return base::apic_page | (bsp_ ? base::bit(base_bsp) : 0) |
           (globally_enabled_ ? base::bit(base_enable) : 0);
}

bool local_apic::write_base(std::uint64_t value, base::cycle_t now) {
    advance(now);
    if ((value & ~(base::bit(base_bsp) | base::bit(base_enable))) != base::apic_page) return false;
    const bool enable = base::test(value, base_enable);
    if (enable != globally_enabled_) {
        globally_enabled_ = enable;
        reset_registers();
    }
    settle();
    return true;
}

void local_apic::set_cr8(std::uint8_t value, base::cycle_t now) {
    advance(now);
    at(reg::tpr) = static_cast<std::uint32_t>(value & 0xF) << 4;
    settle();
}

// The registers that INIT resets: all but the ID.
void local_apic::reset_registers() {
    const std::uint32_t kept_id = at(reg::id);
    for (const register_row& r : table)
        for (std::uint32_t i = 0; i < r.count; ++i) at(r.address + i * r.stride) = r.reset();
    at(reg::id) = kept_id;
    at(reg::version) = static_cast<std::uint32_t>(lvt_entries - 1) << 16 | parameters_.version;
    irr_ = isr_ = tmr_ = vector_set{};
    errors_ = 0;
    timer_ = timer(parameters_.timer_clock_ratio);
    extint_ = false;
    settle();
}

void local_apic::init_reset() {
    reset_registers();
    init_ = false;
    waiting_ = !bsp_;
    settle();
}

void local_apic::reset() {
    globally_enabled_ = true;
    at(reg::id) = static_cast<std::uint32_t>(reset_id_) << (32 - parameters_.id_bits);
    inbox_.clear();
    nmi_ = startup_ = false;
    init_reset();
}

}  // namespace knc::apic
