#include <platform/machine.h>

#include <knc/card/boot_machine.h>

namespace platform {

knc::card::run_control run_control_of(const settings& s) {
    knc::card::run_control c;
    c.quantum = s.sim.quantum;
    c.host_threads = s.sim.host_threads;
    c.max_cycles = s.limits.max_cycles;
    c.max_instructions = s.limits.max_instructions;
    return c;
}

machine::machine(sc_core::sc_module_name name, const settings& s, const image& i,
                 const boot_request& request, knc::card::run_control control)
    : sc_module(name),
      image_(i),
      request_(request),
      card_("card", s.card, std::move(control)),
      host_("host") {
    host_.socket.bind(card_.host);
    card_.boot(entry_of(i));
}

void machine::start_of_simulation() {
    // The sockets are bound from here on, and no process has run.
    if (!place(image_, request_, knc::card::machine_of(card_.config()), host_))
        SC_REPORT_ERROR("loader", "the card's memory refuses the image");
}

}  // namespace platform
