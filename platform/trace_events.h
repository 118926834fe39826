// A file in the trace event format of Chrome, which Perfetto and chrome://tracing show.
//
// Models: slices on tracks, instants, arrows, names. Slices of one track end in the opposite order
// of their begin. Only what lies in the window is written; a slice that is open at one of its ends
// is cut there. Times are microseconds with six decimals, which are SystemC's picoseconds; each
// event has its clock, too. Leaves out: counters. Source: "Trace Event Format", Google.
#ifndef KNC_PLATFORM_TRACE_EVENTS_H
#define KNC_PLATFORM_TRACE_EVENTS_H

#include <cstdint>
#include <fstream>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <knc/base/clock.h>

namespace platform {

class trace_events {
  public:
    using cycle_t = knc::base::cycle_t;

    struct track {
        std::uint32_t process = 0, thread = 0;
        // Not 0: slices that lie beside the track, with an identity of their own.
        std::uint64_t beside = 0;
        auto key() const { return std::tie(process, thread, beside); }
        bool operator<(const track& o) const { return key() < o.key(); }
        bool operator==(const track& o) const { return key() == o.key(); }
    };
    struct slice {
        std::string name;
        std::string_view category;
        std::string arguments;  // members of a JSON object: argument() + ...
    };

    trace_events(const std::string& path, const knc::base::clock&, std::uint64_t most_bytes);

    // From clock `at` on, events are written; from clock `at` on, none.
    void open(cycle_t at);
    void close(cycle_t at);
    bool is_open() const { return open_; }
    // The file has as many bytes as it may have, without the ends of its slices.
    bool is_full() const { return bytes_ >= most_bytes_; }

    void name_process(std::uint32_t process, std::string_view name);
    void name_track(const track&, std::string_view name);

    // The clocks of successive calls never decrease, but for ends of the slice just begun.
    void begin(const track&, cycle_t, const slice&);
    // Ends the slice that has begun last; `arguments`: what was not known before.
    void end(const track&, cycle_t, const std::string& arguments = {});
    void end_all(const track&, cycle_t);
    // A slice of one clock.
    void tick(const track&, cycle_t, const slice&);
    void instant(const track&, cycle_t, const slice&);
    // An arrow between the slices that begin in these clocks on these tracks.
    void arrow_from(const track&, cycle_t, std::string_view name, std::uint64_t arrow);
    void arrow_to(const track&, cycle_t, std::string_view name, std::uint64_t arrow);

    // The file is complete. Throws std::runtime_error if it cannot be written.
    void finish();

  private:
    void write(const std::string& event);
    void write_begin(const track&, cycle_t, const slice&);
    void write_end(const track&, cycle_t, const slice&, const std::string& arguments);
    std::string time(cycle_t) const;

    const std::string path_;
    const knc::base::clock clock_;
    const std::uint64_t most_bytes_;
    std::ofstream out_;
    std::uint64_t bytes_ = 0;
    bool open_ = false, first_ = true;
    std::map<track, std::vector<slice>> begun_;
};

// `"NAME": VALUE, `; a text is quoted.
std::string argument(std::string_view name, std::uint64_t value);
std::string argument(std::string_view name, std::string_view text);
std::string hex_argument(std::string_view name, std::uint64_t value);

}  // namespace platform

#endif
