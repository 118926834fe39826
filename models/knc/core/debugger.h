// A debugger of the machine, as a core sees it.
//
// Models no hardware: it is asked before each instruction of the threads that it watches, in the
// cycle of the issue, and may look at everything for as long as it likes. No simulated time passes
// meanwhile, and nothing counts. Leaves out: the debugger's protocol and its breakpoints.
// Source: docs/gdb.md.
#ifndef KNC_CORE_DEBUGGER_H
#define KNC_CORE_DEBUGGER_H

#include <cstdint>

namespace knc::core {

// Where the instruction is in its issue.
enum class issue_place : std::uint8_t {
    first,  // in the U pipe, before anything of the issue; the state of the core is that at the
            // beginning of the cycle
    second  // after an instruction has executed in this cycle: in the V pipe, or, if that
            // instruction has met watched data, wherever the thread goes on
};

class debugger_if {
  public:
    // The thread is about to execute the instruction at its RIP: for the first time, or again after
    // an attempt that had to wait.
    virtual void before_instruction(std::uint16_t core, unsigned thread, issue_place) = 0;

  protected:
    ~debugger_if() = default;
};

}  // namespace knc::core

#endif
