#include <knc/card/device_probe.h>

namespace knc::card {

void device_probe::list_signals(const parts& p, base::signal_list& list) const {
    const auto add = [&list](const char* name, unsigned width, const std::uint64_t& v,
                             const char* meaning) {
        list.push_back({name, width, &v, meaning});
    };
    const auto count = [&list](const char* name, unsigned width, const std::uint64_t& v,
                               const char* meaning) {
        list.push_back({name, width, &v, meaning,
                        width <= 16 ? base::signal_form::level : base::signal_form::number});
    };
    add("sbox.causes", 32, sbox_.causes, "SICR0: causes of the host's interrupt; 3:0 doorbells");
    add("sbox.enables", 32, sbox_.enables, "SICE0: enabled causes");
    add("sbox.host_interrupt", 1, sbox_.host_interrupt, "the line to the host");
    count("sbox.elapsed_time", 64, sbox_.elapsed, "elapsed time counter");
    add("sbox.io_apic_lines", sbox::io_apic::pins, sbox_.lines,
        "bit n: level of pin n of the I/O APIC");
    add("sbox.io_apic_in_service", sbox::io_apic::pins, sbox_.in_service,
        "bit n: entry n waits for the EOI of its level-triggered interrupt");
    add("sbox.io_apic_masked", sbox::io_apic::pins, sbox_.masked, "bit n: entry n is masked");
    count("agent.waiting", 16, agent_waiting_,
          "accesses to devices that have arrived or are under way");
    add("agent.transporting", 1, agent_busy_, "a device processes an access");
    count("fabric.waiting", 16, fabric_waiting_, "interrupt messages that are not arbitrated yet");
    add("bootstrap.waits", 1, boot_waits_, "the boot processor waits for an image of the host");
    add("bootstrap.starting", 1, boot_starts_, "the bootstrap starts an image");
    if (p.aperture != nullptr)
        count("host_aperture.lines", 16, aperture_lines_, "lines of the host's accesses under way");
    if (p.uart != nullptr) {
        add("uart.interrupt", 1, uart_line_, "its interrupt output");
        count("uart.received", 5, uart_received_, "characters in the receive FIFO");
    }
    if (p.testdev != nullptr) {
        count("testdev.marker", 32, marker_, "the marker that the firmware wrote last");
        count("testdev.markers", 32, markers_, "how many it has written");
    }
}

void device_probe::sample(const parts& p, base::cycle_t now) {
    const sbox::registers::state s = p.registers.logic().shown(now);
    sbox_ = {s.causes,     s.enables, p.registers.logic().host_interrupt(), s.elapsed, s.lines,
             s.in_service, s.masked};
    agent_waiting_ = p.agent.waiting();
    agent_busy_ = p.agent.transporting();
    fabric_waiting_ = p.fabric.waiting();
    boot_waits_ = p.firmware.waits();
    boot_starts_ = p.firmware.starting();
    if (p.aperture != nullptr) aperture_lines_ = p.aperture->under_way();
    if (p.uart != nullptr) {
        uart_line_ = p.uart->logic().line();
        uart_received_ = p.uart->logic().received();
    }
    if (p.testdev != nullptr) {
        marker_ = p.testdev->marker();
        markers_ = p.testdev->markers();
    }
}

}  // namespace knc::card
