#include <knc/card/boot_machine.h>

#include <knc/base/event.h>
#include <knc/boot/acpi_tables.h>
#include <knc/isa/state.h>
#include <knc/sbox/pc_ports.h>

namespace knc::card {

boot::machine machine_of(const parameters& p) {
    boot::machine m;
    m.memory_size = p.memory_size;
    m.threads = p.tiles * p.core.threads;
    m.boot_apic_id = static_cast<std::uint32_t>(p.boot_core * base::threads_per_core);
    m.signature = signature(p);
    m.acpi = p.profile == isa::profile::compat;
    if (m.acpi && p.testdev_enable) {
        static_assert(sbox::pc_ports::soft_off == boot::soft_off << 2);
        m.uart_port = sbox::pc_ports::uart_port;
        m.sleep_port = sbox::pc_ports::sleep_port;
        m.reset_port = sbox::pc_ports::exit_port;
        m.clock = true;
    }
    return m;
}

}  // namespace knc::card
