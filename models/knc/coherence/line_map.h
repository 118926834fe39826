// A hash map from line numbers to small values, for directories and backing stores.
//
// Uses open addressing with linear probing and no tombstones: a lookup touches neighbouring cells,
// and a map that has reached its final size allocates no memory. A pointer into the map is valid
// until the next insertion or removal. Leaves out: line number 2^64 - 1, which marks a free cell.
#ifndef KNC_COHERENCE_LINE_MAP_H
#define KNC_COHERENCE_LINE_MAP_H

#include <utility>
#include <vector>

#include <knc/coherence/message.h>

namespace knc::coherence {

template <class T>
class line_map {
  public:
    line_map() : cells_(initial_size) {}

    std::size_t size() const { return used_; }

    T* find(line_t line) {
        cell& c = cells_[probe(line)];
        return c.line == line ? &c.value : nullptr;
    }
    const T* find(line_t line) const { return const_cast<line_map*>(this)->find(line); }

    // The host fetches what a search for the line reads first.
    void expect(line_t line) const { __builtin_prefetch(&cells_[place(line)]); }

    // The value of the line. Inserts a default value if the line has none.
    T& operator[](line_t line) {
        std::size_t n = probe(line);
        if (cells_[n].line != line) {
            if ((used_ + 1) * 4 > cells_.size() * 3) {
                grow();
                n = probe(line);
            }
            cells_[n].line = line;
            ++used_;
        }
        return cells_[n].value;
    }

    void erase(line_t line) {
        std::size_t hole = probe(line);
        if (cells_[hole].line != line) return;
        --used_;
        // Moves back each later cell of the cluster that the hole would make unreachable.
        for (std::size_t n = next(hole); cells_[n].line != none; n = next(n)) {
            const std::size_t wanted = place(cells_[n].line);
            if (((n - wanted) & mask_) < ((n - hole) & mask_)) continue;
            cells_[hole] = std::move(cells_[n]);
            hole = n;
        }
        cells_[hole] = cell{};
    }

    void clear() {
        for (cell& c : cells_) c = cell{};
        used_ = 0;
    }

    // Calls visit(line, value) for each line. The order is unspecified but reproducible.
    template <class Visit>
    void for_each(Visit visit) const {
        for (const cell& c : cells_)
            if (c.line != none) visit(c.line, c.value);
    }

  private:
    static constexpr line_t none = ~line_t{0};
    static constexpr std::size_t initial_size = 8;  // a power of two, like all sizes

    struct cell {
        line_t line = none;
        T value{};
    };

    std::size_t next(std::size_t n) const { return (n + 1) & mask_; }
    // Fibonacci hashing: the upper bits of the product are well mixed.
    std::size_t place(line_t line) const { return line * 0x9E3779B97F4A7C15 >> 32 & mask_; }
    // The cell of the line, or the free cell where the line belongs.
    std::size_t probe(line_t line) const {
        std::size_t n = place(line);
        while (cells_[n].line != line && cells_[n].line != none) n = next(n);
        return n;
    }
    void grow() {
        std::vector<cell> old(cells_.size() * 2);
        old.swap(cells_);
        mask_ = cells_.size() - 1;
        for (cell& c : old)
            if (c.line != none) cells_[probe(c.line)] = std::move(c);
    }

    std::vector<cell> cells_;
    std::size_t mask_ = initial_size - 1;
    std::size_t used_ = 0;
};

}  // namespace knc::coherence

#endif
