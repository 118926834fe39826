// trace.gtkw: the view with which GTKWave opens the waveform of a run.
#ifndef KNC_PLATFORM_SAVE_FILE_H
#define KNC_PLATFORM_SAVE_FILE_H

#include <iosfwd>

#include <systemc>

#include <knc/base/signal.h>

namespace platform {

// A GTKWave save file for the waveform in file `dump` beside it, that opens on the time from `from`
// to `to`: one open group per scope that holds signals; single bits as they are, everything wider
// in hexadecimal.
void write_save_file(std::ostream&, const knc::base::signal_list&, const sc_core::sc_time& from,
                     const sc_core::sc_time& to, const char* dump = "trace.vcd");

}  // namespace platform

#endif
