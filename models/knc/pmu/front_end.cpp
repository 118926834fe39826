#include <knc/pmu/front_end.h>

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

}  // namespace knc::pmu
