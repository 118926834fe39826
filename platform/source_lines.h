// Source lines and inlined functions of an image's code, from its DWARF debug information.
//
// Models: file and line of an address, and the functions that the compiler has put into one another
// there. Leaves out: where these were called; separate debug files. Whatever in the information is
// damaged or not there gives no answer. Source: DWARF 2 to 5, read by libdw.
#ifndef KNC_PLATFORM_SOURCE_LINES_H
#define KNC_PLATFORM_SOURCE_LINES_H

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <platform/image.h>

namespace platform {

struct source_position {
    std::string file;  // as the compiler was told; empty: unknown
    unsigned line = 0;
};

struct source_place {
    source_position at;
    std::vector<std::string>
        inlined;  // the innermost first; without the function that contains all
};

class source_lines {
  public:
    // The image outlives this.
    explicit source_lines(const image&);
    ~source_lines();

    source_place at(std::uint64_t address) const;

  private:
    struct information;
    std::unique_ptr<information> info_;
};

}  // namespace platform

#endif
