#include <knc/pmu/p55c_registers.h>

#include <knc/pmu/p55c_front_end.h>

namespace knc::pmu {

struct p55c_register_behaviour : p55c_front_end::common_behaviour {
    using bank = p55c_front_end::bank;
    static constexpr behaviour control = kept<&bank::control>;
};

namespace {

using does = p55c_register_behaviour;
constexpr auto rw = base::register_access::read_write;
constexpr std::uint64_t all = base::mask(64);
constexpr std::uint64_t fields = p55c::control::of_one | p55c::control::of_one
                                                             << p55c::control::stride;

// The counters drop bits 63:40 of a write.
// clang-format off
constexpr p55c_register rows[] = {
    {{0x10, "TSC",  rw, all,    0, does::time_stamp, "core clocks since reset; p55c.tsc_in_hlt: not in HLT"}, 64},
    {{0x11, "CESR", rw, fields, 0, does::control,    "5:0, 21:16 events, 8:6, 24:22 what counts, 9, 25 what the pin shows"}, 32},
    {{0x12, "CTR",  rw, all,    0, does::count<0>,   "counter; a write sets 39:0 and ignores the rest", p55c::counters}, p55c::width},
};
// clang-format on
static_assert(base::in_order(rows));
constexpr base::register_table<p55c_register> table{rows};

}  // namespace

const base::register_table<p55c_register>& p55c_registers() {
    return table;
}

}  // namespace knc::pmu
