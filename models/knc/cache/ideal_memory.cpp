#include <knc/cache/ideal_memory.h>

#include <cstring>

namespace knc::cache {

ideal_memory::ideal_memory(sc_core::sc_module_name name) : sc_module(name) {
    l1d.bind(*this);
    l1i.bind(*this);
}

void ideal_memory::start_of_simulation() {
    tlm::tlm_generic_payload request;
    request.set_command(tlm::TLM_READ_COMMAND);
    request.set_address(0);
    tlm::tlm_dmi dmi;
    if (!memory->get_direct_mem_ptr(request, dmi) || !dmi.is_read_write_allowed())
        SC_REPORT_FATAL("ideal_memory", "the memory grants no direct access");
    bytes_ = dmi.get_dmi_ptr();
}

void ideal_memory::buffer_store(unsigned thread, std::uint64_t paddr, unsigned size,
                                const void* data, base::cycle_t) {
    std::memcpy(bytes_ + paddr, data, size);
    client->stored(paddr, size);
    client->stores_performed(thread);
}

void ideal_memory::uncached(unsigned thread, std::uint32_t ticket, bool write, std::uint64_t paddr,
                            unsigned size, const std::uint8_t* data, base::cycle_t now) {
    uncached_data answer{};
    if (write) {
        std::memcpy(bytes_ + paddr, data, size);
        client->stored(paddr, size);
    } else {
        std::memcpy(answer.data(), bytes_ + paddr, size);
    }
    client->uncached_done(thread, ticket, answer, now + 1);
}

}  // namespace knc::cache
