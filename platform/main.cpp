// The program's entry: SystemC owns it, the command line is handled inside its elaboration.
#include <cstdlib>

#include <systemc>

#include <platform/command_line.h>

int sc_main(int argc, char** argv) {
    return platform::execute(argc, argv);
}

int main(int argc, char** argv) {
    // SystemC prints its banner before sc_main runs.
    setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 1);
    return sc_core::sc_elab_and_sim(argc, argv);
}
