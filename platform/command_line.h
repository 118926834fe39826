// The command line of knc-vp.
#ifndef KNC_PLATFORM_COMMAND_LINE_H
#define KNC_PLATFORM_COMMAND_LINE_H

namespace platform {

// Does what the arguments ask for; returns the exit status of the program.
int execute(int argc, const char* const* argv);

}  // namespace platform

#endif
