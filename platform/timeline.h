// The time line of a run: timeline.json, for Perfetto and chrome://tracing (docs/timeline.md).
//
// Models: each tile is a process of the viewer; each hardware thread has tracks for its state, its
// functions, its handlers and its interrupt messages; each MSHR in use has one. Performance
// interrupts lie beside the tracks of their thread, from the overflow to the handler's first
// instruction. Leaves out: single instructions (platform/log.h), counters.
#ifndef KNC_PLATFORM_TIMELINE_H
#define KNC_PLATFORM_TIMELINE_H

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include <platform/recording.h>
#include <platform/settings.h>
#include <platform/timeline_thread.h>
#include <platform/trace_events.h>

namespace platform {

class timeline final : public recording::listener {
  public:
    using complain = std::function<void(const std::string&)>;

    // Writes DIRECTORY/timeline.json. Throws input_error.
    timeline(const std::string& directory, const timeline_settings&, std::size_t tiles,
             const knc::base::clock&, complain);

    // recording::listener
    void take(const record&) override;
    void finish(knc::base::cycle_t end) override;

  private:
    void on(const record&, const steps::miss_begin&);
    void on(const record&, const steps::miss_end&);
    void on(const record&, const steps::message_sent&);
    void on(const record&, const steps::message_received&);
    void on(const record&, const steps::mark&);
    void on(const record&, const steps::core_reset&);
    // What else happens to one thread.
    template <class Step>
    void on(const record& r, const Step& s) {
        thread_of(r.thread).on(r.clock, s);
    }
    timeline_thread& thread_of(knc::base::thread_number);
    trace_events::track miss_track(std::uint16_t core, std::size_t slot);
    trace_events::track card_track();
    void name_tile(std::uint16_t core);

    const timeline_settings choice_;
    const complain complain_;
    trace_events events_;
    bool over_ = false;
    knc::base::cycle_t last_ = 0;
    std::vector<std::unique_ptr<timeline_thread>> threads_;  // by core, thread; those with a step
    // The lines that a tile waits for, by MSHR.
    struct tile_state {
        bool named = false;
        std::vector<std::uint64_t> lines;
        std::size_t named_slots = 0;
    };
    std::vector<tile_state> of_tile_;
    // Messages on their way: target, clock of arrival, message; their arrows.
    std::multimap<std::tuple<std::size_t, knc::base::cycle_t, std::uint64_t>, std::uint64_t>
        arrows_;
    std::uint64_t arrow_ = 0;
    struct {
        trace_events::track track;
        knc::base::cycle_t clock = 0;
        std::uint64_t message = 0;
    } sent_;  // last
    bool card_named_ = false;
};

}  // namespace platform

#endif
