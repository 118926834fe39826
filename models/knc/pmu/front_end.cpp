#include <knc/pmu/front_end.h>

#include <knc/pmu/knc_front_end.h>
#include <knc/pmu/p55c_front_end.h>
#include <knc/pmu/perfmon_front_end.h>

namespace knc::pmu {

namespace {

struct no_count final : acceptance {
    void accepted() override {}
};

}  // namespace

bool front_end_if::read(std::size_t thread, std::uint32_t msr, std::uint64_t& value) {
    no_count none;
    return read(thread, msr, value, none);
}

bool front_end_if::write(std::size_t thread, std::uint32_t msr, std::uint64_t value) {
    no_count none;
    return write(thread, msr, value, none);
}

bool front_end_if::rdpmc(std::size_t thread, std::uint32_t index, std::uint64_t& value) {
    no_count none;
    return rdpmc(thread, index, value, none);
}

std::unique_ptr<card_front_end> make_front_end(const parameters& p) {
    if (p.front_end == front_end_kind::perfmon) return std::make_unique<perfmon_front_end>(p);
    if (p.front_end == front_end_kind::p55c) return std::make_unique<p55c_front_end>(p);
    return std::make_unique<knc_front_end>(p);
}

}  // namespace knc::pmu
