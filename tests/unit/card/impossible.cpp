// Parameters no core can have are refused when the core is made.
#include <stdexcept>

#include "rig.h"

namespace knc::card::test {
namespace {

// The report ends elaboration here as an abort does it otherwise.
void stop(const sc_core::sc_report& r, const sc_core::sc_actions&) {
    throw std::runtime_error(std::string(r.get_msg_type()) + ": " + r.get_msg());
}

TEST(impossible, parameters_end_elaboration) {
    sc_core::sc_report_handler::set_handler(stop);
    parameters p;
    p.core.tlb.data_4k.ways = 3;
    std::string what;
    try {
        rig r(p);
    } catch (const std::runtime_error& e) {
        what = e.what();
    }
    EXPECT_EQ(what,
              "core: parameter tlb.data_4k: 64 entries, 3 ways: powers of two are wanted, not more "
              "ways than entries");
}

}  // namespace
}  // namespace knc::card::test
