// A monitor's connection to a running platform, over its Unix socket.
//
// Leaves out: the messages (knc/monitor/protocol.h). Source: docs/monitor.md.
#ifndef KNC_MONITOR_CLIENT_H
#define KNC_MONITOR_CLIENT_H

#include <string>

#include <knc/monitor/protocol.h>
#include <knc/monitor/source.h>

namespace knc::monitor {

class client final : public source_if {
  public:
    // Throws std::runtime_error if nobody serves a monitor at `path`, or not one of this version.
    explicit client(const std::string& path);
    ~client() override;
    client(const client&) = delete;
    client& operator=(const client&) = delete;

    const platform_shape& shape() const override { return shape_; }
    // Waits for the answer. A platform that is gone has ended.
    snapshot read(std::uint64_t cycle, bool hold) override;
    snapshot read_at_mark(std::uint32_t number) override;
    std::optional<std::uint64_t> read_msr(unsigned thread, std::uint32_t number) override;
    bool write_msr(unsigned thread, std::uint32_t number, std::uint64_t value) override;

  private:
    struct answer {
        answer_header header;
        words content;
    };
    snapshot take(const request&);
    bool receive(void* to, std::size_t size) const;
    // False: the platform is gone.
    bool ask(const request&, answer&) const;
    // Empty: #GP, or the platform is gone.
    std::optional<std::uint64_t> access(operation, unsigned thread, std::uint32_t number,
                                        std::uint64_t value);

    int fd_;
    platform_shape shape_;
    snapshot last_;
};

}  // namespace knc::monitor

#endif
