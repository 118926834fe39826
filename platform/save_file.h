// trace.gtkw: the view with which GTKWave opens the waveform of a run, and the files beside it that
// give the values of signals names.
#ifndef KNC_PLATFORM_SAVE_FILE_H
#define KNC_PLATFORM_SAVE_FILE_H

#include <cstdint>
#include <iosfwd>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <systemc>

#include <knc/base/signal.h>

namespace platform {

class traced_functions;

// A translate filter of GTKWave: texts for values, as it prints them.
struct translation {
    std::string file;  // its name, in the directory of trace.gtkw
    bool hexadecimal;  // the signal is shown in hexadecimal, else in decimal
    std::vector<std::pair<std::uint64_t, std::string>> texts;
};

// Those that the signals need, by the name of a signal.
class translations {
  public:
    // `functions`: what tN.pc and tN.function show; nullptr: unknown.
    translations(const knc::base::signal_list&, const traced_functions* functions);

    const std::vector<translation>& files() const { return files_; }
    // nullptr: its values have no names.
    const translation* of(const knc::base::signal&) const;
    // How a save file numbers one of them.
    std::size_t filter(const translation& t) const {
        return static_cast<std::size_t>(&t - files_.data()) + 1;
    }

  private:
    translation& add(const knc::base::signal&, const std::string& file);

    std::vector<translation> files_;
    std::map<std::string, std::size_t> by_signal_;
};

void write_translation(std::ostream&, const translation&);

// The time that GTKWave shows first, and its markers A, B, C, ...
struct trace_view {
    struct mark {
        sc_core::sc_time at;
        std::string name;
    };
    const char* dump;  // the waveform, a file beside the save file
    sc_core::sc_time from, to;
    std::vector<mark> marks;
};

// The save file: one open group per scope that holds several signals, in the order of
// the first of each; single bits as they are, numbers in decimal, levels as curves, values that
// have names by name, the others in hexadecimal.
void write_save_file(std::ostream&, const knc::base::signal_list&, const translations&,
                     const trace_view&);

}  // namespace platform

#endif
