// The server of a gdb: how its threads stop and go on.
//
// Serves the GDB remote serial protocol in all-stop mode to one client at a time. The threads of a
// stopped run stand where they are: no simulated time passes. A client that vanishes lets the run
// go on. Leaves out: packets (platform/gdb_packet.h), requests about stopped threads
// (platform/gdb_requests.h), the card (platform/gdb_card.h). Source: GDB manual, appendix E;
// docs/gdb.md.
#ifndef KNC_PLATFORM_GDB_SERVER_H
#define KNC_PLATFORM_GDB_SERVER_H

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <platform/gdb_connection.h>
#include <platform/gdb_requests.h>
#include <platform/gdb_stops.h>
#include <platform/gdb_target.h>

namespace platform {

// A gdb is served at `place`, a port of this host or the path of a socket; empty: none.
struct gdb_choice {
    std::string place;
    bool wait = false;  // for the first one
    gdb_code code = gdb_code::x86_64;
};
// PLACE[,wait][,i386|,i8086]
gdb_choice parse_gdb(const std::string&);

class gdb_server {
  public:
    // Listens. The target outlives this. Throws input_error.
    gdb_server(const std::string& place, gdb_target_if& target)
        : target_(target), stops_(target), requests_(target, stops_), connection_(place) {}

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

    std::string set(words);
    std::string resume(words);
    std::string resume_one(words, bool step);
    void go_on();
    void kill();

    std::size_t first_thread() const;
    std::string stop_answer(std::size_t thread, words reason) const;
    std::string by_signal(const std::string& signal, std::size_t thread) const;

    gdb_target_if& target_;
    gdb_stops stops_;
    gdb_requests requests_;
    gdb_connection connection_;
    host_clock::time_point looked_{};
    bool wanted_ = false;       // a client wants a stop
    bool interrupted_ = false;  // by Ctrl-C
    bool stopped_ = false;      // the client has the threads
    std::string last_stop_;
};

}  // namespace platform

#endif
