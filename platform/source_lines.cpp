#include <platform/source_lines.h>

#include <algorithm>
#include <cstdlib>

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <libelf.h>

#include <platform/utf8.h>

namespace platform {

namespace {

struct end_elf {
    void operator()(Elf* e) const { elf_end(e); }
};
struct end_dwarf {
    void operator()(Dwarf* d) const { dwarf_end(d); }
};
struct free_memory {
    void operator()(void* p) const { std::free(p); }
};

// A compilation unit and a range of its addresses.
struct unit_range {
    std::uint64_t low, high;
    Dwarf_Off unit;
};

source_position position_of(Dwarf_Die& unit, std::uint64_t address) {
    Dwarf_Line* const line = dwarf_getsrc_die(&unit, address);
    int number = 0;
    const char* const file = line == nullptr ? nullptr : dwarf_linesrc(line, nullptr, nullptr);
    if (file == nullptr || dwarf_lineno(line, &number) != 0 || number <= 0) return {};
    return {as_name(file), static_cast<unsigned>(number)};
}

}  // namespace

struct source_lines::information {
    std::unique_ptr<Elf, end_elf> elf;
    std::unique_ptr<Dwarf, end_dwarf> dwarf;
    std::vector<unit_range> ranges;  // by address

    explicit information(const image& i) {
        if (elf_version(EV_CURRENT) == EV_NONE) return;
        // libelf does not write to a file that it has from memory.
        elf.reset(elf_memory(const_cast<char*>(i.file.data()), i.file.size()));
        if (!elf) return;
        dwarf.reset(dwarf_begin_elf(elf.get(), DWARF_C_READ, nullptr));
        if (!dwarf) return;
        Dwarf_CU* unit = nullptr;
        Dwarf_Die die;
        while (dwarf_get_units(dwarf.get(), unit, &unit, nullptr, nullptr, &die, nullptr) == 0)
            add_ranges(die, i);
        std::sort(ranges.begin(), ranges.end(),
                  [](const unit_range& a, const unit_range& b) { return a.low < b.low; });
    }

    // What the linker has left out lies at 0, where no image has code.
    void add_ranges(Dwarf_Die& unit, const image& i) {
        Dwarf_Addr base = 0, low = 0, high = 0;
        std::ptrdiff_t offset = 0;
        while ((offset = dwarf_ranges(&unit, offset, &base, &low, &high)) > 0) {
            const bool code =
                std::any_of(i.segments.begin(), i.segments.end(), [&](const segment& s) {
                    return s.executable && low - s.virtual_address < s.memory_size;
                });
            if (code && low < high) ranges.push_back({low, high, dwarf_dieoffset(&unit)});
        }
    }

    bool unit_at(std::uint64_t address, Dwarf_Die& unit) const {
        auto after =
            std::upper_bound(ranges.begin(), ranges.end(), address,
                             [](std::uint64_t a, const unit_range& r) { return a < r.low; });
        if (after == ranges.begin()) return false;
        const unit_range& r = *std::prev(after);
        return address < r.high && dwarf_offdie(dwarf.get(), r.unit, &unit) != nullptr;
    }
};

source_lines::source_lines(const image& i) : info_(std::make_unique<information>(i)) {}
source_lines::~source_lines() = default;

source_place source_lines::at(std::uint64_t address) const {
    source_place place;
    Dwarf_Die unit;
    if (!info_->unit_at(address, unit)) return place;
    place.at = position_of(unit, address);

    Dwarf_Die* found = nullptr;
    if (dwarf_getscopes(&unit, address, &found) <= 0) return place;
    const std::unique_ptr<Dwarf_Die, free_memory> innermost{found};
    // The scopes of an inlined function lead on to its definition; the parents of its copy lead to
    // the function that contains it.
    Dwarf_Die* parents = nullptr;
    const int count = dwarf_getscopes_die(innermost.get(), &parents);
    const std::unique_ptr<Dwarf_Die, free_memory> owner{parents};
    for (int n = 0; n < count; ++n) {
        const int tag = dwarf_tag(&parents[n]);
        if (tag == DW_TAG_subprogram) break;
        if (tag != DW_TAG_inlined_subroutine) continue;
        const char* const name = dwarf_diename(&parents[n]);
        if (name != nullptr) place.inlined.push_back(as_name(name));
    }
    return place;
}

}  // namespace platform
