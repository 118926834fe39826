// The commands that gdb passes on with `monitor`: counts, MSRs, the cycle, the end of the run.
#ifndef KNC_PLATFORM_GDB_COMMANDS_H
#define KNC_PLATFORM_GDB_COMMANDS_H

#include <string>

#include <platform/gdb_target.h>

namespace platform {

// Performs the command for the thread and returns what gdb shows.
std::string run_gdb_command(gdb_target_if&, std::size_t thread, const std::string& command);

}  // namespace platform

#endif
