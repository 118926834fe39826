// Consoles that a client comes to: a pseudo-terminal and a Unix socket.
//
// A client also gets what was printed before it came. One that does not read holds nothing up.
#ifndef KNC_PLATFORM_CONSOLE_STREAM_H
#define KNC_PLATFORM_CONSOLE_STREAM_H

#include <memory>
#include <string>

#include <platform/console_end.h>

namespace platform {

// Prints the name of the client's side on standard error.
std::unique_ptr<console_end> make_pty_console();
// Listens at `path`, and replaces a socket that is there. One client at a time.
std::unique_ptr<console_end> make_socket_console(const std::string& path);

// The part that both have in common.
class console_stream : public console_end {
  public:
    void write(const std::string& all) override;
    std::string read() override;
    bool live() const override { return true; }
    bool exhausted() const override { return false; }
    void service() override;
    void wait() override;
    void finish() override;

  protected:
    // The file descriptor of the client that is there; -1: none is.
    virtual int client() = 0;
    // The client has gone.
    virtual void lost() {}
    // The client has still to read what was written.
    virtual bool unread() { return false; }

  private:
    void flush();
    void drop();

    const std::string* printed_ = nullptr;
    std::size_t written_ = 0;
    int present_ = -1;
};

}  // namespace platform

#endif
