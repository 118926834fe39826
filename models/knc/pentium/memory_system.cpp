#include <knc/pentium/memory_system.h>

#include <knc/base/archive.h>

namespace knc::pentium {

memory_system::memory_system(sc_core::sc_module_name name, const parameters& p, base::ledger& l)
    : sc_module(name), p_(p), bus_(p_), data_(p_, bus_, l), code_(p_, bus_, l) {
    l1d.bind(data_);
    l1i.bind(code_);
}

void memory_system::start_of_simulation() {
    tlm::tlm_generic_payload request;
    request.set_command(tlm::TLM_READ_COMMAND);
    request.set_address(0);
    tlm::tlm_dmi dmi;
    if (!memory->get_direct_mem_ptr(request, dmi) || !dmi.is_read_write_allowed())
        SC_REPORT_FATAL("memory_system", "the memory grants no direct access");
    bus_.connect(*client.operator->());
    data_.connect(dmi.get_dmi_ptr(), *client.operator->(), code_);
    code_.connect(dmi.get_dmi_ptr(), *client.operator->(), data_);
}

void memory_system::reset() {
    bus_.reset();
    data_.reset();
    code_.reset();
}

void memory_system::inquire(std::uint64_t paddr, std::uint64_t size, bool write,
                            base::cycle_t now) {
    if (size == 0) return;
    for (cache::line_t l = paddr / line_bytes; l <= (paddr + size - 1) / line_bytes; ++l)
        data_.inquire(l, write, now);
}

void memory_system::serialize(base::archive& a) {
    a(bus_);
}

void memory_system::list_signals(const std::string& prefix, base::signal_list& list) const {
    list.push_back({prefix + ".bus.busy", 1, &busy_, "a cycle of the bus is in progress"});
    list.push_back({prefix + ".bus.write_buffers", 8, &buffered_, "writes that wait for the bus",
                    base::signal_form::level});
}

void memory_system::sample(base::cycle_t now) {
    busy_ = bus_.busy(now - 1);
    buffered_ = data_.buffered(now - 1);
}

}  // namespace knc::pentium
