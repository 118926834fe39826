// What gdb asks of stopped threads: which there are, registers, memory, where they shall stop.
//
// Keeps the threads that gdb has selected. Leaves out: how threads go on (platform/gdb_server.h).
// Source: GDB manual, appendix E, "Packets" and "General Query Packets".
#ifndef KNC_PLATFORM_GDB_REQUESTS_H
#define KNC_PLATFORM_GDB_REQUESTS_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <platform/gdb_stops.h>
#include <platform/gdb_target.h>

namespace platform {

class gdb_requests {
  public:
    // Both outlive this.
    gdb_requests(gdb_target_if& target, gdb_stops& stops) : target_(target), stops_(stops) {}

    // The answer to a request: its first character, and the rest. Empty: it is not known.
    std::string answer(char what, std::string_view rest);

    // All threads stand, and `thread` is the one that has stopped.
    void select(std::size_t thread) { current_ = selected_ = resumed_ = thread; }
    std::size_t current() const { return current_; }
    // For a step or a continuation without a thread.
    std::size_t resumed() const { return resumed_; }
    // A step of this thread is shown as over although it is not (docs/gdb.md): with RIP in the
    // middle of the instruction.
    void pretend(std::optional<std::size_t> thread) { pretended_ = thread; }

    // The thread that `id` names: 0 is any, -1 all.
    std::optional<std::size_t> thread_of(std::string_view id) const;
    // The thread goes on at the instruction at `la`. False: it cannot.
    bool move(std::size_t thread, std::uint64_t la);

  private:
    std::string general_query(std::string_view);
    std::string transfer(std::string_view);
    std::string first_threads() const;
    std::string thread_list() const;
    std::string select_thread(std::string_view);
    std::string registers() const;
    std::string register_text(std::size_t number) const;
    std::string read_register(std::string_view) const;
    std::string write_register(std::string_view);
    std::string read_memory(std::string_view);
    std::string write_memory(std::string_view, bool binary);
    std::string change_stop(std::string_view, bool insert);

    gdb_target_if& target_;
    gdb_stops& stops_;
    std::size_t current_ = 0;   // of the last stop
    std::size_t selected_ = 0;  // for registers and memory
    std::size_t resumed_ = 0;
    std::optional<std::size_t> pretended_;
};

}  // namespace platform

#endif
