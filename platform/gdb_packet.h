// Packets of the GDB remote serial protocol: their frame, and the hexadecimal text in them.
//
// Models: $CONTENT#CHECKSUM with its escapes, acknowledgements, and the interrupt byte. Leaves out:
// notifications and run-length encoding, which the server does not send; the meaning of a packet
// (platform/gdb_server.h). Source: GDB manual, appendix E, "Overview".
#ifndef KNC_PLATFORM_GDB_PACKET_H
#define KNC_PLATFORM_GDB_PACKET_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace platform {

// The longest content, either way.
inline constexpr std::size_t gdb_packet_bytes = 0x4000;

// Two digits for each byte.
std::string to_hex(std::string_view bytes);
// Empty: not pairs of digits.
std::optional<std::string> from_hex(std::string_view digits);
// Takes a hexadecimal number from the begin of `text`; none: there is none, or it has more than 64
// bits.
std::optional<std::uint64_t> take_hex(std::string_view& text);
// Takes `c` from the begin of `text`, if it is there.
bool take(std::string_view& text, char c);
// Takes everything up to the next `c`, and that; all of it if there is none.
std::string_view take_until(std::string_view& text, char c);

bool begins(std::string_view text, std::string_view with);
// Takes `with` from the begin of `text`, if it is there.
bool take_word(std::string_view& text, std::string_view with);
// Takes "ADDRESS,SIZE".
struct gdb_range {
    std::uint64_t address = 0, size = 0;
};
std::optional<gdb_range> take_range(std::string_view& text);

// Answers that say no. gdb does not look at the numbers: those of Linux.
namespace gdb_error {
inline constexpr const char *no_such_thread = "E03", *not_readable = "E05", *bad_address = "E0e",
                            *bad_request = "E16";
}

// The content with what must not be in a packet escaped; and its frame.
std::string escape_packet(std::string_view content);
std::string frame_packet(std::string_view escaped);

// Finds packets in what arrives.
class gdb_packet_reader {
  public:
    enum class kind : std::uint8_t {
        none,       // nothing complete
        packet,     // `content`
        bad,        // a wrong checksum, or too long
        interrupt,  // Ctrl-C
        accepted,   // +
        rejected    // -: the last packet must be sent again
    };
    struct item {
        kind what = kind::none;
        std::string content;  // without escapes
    };

    void add(std::string_view bytes) { received_.append(bytes); }
    item next();
    // Another client.
    void clear();

  private:
    enum class state : std::uint8_t { between, content, first_digit, second_digit };
    item take(char);
    item complete(char last_digit);

    std::string received_;
    std::size_t taken_ = 0;  // of `received_`
    state state_ = state::between;
    std::string content_;
    std::uint8_t sum_ = 0;
    bool too_long_ = false;
    char digit_ = 0;
};

}  // namespace platform

#endif
