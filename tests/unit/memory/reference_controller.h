// The controller once more, written to be obvious: every command clock is looked at, every distance
// of commands is checked against the list of all commands given, and every rule of the order of
// service (docs/memory.md) is applied to the plain list of requests.
#ifndef KNC_TESTS_MEMORY_REFERENCE_CONTROLLER_H
#define KNC_TESTS_MEMORY_REFERENCE_CONTROLLER_H

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include <knc/memory/controller.h>

namespace knc::memory::test {

class reference_controller {
  public:
    reference_controller(const controller_parameters&, std::uint64_t core_hz);

    bool submit(std::uint64_t line, bool write, std::uint64_t clock, std::uint64_t id);
    // Everything done at or before `clock`: clock, order of the request, id.
    using done_list = std::vector<std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>>;
    done_list done_by(std::uint64_t clock);
    std::uint64_t activates() const { return activates_; }
    std::uint64_t refreshes() const { return refreshes_; }

  private:
    enum class what { act, pre, pre_all, rd, wr, ref };
    struct command {
        std::uint64_t ck;
        what w;
        std::uint64_t bank;
    };
    struct request {
        std::uint64_t line, order, id, arrival, bank, row;
        bool write;
        unsigned bursts;
    };
    struct channel {
        std::vector<request> requests;
        std::vector<command> history;
        std::map<std::uint64_t, std::uint64_t> open;  // bank -> row
        bool writing = false;
        std::uint64_t refresh_due = 0;
    };

    std::uint64_t ck(std::uint64_t ps) const;
    std::uint64_t refresh_interval() const;
    std::uint64_t core_clock(std::uint64_t at) const;
    void run_before(std::uint64_t clock);
    void step(channel&, std::uint64_t now);
    void refresh(channel&, std::uint64_t now);
    void serve(channel&, std::uint64_t now, const request* aged);
    std::uint64_t distance(const command& earlier, what, std::uint64_t bank) const;
    bool allowed(const channel&, std::uint64_t now, what, std::uint64_t bank) const;
    void transfer(channel&, std::uint64_t now, std::size_t request);

    const controller_parameters p_;
    const std::uint64_t core_hz_, ck_hz_;
    std::vector<channel> channels_;
    std::uint64_t now_ = 0;  // next command clock
    std::uint64_t order_ = 0, activates_ = 0, refreshes_ = 0;
    done_list done_;
};

}  // namespace knc::memory::test

#endif
