// The register page, reset and IA32_APIC_BASE of the local APIC.

#include <knc/apic/local_apic.h>
#include <knc/base/bits.h>

namespace knc::apic {

namespace {

constexpr std::uint64_t base_address = 0xFEE0'0000;
constexpr unsigned base_bsp = 8;
constexpr unsigned base_enable = 11;

constexpr bool is_lvt(std::uint32_t offset) {
    return offset >= reg::lvt_timer && offset <= reg::lvt_error;
}

}  // namespace

bool local_apic::read(std::uint32_t offset, std::uint32_t& value, base::cycle_t now) {
    advance(now);
    value = peek(offset, now);
    if (globally_enabled_ && find_register(offset) != nullptr) return true;
    refuse(now);
    return false;
}

std::uint32_t local_apic::peek(std::uint32_t offset, base::cycle_t now) const {
    const register_info* r = find_register(offset);
    if (r == nullptr || !globally_enabled_) return 0;
    const std::size_t i = (offset - r->offset) / register_spacing;
    switch (r->offset) {
        case reg::apr:
            return arbitration_priority();
        case reg::ppr:
            return processor_priority();
        case reg::isr:
            return isr_.half(i);
        case reg::tmr:
            return tmr_.half(i);
        case reg::irr:
            return irr_.half(i);
        case reg::current_count:
            return timer_.current(now);
        default:
            return at(offset);
    }
}

bool local_apic::write(std::uint32_t offset, std::uint32_t value, base::cycle_t now) {
    advance(now);
    const register_info* r = find_register(offset);
    if (r == nullptr || !globally_enabled_) {
        refuse(now);
        return false;
    }
    at(offset) = (at(offset) & ~r->writable) | (value & r->writable);
    written(offset, now);
    settle();
    return true;
}

void local_apic::refuse(base::cycle_t now) {
    advance(now);
    if (!globally_enabled_) return;
    raise_error(esr::illegal_register);
    settle();
}

// What a write does besides being kept.
void local_apic::written(std::uint32_t offset, base::cycle_t now) {
    switch (offset) {
        case reg::eoi:
            end_of_interrupt(now);
            break;
        case reg::esr:
            at(reg::esr) = errors_;
            errors_ = 0;
            break;
        case reg::icr_low:
            send(now);
            break;
        case reg::initial_count:
            timer_.start(at(offset), now);
            break;
        case reg::divide:
            timer_.set_divide(at(offset), now);
            break;
        case reg::lvt_timer:
            timer_.set_periodic((at(offset) & lvt::periodic) != 0, now);
            break;
        default:
            break;
    }
    if (offset == reg::svr || is_lvt(offset)) {
        write_lvt_masks();
        sample_level_pin();
    }
}

// A software-disabled APIC keeps all entries masked.
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
    return base_address | (bsp_ ? base::bit(base_bsp) : 0) |
           (globally_enabled_ ? base::bit(base_enable) : 0);
}

bool local_apic::write_base(std::uint64_t value, base::cycle_t now) {
    advance(now);
    if ((value & ~(base::bit(base_bsp) | base::bit(base_enable))) != base_address) return false;
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

// Everything INIT resets: all but the ID.
void local_apic::reset_registers() {
    const std::uint32_t kept_id = at(reg::id);
    for (const register_info& r : registers)
        for (std::uint32_t i = 0; i < r.count; ++i) at(r.offset + i * register_spacing) = r.reset;
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
    at(reg::id) = static_cast<std::uint32_t>(reset_id_) << 23;
    inbox_.clear();
    nmi_ = startup_ = false;
    init_reset();
}

}  // namespace knc::apic
