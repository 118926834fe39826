// Accesses to MSRs that a scenario makes, each in a given clock: exactly reproducible.
#ifndef KNC_PLATFORM_MSR_SCRIPT_H
#define KNC_PLATFORM_MSR_SCRIPT_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <knc/base/archive_forward.h>
#include <knc/base/clock.h>

#include <platform/msr_server.h>

namespace platform {

struct msr_access {
    knc::base::cycle_t at = 0;
    std::size_t thread = 0;  // hardware thread: core * 4 + thread of the core
    std::uint32_t number = 0;
    bool write = false;
    std::uint64_t value = 0;  // of a write
    std::string place;        // FILE:LINE
};

struct msr_result {
    knc::base::cycle_t at;
    std::size_t thread;
    std::uint32_t number;
    bool write;
    bool refused;         // #GP(0)
    std::uint64_t value;  // read or written

    void serialize(knc::base::archive&);
};

// Throws input_error, with the place of an access to a thread that does not exist.
void check_threads(const std::vector<msr_access>&, std::size_t threads);

class msr_script {
  public:
    explicit msr_script(std::vector<msr_access>);

    // The clock of the next access; base::never: there is none.
    knc::base::cycle_t next() const;
    // Performs the accesses up to clock `now`, those of one clock in the order of the scenario.
    void perform(knc::base::cycle_t now, msr_target_if&, std::vector<msr_result>&);
    // How far it is. Other accesses than those saved: the first one is that of clock `now` or
    // later.
    void serialize(knc::base::archive&, knc::base::cycle_t now);

  private:
    std::vector<msr_access> accesses_;
    std::size_t present_ = 0;
};

}  // namespace platform

#endif
