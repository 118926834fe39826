// The phases of a run, from mark to mark, and their metrics in the report.
//
// Source: docs/monitor.md.
#ifndef KNC_PLATFORM_PHASE_H
#define KNC_PLATFORM_PHASE_H

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <knc/base/archive_forward.h>
#include <knc/base/clock.h>
#include <knc/monitor/snapshot.h>

namespace platform {

struct phase {
    std::string from, to;  // "begin", "mark 1", "end"
    knc::monitor::snapshot before, after;
};

// Collects the snapshots between the phases.
class phase_recorder {
  public:
    // The marks that end a phase; later ones belong to the last phase.
    static constexpr std::size_t most_marks = 15;

    // A phase ends at mark `number`, in cycle `at`, which is not before that of the mark before.
    void mark(std::uint32_t number, knc::base::cycle_t at) {
        if (marks_.size() < most_marks) marks_.push_back({number, at});
    }
    // The cycle of the next snapshot; base::never: none is wanted.
    knc::base::cycle_t next() const {
        return taken_.size() < marks_.size() ? marks_[taken_.size()].at : knc::base::never;
    }
    void add(knc::monitor::snapshot s) { taken_.push_back(std::move(s)); }
    void serialize(knc::base::archive&);
    // The whole run, then the phases. `end`: the run's last snapshot.
    std::vector<phase> all(const knc::monitor::platform_shape&,
                           const knc::monitor::snapshot& end) const;

  private:
    struct mark_cycle {
        std::uint32_t number;
        knc::base::cycle_t at;

        void serialize(knc::base::archive&);
    };
    std::vector<mark_cycle> marks_;
    std::vector<knc::monitor::snapshot> taken_;  // of the first marks
};

// What the metrics are in each phase: of the card, its cores and threads. Cores and threads that
// executed nothing in a phase are left out.
nlohmann::ordered_json to_json(const knc::monitor::platform_shape&, const std::vector<phase>&);
// The first phase as the monitor's table, and the metrics of the card in all of them.
void write_text(std::ostream&, const knc::monitor::platform_shape&, const std::vector<phase>&);

}  // namespace platform

#endif
