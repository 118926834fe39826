#include <knc/apic/apic.h>

#include <algorithm>
#include <cstring>

#include <knc/base/access.h>

namespace knc::apic {

apic::apic(sc_core::sc_module_name name, const parameters& p, std::uint16_t id, bool bsp,
           base::clock clk, drive d)
    : sc_module(name), clock_(clk), drive_(d), local_apic_(p, id, bsp, *this) {
    mmio.register_b_transport(this, &apic::mmio_transport);
    mmio.register_transport_dbg(this, &apic::mmio_debug);
    bus_in.register_b_transport(this, &apic::bus_transport);
    processor.bind(*this);
    core.bind(*this);
}

void apic::end_of_elaboration() {
    if (drive_ == drive::core) return;
    SC_HAS_PROCESS(apic);
    SC_METHOD(follow_time);
    sensitive << wake_;
    if (pmi.size() != 0) {
        SC_METHOD(on_pmi);
        sensitive << pmi->posedge_event();
        dont_initialize();
    }
    if (thermal.size() != 0) {
        SC_METHOD(on_thermal);
        sensitive << thermal->posedge_event();
        dont_initialize();
    }
    if (lint0.size() != 0) {
        SC_METHOD(on_lint0);
        sensitive << lint0->value_changed_event();
    }
    if (lint1.size() != 0) {
        SC_METHOD(on_lint1);
        sensitive << lint1->value_changed_event();
    }
}

// --- time ---

base::cycle_t apic::now() {
    seen_ = std::max(seen_, clock_.cycle(sc_core::sc_time_stamp()));
    return seen_;
}

base::cycle_t apic::cycle_of(const tlm::tlm_generic_payload& t,
                             const sc_core::sc_time& delay) const {
    if (const auto* a = t.get_extension<base::access>()) return a->cycle;
    return clock_.cycle(sc_core::sc_time_stamp() + delay);
}

// Only follow_time() writes the outputs, because an sc_signal has one writer.
void apic::changed() {
    if (drive_ == drive::self) wake_.notify(sc_core::SC_ZERO_TIME);
}

void apic::follow_time() {
    const base::cycle_t t = now();
    local_apic_.advance(t);
    if (intr.size() != 0) intr->write(local_apic_.interrupt_pending());
    if (nmi.size() != 0) nmi->write(local_apic_.nmi_pending());
    if (init.size() != 0) init->write(local_apic_.init_pending());
    if (startup.size() != 0) startup->write(local_apic_.startup_pending());
    if (local_apic_.next_event() == base::never) return;
    const sc_core::sc_time due = clock_.at(std::max(local_apic_.next_event(), t));
    wake_.notify(std::max(due, sc_core::sc_time_stamp()) - sc_core::sc_time_stamp());
}

// --- register page ---

void apic::mmio_transport(tlm::tlm_generic_payload& t, sc_core::sc_time& delay) {
    const base::cycle_t cycle = std::max(now(), cycle_of(t, delay));
    seen_ = cycle;
    const std::uint64_t offset = t.get_address();
    if (offset >= page_size) {
        t.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
        return;
    }
    if (t.get_byte_enable_ptr() != nullptr) {
        t.set_response_status(tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
        return;
    }
    std::uint32_t value = 0;
    const bool aligned = t.get_data_length() == sizeof value &&
                         t.get_streaming_width() >= sizeof value && offset % register_spacing == 0;
    if (!aligned) {
        local_apic_.refuse(cycle);
        t.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
    } else {
        if (t.is_read()) {
            local_apic_.read(static_cast<std::uint32_t>(offset), value, cycle);
            std::memcpy(t.get_data_ptr(), &value, sizeof value);
        } else if (t.is_write()) {
            std::memcpy(&value, t.get_data_ptr(), sizeof value);
            local_apic_.write(static_cast<std::uint32_t>(offset), value, cycle);
        }
        t.set_response_status(tlm::TLM_OK_RESPONSE);
    }
    changed();
}

unsigned apic::mmio_debug(tlm::tlm_generic_payload& t) {
    if (!t.is_read() || t.get_address() >= page_size) return 0;
    const base::cycle_t cycle = std::max(seen_, cycle_of(t, sc_core::SC_ZERO_TIME));
    const auto first = static_cast<std::uint32_t>(t.get_address());
    const unsigned n = std::min(t.get_data_length(), page_size - first);
    for (unsigned i = 0; i < n; ++i) {
        const std::uint32_t offset = first + i;
        const std::uint32_t byte = offset % register_spacing;
        const std::uint32_t value =
            byte < 4 ? local_apic_.peek(offset - byte, cycle) >> (8 * byte) : 0;
        t.get_data_ptr()[i] = static_cast<unsigned char>(value);
    }
    return n;
}

// --- messages ---

void apic::bus_transport(tlm::tlm_generic_payload& t, sc_core::sc_time& delay) {
    std::uint64_t coded = 0;
    if (t.get_address() != fabric::interrupt) {
        t.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
        return;
    }
    if (!t.is_write() || t.get_data_length() != sizeof coded ||
        t.get_byte_enable_ptr() != nullptr) {
        t.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
        return;
    }
    std::memcpy(&coded, t.get_data_ptr(), sizeof coded);
    local_apic_.post(decode(coded), cycle_of(t, delay));
    t.set_response_status(tlm::TLM_OK_RESPONSE);
    changed();
    if (listener.size() != 0) listener->message_arrived();
}

void apic::send(const interrupt_message& m, base::cycle_t now) {
    transmit(fabric::interrupt, m, now);
}

void apic::eoi_broadcast(std::uint8_t vector, base::cycle_t now) {
    interrupt_message m;
    m.vector = vector;
    m.level_triggered = true;
    m.source_id = local_apic_.id();
    transmit(fabric::eoi, m, now);
}

// An xAPIC receives no acknowledgement of its message, so the response is ignored.
void apic::transmit(std::uint64_t fabric_address, const interrupt_message& m, base::cycle_t now) {
    if (bus_out.size() == 0) return;
    std::uint64_t coded = encode(m);
    base::access who;
    who.core = static_cast<std::uint16_t>(m.source_id / 4);
    who.thread = static_cast<std::uint8_t>(m.source_id % 4);
    who.cycle = now;
    tlm::tlm_generic_payload t;
    t.set_command(tlm::TLM_WRITE_COMMAND);
    t.set_address(fabric_address);
    t.set_data_ptr(reinterpret_cast<unsigned char*>(&coded));
    t.set_data_length(sizeof coded);
    t.set_streaming_width(sizeof coded);
    t.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    t.set_extension(&who);
    sc_core::sc_time delay =
        std::max(clock_.at(now), sc_core::sc_time_stamp()) - sc_core::sc_time_stamp();
    bus_out->b_transport(t, delay);
    t.clear_extension(&who);
}

// --- pins and processor ---

void apic::on_pmi() {
    local_apic_.pmi(now());
    changed();
}

void apic::on_thermal() {
    local_apic_.thermal(now());
    changed();
}

void apic::on_lint0() {
    local_apic_.lint(0, lint0->read(), now());
    changed();
}

void apic::on_lint1() {
    local_apic_.lint(1, lint1->read(), now());
    changed();
}

std::uint8_t apic::acknowledge() {
    const std::uint8_t vector = local_apic_.acknowledge(now());
    changed();
    return vector;
}

bool apic::take_nmi() {
    changed();
    return local_apic_.take_nmi();
}

bool apic::take_init() {
    changed();
    if (!local_apic_.take_init()) return false;
    local_apic_.init_reset();
    return true;
}

bool apic::take_startup(std::uint8_t& vector) {
    changed();
    return local_apic_.take_startup(vector);
}

void apic::write_cr8(std::uint8_t value) {
    local_apic_.set_cr8(value, now());
    changed();
}

}  // namespace knc::apic
