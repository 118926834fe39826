// An ELF file with any content: as an image, as a program with symbols, and everything that is read
// from it later: functions, source lines, call stacks, disassembly, the place in memory.
#include <algorithm>
#include <limits>
#include <sstream>

#include <platform/call_stack.h>
#include <platform/disassembly.h>
#include <platform/function_table.h>
#include <platform/image.h>
#include <platform/linux_boot.h>
#include <platform/loader.h>

#include "target.h"

namespace {

constexpr const char* name = "file.elf";
constexpr std::uint64_t memory_size = 0x1000'0000;
// Of each kind: a large table takes no longer than a small one.
constexpr std::size_t most_looked_up = 40;

void check_segments(const platform::image& i) {
    for (const platform::segment& s : i.segments) {
        fuzz::require(s.file_size <= s.memory_size, "content fits its segment");
        fuzz::require(i.content(s).size() == s.file_size, "content is in the file");
    }
    fuzz::require(
        std::is_sorted(i.symbols.begin(), i.symbols.end(),
                       [](const auto& a, const auto& b) { return a.address < b.address; }),
        "symbols are sorted");
    for (const platform::code_section& c : i.code)
        fuzz::require(c.file_offset <= i.file.size() && c.size <= i.file.size() - c.file_offset,
                      "code is in the file");
}

void check_functions(const platform::function_table& table, std::uint64_t address) {
    const auto s = table.at(address);
    fuzz::require(s.low <= address && (address < s.high || s.high == 0 || s.high == ~0ull),
                  "an address lies in its stretch");
    const platform::function* const f = table.find(address);
    fuzz::require((f == nullptr) == (s.function == platform::function_table::none),
                  "a stretch has the function of its addresses");
}

void look_up(const platform::image& i) {
    platform::call_stack stacks{i};
    platform::sample sample;
    const auto visit = [&](std::uint64_t address) {
        check_functions(stacks.functions(), address);
        sample.rip = address;
        sample.callers.assign({address, address + 1, i.entry});
        fuzz::require(!stacks.of(sample).empty(), "a stack has a frame");
    };
    for (const std::uint64_t address :
         {std::uint64_t{0}, std::numeric_limits<std::uint64_t>::max(), std::uint64_t{i.entry}})
        visit(address);
    for (std::size_t n = 0; n < std::min(i.symbols.size(), most_looked_up); ++n) {
        visit(i.symbols[n].address);
        visit(i.symbols[n].address + i.symbols[n].size / 2);
    }
    for (std::size_t n = 0; n < std::min(i.segments.size(), most_looked_up); ++n)
        for (std::uint64_t offset = 0;
             offset < std::min<std::uint64_t>(i.segments[n].file_size, 512); offset += 16)
            visit(i.segments[n].virtual_address + offset);
}

void disassemble_all(const platform::image& i) {
    for (const auto s : {platform::syntax::att, platform::syntax::intel}) {
        std::ostringstream out;
        fuzz::accepted({name}, [&] { platform::disassemble(i, {}, s, out); });
    }
    for (std::size_t n = 0; n < std::min(i.symbols.size(), most_looked_up); ++n)
        fuzz::accepted({name}, [&] { platform::parse_code_range(i, i.symbols[n].name); });
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string bytes = fuzz::text_of(data, size);
    fuzz::accepted({name}, [&] {
        const platform::image i = platform::read_program(bytes, name);
        const platform::function_table table{i};
        for (std::size_t n = 0; n < std::min(i.symbols.size(), most_looked_up); ++n)
            check_functions(table, i.symbols[n].address);
    });
    fuzz::accepted({name}, [&] {
        const platform::image i = platform::read_image(bytes, name);
        check_segments(i);
        disassemble_all(i);
        look_up(i);
        platform::check_placement(i, "options", 4096, memory_size);
    });
    return 0;
}
