// Where the console of the guest ends on the host: standard input and output, a pseudo-terminal, a
// socket, a file, nowhere.
//
// No call waits but wait() and finish(). Input is taken only when the guest listens, so a program
// that the guest does not listen to takes nothing from its standard input.
#ifndef KNC_PLATFORM_CONSOLE_END_H
#define KNC_PLATFORM_CONSOLE_END_H

#include <memory>
#include <string>
#include <string_view>

namespace platform {

class terminal;

// --console
struct console_choice {
    enum class kind { standard, pty, socket, file, none } of = kind::standard;
    std::string path;  // of socket and file
};

// stdio, pty, socket:PATH, file:PATH or none. Throws input_error, which says what is wanted.
console_choice parse_console(const std::string& text);

class console_end {
  public:
    virtual ~console_end() = default;

    // The guest has printed the last character of `all`, which is everything it printed.
    virtual void write(const std::string& all) = 0;
    // What has come in since the last call.
    virtual std::string read() { return {}; }
    // There may be input at a later time: service() has to be called now and then.
    virtual bool live() const { return false; }
    // There will be no more input.
    virtual bool exhausted() const { return true; }
    // Accepts a client, and writes what could not be written before.
    virtual void service() {}
    // Waits until something has happened, or a short time.
    virtual void wait() {}
    // The end of the run: what has been printed reaches whoever reads it, if that takes no more
    // than a second.
    virtual void finish() {}
    // The user sees the console where the program's own messages appear.
    virtual bool on_terminal() const { return false; }
    // What read() returns is the same in each run: a file.
    virtual bool repeats() const { return false; }
    // The user has asked to end the run.
    virtual bool quit() const { return false; }
};

// Throws input_error where a file, a socket or a pseudo-terminal cannot be made. The terminal
// outlives the result; `quiet`: no messages but the name of a pseudo-terminal.
std::unique_ptr<console_end> make_console_end(const console_choice&, terminal&, bool quiet);

}  // namespace platform

#endif
