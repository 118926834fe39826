// The file of a waveform: VCD text as it is, or as FST by the program vcd2fst of GTKWave, which
// reads the text through a pipe.
#ifndef KNC_PLATFORM_TRACE_FILE_H
#define KNC_PLATFORM_TRACE_FILE_H

#include <string>
#include <string_view>

#include <sys/types.h>

#include <platform/settings.h>

namespace platform {

// The name of the file in the directory of the results.
const char* name_of(trace_format);
// Throws input_error if the format needs a program that is not installed.
void check_available(trace_format);

class trace_file {
  public:
    // These throw std::runtime_error where the file cannot be written.
    trace_file(const std::string& directory, trace_format);
    ~trace_file();
    trace_file(const trace_file&) = delete;
    trace_file& operator=(const trace_file&) = delete;
    void write(std::string_view text);
    void close();

  private:
    [[noreturn]] void fail() const;
    void start_converter();

    const std::string path_;
    int out_ = -1;
    pid_t converter_ = 0;
};

}  // namespace platform

#endif
