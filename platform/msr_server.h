// Serves the MSRs of the card's threads to programs of the host, over a Unix socket.
//
// Models: what Linux's /dev/cpu/N/msr does for a thread N: RDMSR and WRMSR at ring 0. The server
// collects the accesses; the run performs them in a clock in which all threads stand. No call
// waits. Leaves out: the form of the messages (platform/msr_protocol.h). Source: docs/msr.md.
#ifndef KNC_PLATFORM_MSR_SERVER_H
#define KNC_PLATFORM_MSR_SERVER_H

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <platform/msr_protocol.h>
#include <platform/request_client.h>
#include <platform/unix_listener.h>

namespace platform {

// The threads whose registers are accessed.
struct msr_target_if {
    // False: #GP(0).
    virtual bool read(std::size_t thread, std::uint32_t number, std::uint64_t& value) = 0;
    virtual bool write(std::size_t thread, std::uint32_t number, std::uint64_t value) = 0;

  protected:
    ~msr_target_if() = default;
};

class msr_server {
  public:
    using warning = std::function<void(const std::string&)>;

    // Listens at `path`. Throws input_error.
    msr_server(const std::string& path, std::size_t threads, warning);
    ~msr_server();
    msr_server(const msr_server&) = delete;
    msr_server& operator=(const msr_server&) = delete;

    // As look(), but a few hundred times per host second at most while no client asks for anything.
    bool poll();
    // Takes what clients have sent. Returns whether an access waits.
    bool look();
    // Performs the accesses that wait, those of earlier clients first, and answers them.
    void serve(msr_target_if&);

  private:
    struct client : request_client<knc_msr_request> {
        using request_client::request_client;
        std::optional<std::uint32_t> thread{};
        std::uint64_t may = 0;                    // knc_msr_may_*
        std::uint64_t position = 0;               // for the client; no access uses it
        std::optional<knc_msr_request> access{};  // one that has not been performed
    };
    using host_clock = std::chrono::steady_clock;

    void take(client&);
    void obey(client&, const knc_msr_request&);
    void begin(client&, const knc_msr_request&, std::uint64_t needed);
    void answer(client&, std::uint32_t error, std::uint64_t value);
    void refuse(client&, const std::string& why);

    const unix_listener listener_;
    const std::size_t threads_;
    const warning warn_;
    std::vector<client> clients_;
    host_clock::time_point looked_{}, asked_{};
};

}  // namespace platform

#endif
