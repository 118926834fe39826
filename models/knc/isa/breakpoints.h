// The breakpoints that DR0-3, DR7 and CR4.DE define, and data that a debugger outside watches.
//
// Models: addresses, lengths and kinds of the enabled ones (locally or globally: the model makes no
// difference, and LE and GE have no effect, as matches are always exact).
// What the manual leaves undefined: the length of an instruction breakpoint is taken as 1, a kind
// of I/O without CR4.DE never matches. Length code 10 is 8 bytes in every mode.
// Source: Intel SDM vol. 3, 17.2.
#ifndef KNC_ISA_BREAKPOINTS_H
#define KNC_ISA_BREAKPOINTS_H

#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <knc/isa/state.h>

namespace knc::isa {

// DR6 and DR7.
inline constexpr std::uint32_t dr6_breakpoints = 15;  // B0-B3
inline constexpr std::uint32_t dr6_bd = 1u << 13, dr6_bs = 1u << 14, dr6_bt = 1u << 15;
inline constexpr std::uint64_t dr7_gd = 1u << 13;

// Data watched from outside. An access to it only leaves a note.
struct outside_watch {
    std::uint64_t first = 0, last = 0;
    bool reads = false, writes = false;
};
struct outside_hit {
    std::size_t watch = 0;  // its index
    std::uint64_t la = 0;   // the first byte of it that was accessed
};

class breakpoints {
  public:
    // `w` outlives this; nullptr: nothing. The caller flushes the translations.
    void watch_from_outside(const std::vector<outside_watch>* w) { outside_ = w; }
    // The first access since the last call that met one of them.
    bool has_outside_hit() const { return hit_.has_value(); }
    std::optional<outside_hit> take_outside_hit() { return std::exchange(hit_, std::nullopt); }

    void derive(const state&);

    bool on_instructions() const { return (kinds_ & executes) != 0; }
    bool on_data() const { return (kinds_ & (data | outside)) != 0; }
    bool on_ports() const { return (kinds_ & ports) != 0; }
    // Whether a breakpoint of that kind lies in the 4 KB page of linear address `la`.
    bool instruction_in_page(std::uint64_t la) const { return in_page(executes, la); }
    bool data_in_page(std::uint64_t la) const {
        return in_page(data, la) || ((kinds_ & outside) != 0 && outside_in_page(la));
    }

    // Each returns the breakpoints that are met, as bits 3:0 of DR6: by an instruction that starts
    // at `la`, by an access to `size` bytes at `la`, by an access to `size` ports.
    std::uint32_t at_instruction(std::uint64_t la) const { return matches(executes, la, 1); }
    std::uint32_t at_data(std::uint64_t la, unsigned size, bool write) {
        if ((kinds_ & outside) != 0) note(la, size, write);
        return matches(write ? data : accesses, la, size);
    }
    std::uint32_t at_port(std::uint64_t number, unsigned size) const {
        return matches(ports, number, size);
    }

  private:
    // Sets of kinds: bit n is code n of R/W in DR7.
    static constexpr unsigned executes = 1, writes = 2, ports = 4, accesses = 8, outside = 16;
    static constexpr unsigned data = writes | accesses;
    struct entry {
        std::uint64_t first = 0, last = 0;
        unsigned kind = 0;  // one of the set; 0: disabled
    };

    bool in_page(unsigned kinds, std::uint64_t la) const;
    bool outside_in_page(std::uint64_t la) const;
    void note(std::uint64_t first, unsigned size, bool write);
    std::uint32_t matches(unsigned kinds, std::uint64_t first, unsigned size) const;

    std::array<entry, 4> entries_;
    unsigned kinds_ = 0;  // of all entries
    const std::vector<outside_watch>* outside_ = nullptr;
    std::optional<outside_hit> hit_;
};

}  // namespace knc::isa

#endif
