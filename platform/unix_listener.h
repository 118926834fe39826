// A Unix stream socket that clients come to.
#ifndef KNC_PLATFORM_UNIX_LISTENER_H
#define KNC_PLATFORM_UNIX_LISTENER_H

#include <string>

namespace platform {

class unix_listener {
  public:
    // Listens at `path`, and replaces a socket that is there. Throws input_error, which begins with
    // `option`.
    unix_listener(const std::string& path, const std::string& option, int backlog);
    ~unix_listener();
    unix_listener(const unix_listener&) = delete;
    unix_listener& operator=(const unix_listener&) = delete;

    // The next client, whose calls do not wait; -1: none has come. The caller closes it.
    int accept() const;
    int descriptor() const { return fd_; }

  private:
    const std::string path_;
    const int fd_;
};

}  // namespace platform

#endif
