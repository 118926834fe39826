// The waveform of a run: trace.vcd, written by SystemC, and trace.gtkw, the view GTKWave opens it
// with.
#ifndef KNC_PLATFORM_TRACE_H
#define KNC_PLATFORM_TRACE_H

#include <iosfwd>
#include <string>

#include <systemc>

#include <knc/base/signal.h>

namespace platform {

class trace {
  public:
    // Opens DIRECTORY/trace.vcd; to be made before the simulation starts.
    trace(const std::string& directory, const knc::base::signal_list&);
    ~trace();
    trace(const trace&) = delete;
    trace& operator=(const trace&) = delete;

  private:
    std::string path_;
    sc_core::sc_trace_file* file_;
};

// A GTKWave save file for trace.vcd that opens on the time from `from` to `to`: one open group per
// scope that holds signals; single bits as they are, everything wider in hexadecimal.
void write_save_file(std::ostream&, const knc::base::signal_list&, const sc_core::sc_time& from,
                     const sc_core::sc_time& to);

}  // namespace platform

#endif
