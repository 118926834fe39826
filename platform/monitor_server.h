// Serves snapshots of the running card to monitors, over a Unix socket.
//
// The server collects the requests; the run answers them between two cycles, when the card's counts
// are current. A client may ask the run to wait for its next request; no other call waits, except
// for the first client if that is wanted. Leaves out: the form of the messages
// (knc/monitor/protocol.h). Source: docs/monitor.md.
#ifndef KNC_PLATFORM_MONITOR_SERVER_H
#define KNC_PLATFORM_MONITOR_SERVER_H

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <knc/base/clock.h>
#include <knc/monitor/protocol.h>

#include <platform/msr_server.h>
#include <platform/request_client.h>
#include <platform/unix_listener.h>

namespace platform {

class monitor_server {
  public:
    using warning = std::function<void(const std::string&)>;

    using reader = std::function<knc::monitor::snapshot()>;

    // Listens at `path`. `read` takes the snapshots. Throws input_error.
    monitor_server(const std::string& path, const knc::monitor::platform_shape&, reader read,
                   msr_target_if&, warning);
    ~monitor_server();
    monitor_server(const monitor_server&) = delete;
    monitor_server& operator=(const monitor_server&) = delete;

    // Waits until a client has asked for something.
    void wait_for_client();
    // Takes what clients have sent, a few hundred times per host second at most.
    void poll();
    // The same at once.
    void look();
    // The cycle of the next snapshot that a client waits for; 0: the run has to wait for a client;
    // base::never: neither.
    knc::base::cycle_t next() const;
    // The card is in cycle `now`, and its counts are current: answers the requests that are due,
    // and waits for the clients that want that.
    void serve(knc::base::cycle_t now);
    // The firmware has set a mark; snapshots at it are those of cycle `at`.
    void marked(std::uint32_t number, knc::base::cycle_t at);
    // The run is over: all clients get the last snapshot.
    void finish();

  private:
    struct client : request_client<knc::monitor::request> {
        using request_client::request_client;
        std::optional<knc::base::cycle_t> wanted{};  // the cycle of a request not yet answered
        knc::monitor::request asked{};               // that request
        bool holds = false;  // the last request: the run waits for the next one
    };
    using host_clock = std::chrono::steady_clock;

    void take(client&);
    void obey(client&, const knc::monitor::request&);
    void answer(client&, const knc::monitor::words&, bool ended);
    void answer_due(knc::base::cycle_t now);
    knc::monitor::words access_msr(const knc::monitor::request&);
    void refuse(client&, const std::string& why);
    bool held() const;
    void wait_for_requests();

    const unix_listener listener_;
    const knc::monitor::platform_shape shape_;
    const reader read_;
    msr_target_if& registers_;
    const warning warn_;
    std::vector<client> clients_;
    host_clock::time_point looked_{};
};

}  // namespace platform

#endif
