// The call stack of a sample in the words of the source: functions, those that the compiler has
// inlined among them; file and line of the innermost.
//
// Leaves out: code that is not the image's.
#ifndef KNC_PLATFORM_CALL_STACK_H
#define KNC_PLATFORM_CALL_STACK_H

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include <platform/function_table.h>
#include <platform/samples.h>
#include <platform/source_lines.h>

namespace platform {

struct stack_frame {
    std::uint64_t address = 0;
    std::string function;      // no_function: unknown
    std::uint64_t offset = 0;  // from the begin of the function that is really there
    bool known = false;        // it is the image's code
    bool inlined = false;
};

// One address of code.
struct code_place {
    std::vector<stack_frame> frames;  // the innermost first; the last one is not inlined
    source_position line;
};

class call_stack {
  public:
    // The image outlives this. Its tables are made when they are needed: most runs do without.
    explicit call_stack(const image& i) : image_(i) {}

    const function_table& functions();
    // The innermost first. It ends before the first caller that is no code of a known function: a
    // program that keeps no frame pointers has any value there.
    std::vector<stack_frame> of(const sample&);
    // The place of an interrupted instruction, or of the call before a return address.
    const code_place& at(std::uint64_t address, bool return_address);

  private:
    const image& image_;
    std::optional<function_table> functions_;
    std::optional<source_lines> lines_;
    std::unordered_map<std::uint64_t, code_place> known_[2];
};

}  // namespace platform

#endif
