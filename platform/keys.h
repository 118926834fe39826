// The configuration keys: the one table behind presets, scenarios, --set and `knc-vp list keys`.
#ifndef KNC_PLATFORM_KEYS_H
#define KNC_PLATFORM_KEYS_H

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <platform/settings.h>

namespace platform {

// A member of `settings` with one of a few named values.
struct choice {
    std::uint8_t* value;  // index into `names`
    const std::vector<std::string_view>* names;
};

// Where the value of a key is kept.
using member =
    std::variant<bool*, std::uint8_t*, std::uint32_t*, std::uint64_t*, std::string*, choice>;

// Which numbers of its range a key takes.
enum class numbers : std::uint8_t { all, powers_of_two, whole_pages };

struct key {
    std::string_view name;
    member (*of)(settings&);
    std::uint64_t low, high;  // range of a number
    std::string_view unit;    // empty: none
    std::string_view source;  // where the default comes from
    std::string_view meaning;
    numbers only = numbers::all;
};

// A key that does not exist or a value it cannot have; says which and why in one line.
struct key_error : std::runtime_error {
    using std::runtime_error::runtime_error;
};

const std::vector<key>& keys();

// Sets key `name` to `text`: a number (decimal, 0x…, with '_' between digits, suffix K, M or G for
// powers of 1024 where the unit is bytes, "none" where the key has no limit), true or false, a
// name, or text. Throws key_error.
void set_key(settings&, std::string_view name, std::string_view text);

// The value of key `k` in `s`, as set_key takes it.
std::string value_text(const key& k, const settings& s);

// Checks what no single key shows. Throws key_error.
void check_consistency(const settings&);

}  // namespace platform

#endif
