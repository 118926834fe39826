// Tables of registers: one line per register.
//
// Models: name, address, reset value, access, reserved bits and meaning of each register, with the
// behaviour of a read and a write. Leaves out: the place of the values, and the answer to an access
// that a table refuses (both are the device's). All register blocks of the library use this type:
// the MSRs of a thread (knc/isa/msr.h) and of a PMU (knc/pmu/knc_registers.h), the pages of the
// local APIC (knc/apic/registers.h) and of the SBOX (knc/sbox/register_table.h).
#ifndef KNC_BASE_REGISTER_TABLE_H
#define KNC_BASE_REGISTER_TABLE_H

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <type_traits>

namespace knc::base {

enum class register_access : std::uint8_t { read_write, read_only, write_only };

// The value of a register after reset: a constant, or a function of the machine's configuration and
// of the register's index in its row.
template <typename word, typename machine>
class reset_value {
  public:
    using function = word (*)(const machine&, unsigned index);

    template <typename integer, typename = std::enable_if_t<std::is_integral_v<integer>>>
    constexpr reset_value(integer constant) : constant_(static_cast<word>(constant)) {}
    constexpr reset_value(function f) : function_(f) {}
    constexpr word operator()() const { return constant_; }
    word operator()(const machine& m, unsigned index) const {
        return function_ == nullptr ? constant_ : function_(m, index);
    }
    bool operator==(function f) const { return function_ == f; }

  private:
    word constant_ = 0;
    function function_ = nullptr;
};

struct no_configuration {};

// One register, or `count` registers of one name. `device` keeps and serves the registers; reset
// values may depend on `machine`.
template <typename word, typename device, typename machine = no_configuration>
struct register_row {
    // The register of an access, and the thread that makes it.
    struct place {
        const register_row* row = nullptr;  // nullptr: there is no such register
        unsigned index = 0;                 // of `count`
        std::uint8_t thread = 0;
        std::uint64_t now = 0;  // the clock of the access

        explicit operator bool() const { return row != nullptr; }
        std::uint32_t address() const { return row->address + index * row->stride; }
        // A register that contains `old`, after its writable bits have taken those of `value`.
        word merged(word old, word value) const {
            return static_cast<word>((old & ~row->writable) | (value & row->writable));
        }
    };
    struct behaviour {
        // nullptr: a read returns what the register keeps.
        word (*read)(const device&, const place&) = nullptr;
        // `value`: all bits that are written. nullptr: the writable bits take what is written, and
        // nothing else happens.
        void (*write)(device&, const place&, word value) = nullptr;
        // Whether the register can take a value whose reserved bits are right; nullptr: always.
        bool (*accepts)(const device&, word value) = nullptr;
    };

    std::uint32_t address;  // MSR number, or byte offset in the block; of the first register
    const char* name;
    register_access access;
    word writable;  // the other bits are reserved
    reset_value<word, machine> reset;
    behaviour does;
    const char* meaning;
    std::uint32_t count = 1;
    std::uint32_t stride = 1;  // from the address of one register to that of the next
};

// Whether rows are in order of their addresses, as register_table needs them.
template <typename rows>
constexpr bool in_order(const rows& table) {
    for (std::size_t i = 1; i < std::size(table); ++i) {
        if (table[i].address <= table[i - 1].address) return false;
    }
    return true;
}

// Rows of one block, in order of their addresses. `row` is a register_row or derived from one.
template <typename row>
class register_table {
  public:
    using place = typename row::place;

    template <std::size_t size>
    constexpr explicit register_table(const row (&rows)[size]) : first_(rows), last_(rows + size) {}

    const row* begin() const { return first_; }
    const row* end() const { return last_; }
    std::size_t size() const { return static_cast<std::size_t>(last_ - first_); }

    place find(std::uint32_t address) const {
        const row* r = std::upper_bound(
            first_, last_, address, [](std::uint32_t a, const row& x) { return a < x.address; });
        // Rows of several registers may interleave.
        while (r != first_) {
            --r;
            const std::uint32_t distance = address - r->address;
            if (distance == 0) return {r, 0};
            if (r->count > 1 && distance < r->count * r->stride && distance % r->stride == 0)
                return {r, distance / r->stride};
        }
        return {};
    }

  private:
    const row* first_;
    const row* last_;
};

}  // namespace knc::base

#endif
