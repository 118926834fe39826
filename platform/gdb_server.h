// The server of a gdb: its requests, and where threads stop.
//
// Serves the GDB remote serial protocol in all-stop mode to one client at a time. The threads of a
// stopped run stand where they are: no simulated time passes. A client that vanishes lets the run
// go on. Leaves out: packets (platform/gdb_packet.h), registers (platform/gdb_registers.h), the
// card (platform/gdb_card.h). Source: GDB manual, appendix E; docs/gdb.md.
#ifndef KNC_PLATFORM_GDB_SERVER_H
#define KNC_PLATFORM_GDB_SERVER_H

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <platform/gdb_connection.h>
#include <platform/gdb_stops.h>
#include <platform/gdb_target.h>

namespace platform {

// A gdb is served at `place`, a port of this host or the path of a socket; empty: none.
struct gdb_choice {
    std::string place;
    bool wait = false;  // for the first one
};

class gdb_server {
  public:
    // Listens. The target outlives this. Throws input_error.
    gdb_server(const std::string& place, gdb_target_if& target)
        : target_(target), stops_(target), connection_(place) {}

    // Looks, a few hundred times per host second at most, whether a client wants the threads to
    // stop. Returns that.
    bool poll();
    // The same at once.
    bool look();
    // All threads are in one cycle: stops them there if a client wants that, and serves it until
    // they go on.
    void attend();
    // The same, after a wait for the first client.
    void wait_for_client();
    // `thread` is about to execute an instruction: stops there if it has to.
    void before_instruction(std::size_t thread);
    // The run has ended with this exit status. `stuck`: its threads could not go on; gdb may look
    // at them first.
    void finish(int status, bool stuck);

  private:
    using host_clock = std::chrono::steady_clock;
    using words = std::string_view;

    void stop(std::size_t thread, const std::string& answer);
    void stop_amid_step(std::size_t thread);
    void serve();
    void obey(const std::string& packet);
    void forget_client();

    std::string general_query(words);
    std::string transfer(words);
    std::string thread_list() const;
    std::string set(words);
    std::string select_thread(words);
    std::string registers() const;
    std::string read_register(words) const;
    std::string write_register(words);
    std::string read_memory(words);
    std::string write_memory(words, bool binary);
    std::string change_stop(words, bool insert);
    std::string resume(words);
    std::string resume_one(words, bool step);
    void go_on();
    void kill();

    std::optional<std::size_t> thread_of(words id) const;
    std::size_t first_thread() const;
    std::string stop_answer(std::size_t thread, words reason) const;
    std::string by_signal(const std::string& signal, std::size_t thread) const;

    gdb_target_if& target_;
    gdb_stops stops_;
    gdb_connection connection_;
    host_clock::time_point looked_{};
    bool wanted_ = false;       // a client wants a stop
    bool interrupted_ = false;  // by Ctrl-C
    bool stopped_ = false;      // the client has the threads
    std::size_t current_ = 0;   // of the last stop
    std::size_t selected_ = 0;  // for registers and memory
    std::size_t resumed_ = 0;   // for a step or a continuation without a thread
    // A step of this thread is shown as over although it is not: see stop_amid_step().
    std::optional<std::size_t> pretended_;
    std::string last_stop_;
};

}  // namespace platform

#endif
