// Clients that come while another gdb is served: each is told so when it asks for something, and is
// closed.
//
// gdb discards what comes before its first packet, so the answer waits for it; and it looks at no
// answer that it cannot acknowledge, so the end waits for that.
#ifndef KNC_PLATFORM_GDB_SURPLUS_H
#define KNC_PLATFORM_GDB_SURPLUS_H

#include <vector>

namespace platform {

class gdb_surplus {
  public:
    gdb_surplus() = default;
    ~gdb_surplus();
    gdb_surplus(const gdb_surplus&) = delete;
    gdb_surplus& operator=(const gdb_surplus&) = delete;

    // Takes the connection `fd`, whose calls do not wait. Of too many, the first one is closed.
    void add(int fd);
    // Answers those that have asked, and closes those that have gone.
    void look();
    std::vector<int> descriptors() const;

  private:
    struct client {
        int fd;
        bool answered = false;
    };
    static bool leaves(client&);

    std::vector<client> waiting_;
};

}  // namespace platform

#endif
