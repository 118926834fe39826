#include <knc/pmu/knc_registers.h>

#include <knc/pmu/event_table.h>

namespace knc::pmu {

selection event_select::decode(std::uint64_t value) {
    selection s;
    s.event = find_event(static_cast<std::uint8_t>(base::bits(value, 7, 0)),
                         static_cast<std::uint8_t>(base::bits(value, 15, 8)));
    s.supervisor = base::test(value, os);
    s.user = base::test(value, usr);
    s.all_threads = base::test(value, any_thread);
    s.threshold = static_cast<std::uint8_t>(base::bits(value, 31, 24));
    s.invert = base::test(value, invert);
    s.edge = base::test(value, edge);
    return s;
}

const register_info* find_register(std::uint32_t address) {
    for (const register_info& r : registers) {
        if (r.address == address) return &r;
    }
    return nullptr;
}

}  // namespace knc::pmu
