#include <platform/function_table.h>

#include <algorithm>
#include <tuple>

namespace platform {

namespace {

constexpr std::uint64_t top = ~std::uint64_t{0};

// The end of the executable segment that holds `address`; 0: none does.
std::uint64_t end_of_code(const image& i, std::uint64_t address) {
    for (const segment& s : i.segments)
        if (s.executable && address - s.virtual_address < s.memory_size)
            return s.virtual_address + s.memory_size;
    return 0;
}

// The symbols of code, those of one address in the order in which they are wanted.
std::vector<const symbol*> code_symbols(const image& i) {
    std::vector<const symbol*> all;
    for (const symbol& s : i.symbols)
        if ((s.function || s.label) && s.address + s.size >= s.address) all.push_back(&s);
    std::stable_sort(all.begin(), all.end(), [](const symbol* a, const symbol* b) {
        return std::tuple(a->address, a->size == 0, !a->function, a->rank, a->name) <
               std::tuple(b->address, b->size == 0, !b->function, b->rank, b->name);
    });
    return all;
}

}  // namespace

function_table::function_table(const image& i) {
    // A function without a size ends where the next one begins; inside another one it is a label.
    const std::vector<const symbol*> all = code_symbols(i);
    std::uint64_t sized_end = 0;
    for (std::size_t n = 0; n < all.size(); ++n) {
        const symbol& s = *all[n];
        if (n != 0 && s.address == all[n - 1]->address) continue;
        std::uint64_t size = s.size;
        if (size == 0) {
            std::uint64_t end = end_of_code(i, s.address);
            if (s.address < sized_end || end == 0) continue;
            for (std::size_t m = n + 1; m < all.size() && all[m]->address < end; ++m)
                if (all[m]->address != s.address) end = all[m]->address;
            size = end - s.address;
        }
        sized_end = std::max(sized_end, s.address + s.size);
        functions_.push_back({s.address, size, s.name});
    }
    // The functions that have begun and not ended, the innermost last.
    std::vector<std::size_t> open;
    std::uint64_t from = 0;
    const auto close_until = [&](std::uint64_t address) {
        while (!open.empty()) {
            const function& f = functions_[open.back()];
            const std::uint64_t end = std::min(address, f.address + f.size);
            if (end > from) {
                stretches_.push_back({from, end, open.back()});
                from = end;
            }
            if (f.address + f.size > address) return;
            open.pop_back();
        }
    };
    for (std::size_t n = 0; n < functions_.size(); ++n) {
        close_until(functions_[n].address);
        from = functions_[n].address;
        open.push_back(n);
    }
    close_until(top);
}

function_table::stretch function_table::at(std::uint64_t address) const {
    const auto after =
        std::upper_bound(stretches_.begin(), stretches_.end(), address,
                         [](std::uint64_t a, const stretch& s) { return a < s.low; });
    const std::uint64_t next = after == stretches_.end() ? top : after->low;
    if (after == stretches_.begin()) return {0, next, none};
    const stretch& before = *std::prev(after);
    if (address < before.high) return before;
    return {before.high, next, none};
}

const function* function_table::find(std::uint64_t address) const {
    const std::size_t f = at(address).function;
    return f == none ? nullptr : &functions_[f];
}

}  // namespace platform
