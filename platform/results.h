// The files of a run in its output directory.
#ifndef KNC_PLATFORM_RESULTS_H
#define KNC_PLATFORM_RESULTS_H

#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include <systemc>

#include <knc/base/clock.h>
#include <knc/base/signal.h>

#include <platform/call_stack.h>
#include <platform/report.h>
#include <platform/samples.h>
#include <platform/save_file.h>

namespace platform {

class results {
  public:
    // Creates `directory` with its parents, opens console.log in it and removes what an earlier run
    // left there under the names of results. Throws input_error.
    explicit results(const std::string& directory);

    const std::string& directory() const { return directory_; }
    // Every whole line is in the file at once, whatever becomes of the run.
    void console(char c) {
        console_.put(c);
        if (c == '\n') console_.flush();
    }
    // These throw std::runtime_error where a file cannot be written.
    // trace.gtkw and its translations.
    void write_trace_view(const knc::base::signal_list&, const traced_functions*,
                          const trace_view&);
    // report.json, report.txt, report.html; samples.txt and samples.folded where there are samples.
    void write(const report&, const std::vector<sample_log>&, call_stack&, const knc::base::clock&);

  private:
    void remove_translations() const;
    void write_file(const std::string& name, const std::function<void(std::ostream&)>&) const;

    std::string directory_;
    std::ofstream console_;
};

}  // namespace platform

#endif
