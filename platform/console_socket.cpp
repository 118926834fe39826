#include <utility>

#include <unistd.h>

#include <platform/console_stream.h>
#include <platform/unix_listener.h>

namespace platform {

namespace {

class socket_console final : public console_stream {
  public:
    explicit socket_console(const std::string& path) : listener_(path, "--console socket:", 1) {}
    ~socket_console() override { lost(); }
    socket_console(const socket_console&) = delete;
    socket_console& operator=(const socket_console&) = delete;

  private:
    int client() override {
        if (client_ < 0) client_ = listener_.accept();
        return client_;
    }
    void lost() override {
        if (client_ >= 0) close(std::exchange(client_, -1));
    }

    const unix_listener listener_;
    int client_ = -1;
};

}  // namespace

std::unique_ptr<console_end> make_socket_console(const std::string& path) {
    return std::make_unique<socket_console>(path);
}

}  // namespace platform
