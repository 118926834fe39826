#include <platform/event_names.h>

#include <array>

#include <fmt/format.h>

#include <knc/apic/interrupt_message.h>

namespace platform {

namespace base = knc::base;
namespace apic = knc::apic;

std::string message_name(std::uint64_t message) {
    const apic::interrupt_message m = apic::decode(message);
    switch (m.mode) {
        case apic::delivery_mode::fixed:
            return fmt::format("fixed {:#04x}", m.vector);
        case apic::delivery_mode::lowest_priority:
            return fmt::format("lowest priority {:#04x}", m.vector);
        case apic::delivery_mode::smi:
            return "SMI";
        case apic::delivery_mode::nmi:
            return "NMI";
        case apic::delivery_mode::init:
            return "INIT";
        case apic::delivery_mode::startup:
            return fmt::format("start-up {:#04x}", m.vector);
        case apic::delivery_mode::extint:
            return "ExtINT";
    }
    return "reserved";
}

std::string event_name(const base::event_entry& e) {
    using cause = base::event_entry::cause;
    static constexpr std::array names = {"#DE", "#DB", "NMI", "#BP", "#OF", "#BR", "#UD",
                                         "#NM", "#DF", "",    "#TS", "#NP", "#SS", "#GP",
                                         "#PF", "",    "#MF", "#AC", "#MC", "#XM"};
    if (e.why == cause::nmi) return "NMI";
    if (e.why == cause::interrupt) return fmt::format("{:#04x}", e.vector);
    if (e.vector < names.size() && names[e.vector][0] != 0) return names[e.vector];
    return fmt::format("{}", e.vector);
}

}  // namespace platform
