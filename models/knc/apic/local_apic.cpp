#include <knc/apic/local_apic.h>

#include <algorithm>
#include <initializer_list>

#include <knc/base/bits.h>

namespace knc::apic {

namespace {

constexpr std::uint8_t first_legal_vector = 16;

constexpr std::uint8_t modes(std::initializer_list<delivery_mode> list) {
    unsigned set = 0;
    for (delivery_mode m : list) set |= 1u << static_cast<unsigned>(m);
    return static_cast<std::uint8_t>(set);
}
constexpr bool contains(std::uint8_t set, delivery_mode m) {
    return base::test(set, static_cast<unsigned>(m));
}

constexpr std::uint8_t fixed_only = modes({delivery_mode::fixed});
constexpr std::uint8_t sensor =
    modes({delivery_mode::fixed, delivery_mode::smi, delivery_mode::nmi});
constexpr std::uint8_t any_local =
    modes({delivery_mode::fixed, delivery_mode::smi, delivery_mode::nmi, delivery_mode::init,
           delivery_mode::extint});
constexpr std::uint8_t to_others =
    modes({delivery_mode::fixed, delivery_mode::lowest_priority, delivery_mode::smi,
           delivery_mode::nmi, delivery_mode::init, delivery_mode::startup});
constexpr std::uint8_t to_oneself = modes({delivery_mode::fixed, delivery_mode::nmi});

// The delivery modes that each entry of the local vector table supports, from 0x320 on (SDM vol. 3,
// 10.5.1). An entry with another mode delivers nothing.
constexpr std::uint8_t local_modes[lvt_entries] = {
    fixed_only,  // timer
    sensor,      // thermal
    sensor,      // performance counters
    any_local,   // LINT0
    any_local,   // LINT1
    fixed_only,  // error
};

// The delivery modes of the ICR by shorthand (SDM vol. 3, table 10-3); others are not sent. NMI to
// a group that contains the sender is not in the table; the card's kernel sends it.
constexpr std::uint8_t sendable_modes[4] = {
    to_others,   // none
    to_oneself,  // self
    to_oneself,  // all
    to_others,   // all but self
};

delivery_mode mode_of(std::uint32_t lvt_value) {
    return static_cast<delivery_mode>(base::bits(lvt_value, 10, 8));
}
bool takes_vector(delivery_mode m) {
    return m == delivery_mode::fixed || m == delivery_mode::lowest_priority;
}
std::uint8_t priority_class(std::uint8_t v) {
    return v >> 4;
}
std::uint32_t lint_entry(unsigned pin) {
    return pin == 0 ? reg::lvt_lint0 : reg::lvt_lint1;
}

}  // namespace

bool bus::external_vector(std::uint8_t&, base::cycle_t) {
    return false;
}

local_apic::local_apic(const parameters& p, std::uint16_t id, bool bsp, bus& b)
    : parameters_(p),
      reset_id_(static_cast<std::uint16_t>(id & base::mask(p.id_bits))),
      bsp_(bsp),
      bus_(b),
      timer_(p.timer_clock_ratio) {
    reset();
}

// --- acceptance ---

bool local_apic::accepts(const interrupt_message& m, bool own) const {
    if (!globally_enabled_) return false;
    if (m.shorthand == destination_shorthand::self) return false;
    if (m.shorthand == destination_shorthand::all_but_self) return !own;
    return !(own && !arbitrated(m)) && addressed_by(m);
}

// The destination match alone, independent of the sender.
bool local_apic::addressed_by(const interrupt_message& m) const {
    const std::uint8_t bits = narrow() ? 8 : 16;
    return m.shorthand == destination_shorthand::all ||
           addresses(m, {id(), static_cast<std::uint16_t>(at(reg::ldr) >> (32 - bits)),
                         static_cast<std::uint8_t>(at(reg::dfr) >> 28),
                         parameters_.cluster_member_bits, bits});
}

void local_apic::receive(const interrupt_message& m, base::cycle_t now) {
    advance(now);
    take(m, now);
    settle();
}

void local_apic::post(const interrupt_message& m, base::cycle_t when) {
    inbox_.push(m, when);
    settle();
}

void local_apic::take(const interrupt_message& m, base::cycle_t now) {
    if (recorder_ != nullptr) recorder_->message_received(thread_, encode(m), now);
    apply(m);
}

void local_apic::apply(const interrupt_message& m) {
    if (!globally_enabled_) return;
    if (m.level_triggered && !m.assert_level) return;  // an xAPIC has no state for de-assertion
    switch (m.mode) {
        case delivery_mode::fixed:
        case delivery_mode::lowest_priority:
            if (software_enabled()) accept(m.vector, m.level_triggered);
            break;
        case delivery_mode::smi:
            ++smis_;
            break;
        case delivery_mode::nmi:
            nmi_ = true;
            break;
        case delivery_mode::init:
            // INIT has no effect on a thread that already waits for a startup IPI.
            init_ = init_ || !waiting_;
            nmi_ = startup_ = false;
            waiting_ = !bsp_;
            break;
        case delivery_mode::startup:
            if (!waiting_ || startup_) break;
            startup_ = true;
            startup_vector_ = m.vector;
            break;
        case delivery_mode::extint:
            if (software_enabled()) extint_ = true;
            break;
    }
}

// Returns whether the interrupt is now requested.
bool local_apic::accept(std::uint8_t vector, bool level) {
    if (vector < first_legal_vector) {
        raise_error(esr::receive_illegal_vector);
        return false;
    }
    irr_.assign(vector, true);
    tmr_.assign(vector, level);
    return true;
}

// The error interrupt is raised for the first error after a write of the ESR.
void local_apic::raise_error(std::uint32_t esr_bit) {
    const bool armed = errors_ == 0;
    errors_ |= esr_bit;
    if (armed) deliver_local(reg::lvt_error);
}

// --- local vector table ---

// An edge of a local source. Returns whether it reached the thread.
bool local_apic::deliver_local(std::uint32_t lvt_offset) {
    const std::uint32_t entry = at(lvt_offset);
    const delivery_mode mode = mode_of(entry);
    const std::size_t index = (lvt_offset - reg::lvt_timer) / register_spacing;
    if (!globally_enabled_ || (entry & lvt::masked) != 0 || !contains(local_modes[index], mode))
        return false;
    if (mode == delivery_mode::fixed) return accept(static_cast<std::uint8_t>(entry), false);
    interrupt_message m;
    m.mode = mode;
    apply(m);
    return mode != delivery_mode::smi;
}

bool local_apic::pmi(base::cycle_t now) {
    advance(now);
    const bool delivered = deliver_local(reg::lvt_pmc);
    if (delivered) {
        ++pmis_;
        if (parameters_.lvtpc_automask) at(reg::lvt_pmc) |= lvt::masked;
    } else {
        ++lost_pmis_;
    }
    settle();
    return delivered;
}

void local_apic::thermal(base::cycle_t now) {
    advance(now);
    deliver_local(reg::lvt_thermal);
    settle();
}

void local_apic::lint(unsigned pin, bool level, base::cycle_t now) {
    if (pin >= pins_.size()) return;
    advance(now);
    const bool was = pin_active(pin);
    pins_[pin] = level;
    if (!was && pin_active(pin)) pin_edge(pin);
    sample_level_pin();
    settle();
}

bool local_apic::pin_active(unsigned pin) const {
    const bool active_low = globally_enabled_ && (at(lint_entry(pin)) & lvt::active_low) != 0;
    return pins_[pin] != active_low;
}

// Whether the pin requests an ExtINT, which is always level-sensitive.
bool local_apic::pin_extint(unsigned pin) const {
    if (!pin_active(pin)) return false;
    if (!globally_enabled_) return pin == 0;  // the pin is INTR
    const std::uint32_t entry = at(lint_entry(pin));
    return (entry & lvt::masked) == 0 && mode_of(entry) == delivery_mode::extint;
}

void local_apic::pin_edge(unsigned pin) {
    if (!globally_enabled_) {
        if (pin == 1) nmi_ = true;  // the pin is NMI
        return;
    }
    const std::uint32_t entry = at(lint_entry(pin));
    const bool level = pin == 0 && (entry & lvt::level) != 0;
    if (mode_of(entry) == delivery_mode::extint ||
        (mode_of(entry) == delivery_mode::fixed && level))
        return;
    deliver_local(lint_entry(pin));
}

// LINT0 with a level-triggered fixed interrupt: it is requested once per EOI while the pin is
// active.
void local_apic::sample_level_pin() {
    std::uint32_t& entry = at(reg::lvt_lint0);
    if (mode_of(entry) != delivery_mode::fixed || (entry & lvt::level) == 0) {
        entry &= ~lvt::remote_irr;
        return;
    }
    if (!globally_enabled_ || !pin_active(0) || (entry & (lvt::masked | lvt::remote_irr)) != 0)
        return;
    if (!accept(static_cast<std::uint8_t>(entry), true)) return;
    entry |= lvt::remote_irr;
    level_vector_ = static_cast<std::uint8_t>(entry);
}

// --- sending ---

// The destination in ICR high, as messages have it.
std::uint16_t local_apic::destination() const {
    const std::uint32_t high = at(reg::icr_high);
    if (!narrow()) return static_cast<std::uint16_t>(high >> 16);
    constexpr std::uint32_t all = 0xff;
    return high >> 24 == all ? interrupt_message::broadcast
                             : static_cast<std::uint16_t>(high >> 24);
}

// A write of ICR low.
void local_apic::send(base::cycle_t now) {
    interrupt_message m = decode(at(reg::icr_low));
    m.destination = destination();
    m.source_id = id();
    if (!contains(sendable_modes[static_cast<std::size_t>(m.shorthand)], m.mode)) return;
    if (m.mode == delivery_mode::init && m.level_triggered && !m.assert_level) return;
    m.level_triggered = false;
    m.assert_level = true;
    const bool only_self = m.shorthand == destination_shorthand::self;
    if (takes_vector(m.mode) && m.vector < first_legal_vector) {
        raise_error(esr::send_illegal_vector);
        if (only_self) raise_error(esr::receive_illegal_vector);
        return;
    }
    if (arbitrated(m)) {
        bus_.send(m, now);
        return;
    }
    if (only_self || (m.shorthand != destination_shorthand::all_but_self && addressed_by(m)))
        take(m, now);
    if (!only_self) bus_.send(m, now);
}

bool arbitrated(const interrupt_message& m) {
    return m.mode == delivery_mode::lowest_priority &&
           (m.shorthand == destination_shorthand::all_but_self || m.logical ||
            m.destination == interrupt_message::broadcast);
}

local_apic* lowest_priority_target(const std::vector<local_apic*>& candidates) {
    local_apic* best = nullptr;
    for (local_apic* c : candidates) {
        if (!c->software_enabled()) continue;
        if (best == nullptr || c->arbitration_priority() < best->arbitration_priority() ||
            (c->arbitration_priority() == best->arbitration_priority() && c->id() < best->id()))
            best = c;
    }
    return best;
}

// --- priorities and the thread ---

std::uint8_t local_apic::processor_priority() const {
    const auto tpr = static_cast<std::uint8_t>(at(reg::tpr));
    const std::uint8_t in_service = isr_.highest();
    return priority_class(tpr) >= priority_class(in_service) ? tpr : in_service & 0xF0;
}

std::uint8_t local_apic::arbitration_priority() const {
    const auto tpr = static_cast<std::uint8_t>(at(reg::tpr));
    const std::uint8_t t = priority_class(tpr);
    const std::uint8_t s = priority_class(isr_.highest());
    const std::uint8_t r = priority_class(irr_.highest());
    if (t >= r && t > s) return tpr;
    return static_cast<std::uint8_t>(std::max<unsigned>(t & s, r) << 4);
}

std::uint8_t local_apic::acknowledge(base::cycle_t now) {
    advance(now);
    std::uint8_t vector = static_cast<std::uint8_t>(at(reg::svr));
    if (extint_ || pin_extint(0) || pin_extint(1)) {
        extint_ = false;
        std::uint8_t external = 0;
        if (bus_.external_vector(external, now)) vector = external;
    } else if (interrupt_) {
        vector = irr_.highest();
        irr_.assign(vector, false);
        isr_.assign(vector, true);
    }
    settle();
    return vector;
}

bool local_apic::take_nmi() {
    const bool taken = nmi_;
    nmi_ = false;
    settle();
    return taken;
}

bool local_apic::take_init() {
    const bool taken = init_;
    init_ = false;
    settle();
    return taken;
}

bool local_apic::take_startup(std::uint8_t& vector) {
    if (!startup_) return false;
    startup_ = waiting_ = false;
    vector = startup_vector_;
    settle();
    return true;
}

// --- time and derived state ---

void local_apic::catch_up(base::cycle_t now) {
    for (;;) {
        const base::cycle_t expiry = timer_unmasked() ? timer_.expiry() : base::never;
        const base::cycle_t arrival = inbox_.next();
        if (std::min(expiry, arrival) > now || std::min(expiry, arrival) == base::never) break;
        if (expiry <= arrival) {
            timer_.catch_up(std::min(now, arrival));
            if (recorder_ != nullptr) recorder_->timer_expired(thread_, at(reg::lvt_timer), expiry);
            deliver_local(reg::lvt_timer);
        } else {
            take(inbox_.pop(), arrival);
        }
    }
    settle();
}

void local_apic::settle() {
    interrupt_ = extint_ || pin_extint(0) || pin_extint(1) ||
                 (globally_enabled_ &&
                  priority_class(irr_.highest()) > priority_class(processor_priority()));
    attention_->pending = init_ || (waiting_ ? startup_ : nmi_ || interrupt_);
    attention_->next_event =
        std::min(timer_unmasked() ? timer_.expiry() : base::never, inbox_.next());
}

}  // namespace knc::apic
