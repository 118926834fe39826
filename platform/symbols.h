// The functions of all programs of a run: those of the image, of a kernel and of its programs.
//
// Models: which program the code at an address belongs to. Code of the image and of a kernel
// belongs to them by its address. Programs may have the same addresses, in different address
// spaces: their code is known by the content of its page of memory, which is compared with the
// files when the page is first asked for, and again when it has changed. Pages that are alike in
// several programs belong to the one that the other pages of the address space agree with.
// Leaves out: programs without fixed addresses, modules of a kernel, source lines.
#ifndef KNC_PLATFORM_SYMBOLS_H
#define KNC_PLATFORM_SYMBOLS_H

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include <knc/core/profile.h>

#include <platform/function_table.h>
#include <platform/image.h>
#include <platform/samples.h>

namespace platform {

inline constexpr const char* no_function = "[unknown]";

struct program {
    program(const image& i, bool known_by_address)
        : file(i), functions(i), by_address(known_by_address) {}

    const image& file;
    function_table functions;
    bool by_address;  // else by content
};

class symbols final : public knc::core::code_names_if {
  public:
    // The image comes first; the images outlive this. `read`: the card's memory.
    symbols(const image&, const std::vector<image>& more, memory_reader read);

    const std::vector<program>& programs() const { return programs_; }

    // [low, high) around an instruction, all in one place: a function, or (`none`) no function, of
    // a program, or (nullptr) of none. Valid while the address lies as far from its physical
    // address, for one privilege level.
    struct place {
        std::uint64_t low, high;
        const program* in = nullptr;
        std::size_t function = function_table::none;
        std::uint64_t distance = 0;  // from here to the address to which the code is linked
    };
    place locate(const knc::core::code_location&);

    // The page of memory may have another content. Returns whether it was ever asked for.
    bool page_changed(std::uint64_t number) { return pages_.erase(number) != 0; }
    // Every page may.
    void forget() { pages_.clear(); }

    // "PROGRAM: FUNCTION+OFFSET"; empty where no function of any program is known.
    std::string name(const knc::core::code_location&) override;

  private:
    // Whose code a page of memory has at a linear address.
    struct known_page {
        std::uint64_t la = 0;  // of its first byte
        const program* owner = nullptr;
        bool certain = false;     // else to be asked again when more pages are known
        std::uint64_t asked = 0;  // when so many pages were known
    };
    using candidates = std::vector<const program*>;

    bool find_by_address(const knc::core::code_location&, place&) const;
    bool find_by_content(const knc::core::code_location&, place&);
    known_page identify(const knc::core::code_location&);
    void compare_other_pages(const knc::core::code_location&, candidates&);

    std::vector<program> programs_;
    bool any_by_content_ = false;
    memory_reader read_;
    std::unordered_map<std::uint64_t, known_page> pages_;  // by physical page number
    std::uint64_t identified_ = 0;
};

}  // namespace platform

#endif
