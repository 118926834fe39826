#include <knc/apic/probe.h>

namespace knc::apic {

void probe::sample(const local_apic& u, base::cycle_t now) {
    for (std::size_t i = 0; i < irr.size(); ++i) {
        irr[i] = u.irr().word(i);
        isr[i] = u.isr().word(i);
    }
    irr_highest = u.irr().highest();
    isr_highest = u.isr().highest();
    lvt_masked = 0;
    for (std::size_t i = 0; i < lvt.size(); ++i) {
        lvt[i] = u.peek(reg::lvt_timer + static_cast<std::uint32_t>(i) * register_spacing, now);
        if ((lvt[i] & lvt::masked) != 0) lvt_masked |= std::uint64_t{1} << i;
    }
    icr = std::uint64_t{u.peek(reg::icr_high, now)} << 32 | u.peek(reg::icr_low, now);
    esr = u.peek(reg::esr, now);
    timer_initial = u.peek(reg::initial_count, now);
    tpr = u.peek(reg::tpr, now);
    ppr = u.peek(reg::ppr, now);
    svr = u.peek(reg::svr, now);
    timer_count = u.peek(reg::current_count, now);
    interrupt = u.interrupt_pending();
    pending = u.pending();
}

base::signal_list probe::signals(const std::string& prefix) const {
    static constexpr const char* lvt_names[lvt_entries] = {"lvt_timer", "lvt_thermal", "lvt_pmc",
                                                           "lvt_lint0", "lvt_lint1",   "lvt_error"};
    base::signal_list list;
    const auto add = [&](const std::string& name, unsigned width, const std::uint64_t& v,
                         const char* meaning) {
        list.push_back({prefix + name, width, &v, meaning});
    };
    for (std::size_t i = 0; i < irr.size(); ++i)
        add("irr" + std::to_string(i), 64, irr[i], "interrupt request register, 64 vectors");
    for (std::size_t i = 0; i < isr.size(); ++i)
        add("isr" + std::to_string(i), 64, isr[i], "in-service register, 64 vectors");
    add("irr_highest", 8, irr_highest, "highest vector requested");
    add("isr_highest", 8, isr_highest, "highest vector in service");
    for (std::size_t i = 0; i < lvt.size(); ++i)
        add(lvt_names[i], 18, lvt[i], "entry of the local vector table; bit 16 masks it");
    add("lvt_masked", lvt_entries, lvt_masked, "mask bits of the local vector table");
    add("icr", 64, icr, "interrupt command register: the message written last");
    add("tpr", 8, tpr, "task priority");
    add("ppr", 8, ppr, "processor priority");
    add("svr", 9, svr, "spurious interrupt vector; bit 8 enables the APIC");
    add("esr", 8, esr, "error status");
    add("timer_initial", 32, timer_initial, "the timer's initial count");
    add("timer_count", 32, timer_count, "the timer's current count");
    add("interrupt", 1, interrupt, "the thread can accept an interrupt");
    add("pending", 1, pending, "the thread can accept an NMI, INIT or startup");
    return list;
}

}  // namespace knc::apic
