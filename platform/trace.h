// trace.gtkw, the view GTKWave opens the waveform of a run with.
#ifndef KNC_PLATFORM_TRACE_H
#define KNC_PLATFORM_TRACE_H

#include <iosfwd>

#include <systemc>

#include <knc/base/signal.h>

namespace platform {

// A GTKWave save file for the waveform in file `dump` beside it. It opens on the time from `from`
// to `to`: one open group per scope that holds signals; single bits as they are, everything wider
// in hexadecimal.
void write_save_file(std::ostream&, const knc::base::signal_list&, const sc_core::sc_time& from,
                     const sc_core::sc_time& to, const char* dump = "trace.vcd");

}  // namespace platform

#endif
