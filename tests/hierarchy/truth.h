// What a few lines of memory hold, as all threads must see it, and every value they have had
// lately.
//
// Whoever stores holds the only copy, so stores to a line have an order in time, and a load returns
// what the last store before it left: one flat image that each store updates when it is performed.
// An uncached write counts from when it reaches the memory: no copies are left then. An uncached
// read may return any value its line had while the read was under way.
#ifndef KNC_TESTS_HIERARCHY_TRUTH_H
#define KNC_TESTS_HIERARCHY_TRUTH_H

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include <knc/coherence/memory_agent.h>

namespace knc::test {

using coherence::byte_mask;
using coherence::line_data;
using coherence::line_t;

class truth final : public coherence::line_store {
  public:
    static constexpr line_t first_line = 0x4000;

    // `lines` that threads use; those up to the end of the page exist for the prefetcher.
    truth(unsigned lines, std::uint64_t seed);

    // The bytes [paddr, paddr + size) now.
    void look(std::uint64_t paddr, unsigned size, std::uint8_t* data) const;
    // A store is performed.
    void store(std::uint64_t paddr, unsigned size, const std::uint8_t* data);
    // The same of any bytes of a line.
    void store_masked(line_t, byte_mask, const line_data&);

    // An uncached access begins; returns its number.
    std::uint32_t begin(bool write, std::uint64_t paddr, unsigned size, const std::uint8_t* data);
    // It ends; a read returned `data`. What is wrong, or "".
    std::string end(std::uint32_t number, const std::uint8_t* data);
    // Thread `key` stores to memory of type WC: to reach memory together with those of its stores
    // to the line before it that have not yet, or later.
    void combine(unsigned key, std::uint64_t paddr, unsigned size, const std::uint8_t* data);
    // Whether all stores so combined have reached memory.
    bool all_combined(unsigned key);
    // An uncached access to the line is under way.
    bool uncached(line_t) const;

    const line_data& line(line_t l) const { return lines_[l - first_line].image; }
    bool in_memory(line_t l) const {
        return lines_[l - first_line].image == lines_[l - first_line].memory;
    }
    unsigned used() const { return used_; }
    line_t end_line() const { return first_line + lines_.size(); }
    const std::string& error() const { return error_; }

    // coherence::line_store: the memory
    void read(line_t l, line_data& d) override { d = lines_[l - first_line].memory; }
    void write(line_t, const line_data&, byte_mask) override;
    // A debug access to everything that has the line.
    void debug_write(line_t l, const line_data& d, byte_mask mask);

  private:
    struct access {
        std::uint32_t number;
        bool write, performed, perhaps;
        byte_mask mask;
        line_data data;
        std::size_t seen;  // of a read: versions before it
    };
    struct combined {
        unsigned key;
        bool performed, perhaps;
        byte_mask mask;
        line_data data;
    };
    struct record {
        line_data image{}, memory{};
        std::vector<access> under_way;
        std::vector<combined> waiting;
        std::vector<line_data> versions;  // since the first of the reads under way began
    };

    static bool combination(record&, const line_data& now, byte_mask mask, bool otherwise);
    void changed(record&);

    unsigned used_;
    std::vector<record> lines_;
    std::uint32_t accesses_ = 0;
    std::string error_;
};

}  // namespace knc::test

#endif
