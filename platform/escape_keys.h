// The keys by which a user at a terminal speaks to the program, not to the guest: Ctrl-A and a
// letter, as in QEMU.
#ifndef KNC_PLATFORM_ESCAPE_KEYS_H
#define KNC_PLATFORM_ESCAPE_KEYS_H

#include <string>
#include <string_view>

namespace platform {

class escape_keys {
  public:
    enum class request { none, quit, help };
    struct result {
        std::string text;  // for the guest
        request wanted = request::none;
    };
    static constexpr const char* help =
        "Ctrl-A x       ends the run\n"
        "Ctrl-A Ctrl-A  sends Ctrl-A\n"
        "Ctrl-A h       shows this list\n";

    // Takes the keys out of `typed`. What follows a key that ends the run is dropped. A pair may be
    // spread over two calls.
    result filter(std::string_view typed);

  private:
    bool escaped_ = false;
};

}  // namespace platform

#endif
