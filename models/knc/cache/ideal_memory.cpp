#include <knc/cache/ideal_memory.h>

namespace knc::cache {

ideal_memory::ideal_memory(sc_core::sc_module_name name) : sc_module(name) {
    l1d.bind(logic_);
    l1i.bind(logic_);
}

void ideal_memory::start_of_simulation() {
    tlm::tlm_generic_payload request;
    request.set_command(tlm::TLM_READ_COMMAND);
    request.set_address(0);
    tlm::tlm_dmi dmi;
    if (!memory->get_direct_mem_ptr(request, dmi) || !dmi.is_read_write_allowed())
        SC_REPORT_FATAL("ideal_memory", "the memory grants no direct access");
    logic_.connect(dmi.get_dmi_ptr(), *client.operator->());
}

}  // namespace knc::cache
