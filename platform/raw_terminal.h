// A terminal whose keys go to the guest as they are pressed, without echo: raw mode, but output is
// processed as before.
//
// The mode before is restored by the destructor, by exit(), by a signal that ends the program, and
// while the program is stopped. One object at a time.
#ifndef KNC_PLATFORM_RAW_TERMINAL_H
#define KNC_PLATFORM_RAW_TERMINAL_H

namespace platform {

class raw_terminal {
  public:
    // `fd` is a terminal.
    explicit raw_terminal(int fd);
    ~raw_terminal();
    raw_terminal(const raw_terminal&) = delete;
    raw_terminal& operator=(const raw_terminal&) = delete;
};

// The program may read the terminal and change its mode: it is not in the background.
bool in_foreground(int fd);

}  // namespace platform

#endif
