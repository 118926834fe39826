#include <knc/card/bootstrap.h>

#include <knc/base/debug_transfer.h>
#include <knc/card/boot_machine.h>
#include <knc/sbox/register_table.h>

namespace knc::card {

namespace {

constexpr std::uint64_t post_register = 0x242c,
                        size_register = sbox::sbox_base + 0xab20 + 4 * boot::size_scratchpad;
constexpr std::uint16_t everyone = 0xffff;

}  // namespace

bootstrap::bootstrap(sc_core::sc_module_name name, const parameters& p)
    : sc_module(name),
      machine_(machine_of(p)),
      download_address_(p.sbox.download_address),
      latency_(base::cycle_t{p.core.device_cycles} + p.ipi_cycles) {}

bool bootstrap::starts(const sbox::interrupt& i) const {
    return waits_ && i.mode == sbox::mode::fixed && i.vector == boot::start_vector && !i.logical &&
           (i.destination == machine_.boot_apic_id || i.destination == everyone);
}

void bootstrap::send(const sbox::interrupt& i, base::cycle_t now) {
    if (!starts(i)) {
        fabric->send(i, now);
    } else if (!starting_) {
        starting_ = true;
        scheduler->request_boot(now + latency_);
    }
}

std::optional<isa::entry_point> bootstrap::start_image() {
    starting_ = false;
    const std::uint32_t size = access_register(tlm::TLM_READ_COMMAND, size_register, 0);
    const boot::start s = boot::start_image(*this, download_address_, size, machine_);
    access_register(tlm::TLM_WRITE_COMMAND, post_register, s.post);
    waits_ = !s.entry;
    return s.entry;
}

bool bootstrap::read(std::uint64_t physical, void* to, std::size_t size) {
    return base::debug_read(addresses, physical, to, size);
}
bool bootstrap::write(std::uint64_t physical, const void* from, std::size_t size) {
    return base::debug_write(addresses, physical, from, size);
}

// Returns the register's value after a read.
std::uint32_t bootstrap::access_register(tlm::tlm_command command, std::uint64_t offset,
                                         std::uint32_t value) {
    tlm::tlm_generic_payload p;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    p.set_command(command);
    p.set_address(sbox::block_address + offset);
    p.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
    p.set_data_length(sizeof value);
    p.set_streaming_width(sizeof value);
    addresses->b_transport(p, delay);
    return value;
}

}  // namespace knc::card
