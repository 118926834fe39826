// What the program knows, as tables on standard output.
#ifndef KNC_PLATFORM_LISTING_H
#define KNC_PLATFORM_LISTING_H

#include <iosfwd>
#include <string>

namespace platform {

// The names list() takes, comma separated.
extern const char* const listings;

// Writes table `what`; keys, signals and modules are those of a card of `preset`.
// Throws input_error where there is no such table or preset.
void list(const std::string& what, const std::string& preset, std::ostream&);

}  // namespace platform

#endif
