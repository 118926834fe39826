// The functions of one program by address.
//
// Models: ELF functions, and labels of code in assembly; without a size, as far as the next one or
// the end of the code. Where one lies inside another, the inner one has the address. Leaves out:
// functions inlined into others.
#ifndef KNC_PLATFORM_FUNCTION_TABLE_H
#define KNC_PLATFORM_FUNCTION_TABLE_H

#include <cstdint>
#include <string>
#include <vector>

#include <platform/image.h>

namespace platform {

struct function {
    std::uint64_t address, size;
    std::string name;
};

class function_table {
  public:
    static constexpr std::size_t none = ~std::size_t{0};
    // Addresses [low, high) that belong to one function, or (`none`) to no function.
    struct stretch {
        std::uint64_t low, high;
        std::size_t function;
    };

    explicit function_table(const image&);

    const std::vector<function>& functions() const { return functions_; }
    // What `address` belongs to; never empty.
    stretch at(std::uint64_t address) const;
    // The function that holds `address`; nullptr: none.
    const function* find(std::uint64_t address) const;

  private:
    std::vector<function> functions_;  // by address
    std::vector<stretch> stretches_;   // by address, without overlap
};

}  // namespace platform

#endif
