// What is known of a run when it has ended, and its two written forms.
//
// report.json follows schema 1: fields may be added, none renamed or removed.
#ifndef KNC_PLATFORM_REPORT_H
#define KNC_PLATFORM_REPORT_H

#include <array>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <knc/base/archive_forward.h>
#include <knc/base/clock.h>
#include <knc/base/event.h>
#include <knc/card/network.h>
#include <knc/card/run_control.h>
#include <knc/core/skid.h>
#include <knc/pmu/counter.h>
#include <knc/pmu/knc_registers.h>
#include <knc/pmu/pebs.h>

#include <platform/counter_history.h>
#include <platform/expectation.h>
#include <platform/function_profile.h>
#include <platform/msr_script.h>
#include <platform/phase.h>
#include <platform/profile.h>
#include <platform/samplers.h>

namespace platform {

struct pmu_report {
    using per_counter = std::vector<std::uint64_t>;
    knc::pmu::front_end_kind front_end = knc::pmu::front_end_kind::knc;
    bool l3 = false;  // front end perfmon: parameters of the same name
    per_counter counter = per_counter(2), evtsel = per_counter(2);
    std::uint64_t global_ctrl = 0, status = 0;
    std::uint64_t spflt = 0;                             // Knights Corner
    std::uint64_t fixed_control = 0, debug_control = 0;  // architectural
    bool has_pebs = false;                               // architectural
    knc::pmu::pebs_counts pebs;
    per_counter overflows = per_counter(2);
    knc::core::skid_statistics skid;

    void serialize(knc::base::archive&);
};

struct thread_report {
    unsigned core = 0, thread = 0;
    std::uint64_t instructions = 0;
    knc::base::event_row events{}, events_user{};  // ground truth: all privilege levels, CPL 1-3
    pmu_report pmu;
    // What each counter has counted, by selection.
    std::vector<std::vector<knc::pmu::counted>> counted =
        std::vector<std::vector<knc::pmu::counted>>(2);
    // Performance interrupts delivered and lost at the local APIC, EOI writes.
    std::uint64_t pmi = 0, pmi_lost = 0, eoi = 0;
    std::uint32_t lvt_performance = 0;    // LVT entry 0x340
    bool performance_in_service = false;  // an interrupt with its vector

    void serialize(knc::base::archive&);
};

struct mark {
    std::uint32_t number;
    knc::base::cycle_t cycle;

    void serialize(knc::base::archive&);
};

// What the threads had counted when a phase ended (platform/phase.h).
struct counts_at_mark {
    std::uint32_t number;
    knc::base::cycle_t cycle;
    std::vector<thread_report> threads;

    void serialize(knc::base::archive&);
};

struct report {
    std::string preset, image, cmdline;
    std::string reason;  // firmware, limit, deadlock, unsupported, session, user
    std::uint32_t code = 0;
    std::string detail;        // why the run ended, where there is more to say
    std::string unheard;       // what a session waited for in vain; empty: it has ended
    std::uint64_t resets = 0;  // warm resets of the card
    knc::base::cycle_t cycles = 0;
    double simulated_seconds = 0, host_seconds = 0;
    std::uint64_t instructions = 0;
    std::vector<thread_report> threads;
    std::vector<mark> marks;
    std::vector<knc::card::fast_forward_record> fast_forwards;
    knc::monitor::platform_shape shape;
    std::vector<phase> phases;             // the whole run, then from mark to mark
    std::vector<counts_at_mark> at_marks;  // one for each phase that a mark ends
    std::vector<msr_result> msr_accesses;  // those of the scenario that were performed
    std::vector<std::string> warnings;
    std::vector<std::string> hints;  // see hints.h
    std::vector<verdict> expectations;
    std::vector<profile> profiles;  // one per counter that sampled
    std::vector<sampler_account> samplers;
    std::optional<profile_summary> by_function;
    // In the page only.
    counter_history history;
    knc::card::ring_counts ring;
    std::vector<knc::core::skid_records> interrupts;  // of each thread
    std::string dump;  // state of every thread, of a run that ended badly

    // Millions of instructions per host second.
    double mips() const {
        return host_seconds > 0 ? static_cast<double>(instructions) / host_seconds / 1e6 : 0;
    }
    bool expectations_hold() const;
    // The guest reported a failure, or could not go on.
    bool ended_badly() const { return reason == "firmware" ? code != 0 : reason != "user"; }
    // Exit status of the program for this run: 0, 1 or 3.
    int status() const;
};

nlohmann::ordered_json to_json(const report&);
// How the run ended, in one line.
std::string outcome_of(const report&);
// The whole report for people.
void write_text(std::ostream&, const report&);
// Outcome, expectations and profile only.
void write_summary(std::ostream&, const report&);

}  // namespace platform

#endif
