// Where threads stop for gdb: breakpoints, watched data, a step.
//
// Breakpoints are linear addresses, and memory keeps its bytes. A thread stops at an instruction
// once, also if its attempts have to wait. Leaves out: the protocol (platform/gdb_server.h).
#ifndef KNC_PLATFORM_GDB_STOPS_H
#define KNC_PLATFORM_GDB_STOPS_H

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include <platform/gdb_target.h>

namespace platform {

class gdb_stops {
  public:
    explicit gdb_stops(gdb_target_if&);

    // ---- as the types of gdb's packets Z and z: 0 and 1, breakpoints; 2, 3 and 4, watched data.
    // False: no such type, or a size that cannot be.
    bool insert(unsigned type, std::uint64_t la, std::uint64_t size);
    bool remove(unsigned type, std::uint64_t la, std::uint64_t size);
    void clear();

    // ---- a step of one thread
    struct step {
        std::size_t thread = 0;
        // It goes on while the thread is in [low, high).
        std::uint64_t low = 0, high = 0;
        // gdb believes that no other thread runs meanwhile. It has lifted the breakpoint that it
        // steps over, which still holds for the others.
        bool alone = false;
    };
    // The threads go on; at the instruction at which one is now, it does not stop again.
    void go(const std::optional<step>&);
    const std::optional<step>& stepping() const { return step_; }
    // The thread does not stop at its present instruction.
    void pass(std::size_t thread);
    // It may stop there again.
    void forget(std::size_t thread) { passed_[thread] = {}; }

    // `thread` is about to execute an instruction. The reason to stop, as gdb's stop reply has it,
    // or empty; none: the thread goes on.
    std::optional<std::string> at_instruction(std::size_t thread);

  private:
    // A thread's place in its program.
    struct place {
        std::uint64_t retired = ~std::uint64_t{0}, la = 0;
        bool operator==(const place& o) const { return retired == o.retired && la == o.la; }
    };
    place place_of(std::size_t thread) const {
        return {target_.retired(thread), target_.rip(thread)};
    }
    bool breaks(std::size_t thread, std::uint64_t la) const;

    gdb_target_if& target_;
    struct breakpoint {
        bool software = false, hardware = false;  // of type 0, of type 1
    };
    std::unordered_map<std::uint64_t, breakpoint> breakpoints_;  // by address
    std::vector<gdb_watch> watches_;
    std::optional<step> step_;
    std::optional<std::uint64_t> lifted_;  // the breakpoint that a step alone passes
    std::unordered_map<std::uint64_t, breakpoint> before_;  // those of the threads' last run
    std::vector<place> passed_;                             // by thread: where it has stopped last
};

}  // namespace platform

#endif
