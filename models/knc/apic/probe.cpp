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
    for (std::size_t i = 0; i < irr.size(); ++i)
        list.push_back({prefix + "irr" + std::to_string(i), 64, &irr[i]});
    for (std::size_t i = 0; i < isr.size(); ++i)
        list.push_back({prefix + "isr" + std::to_string(i), 64, &isr[i]});
    list.push_back({prefix + "irr_highest", 8, &irr_highest});
    list.push_back({prefix + "isr_highest", 8, &isr_highest});
    for (std::size_t i = 0; i < lvt.size(); ++i)
        list.push_back({prefix + lvt_names[i], 18, &lvt[i]});
    list.push_back({prefix + "lvt_masked", lvt_entries, &lvt_masked});
    list.push_back({prefix + "tpr", 8, &tpr});
    list.push_back({prefix + "ppr", 8, &ppr});
    list.push_back({prefix + "svr", 9, &svr});
    list.push_back({prefix + "timer_count", 32, &timer_count});
    list.push_back({prefix + "interrupt", 1, &interrupt});
    list.push_back({prefix + "pending", 1, &pending});
    return list;
}

}  // namespace knc::apic
