// Runs GoogleTest inside a SystemC simulation. A SystemC warning, error or fatal report that the
// test has not explicitly silenced (sc_report_handler::set_actions(id, SC_DO_NOTHING)) fails the
// test.
#include <cstdlib>

#include <gtest/gtest.h>
#include <systemc>

namespace {

void report(const sc_core::sc_report& r, const sc_core::sc_actions& actions) {
    if (actions == sc_core::SC_DO_NOTHING) return;
    if (r.get_severity() != sc_core::SC_INFO) {
        ADD_FAILURE_AT(r.get_file_name(), r.get_line_number())
            << "SystemC: " << r.get_msg_type() << ": " << r.get_msg();
    }
    sc_core::sc_report_handler::default_handler(r, actions);
}

}  // namespace

int sc_main(int argc, char** argv) {
    testing::InitGoogleTest(&argc, argv);
    sc_core::sc_report_handler::set_handler(report);
    return RUN_ALL_TESTS();
}

int main(int argc, char** argv) {
    setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 1);
    return sc_core::sc_elab_and_sim(argc, argv);
}
