// States of a world as short byte strings, equal for states that differ only in the numbering of
// tiles and lines.
#ifndef KNC_TESTS_COHERENCE_CODEC_H
#define KNC_TESTS_COHERENCE_CODEC_H

#include <string>
#include <vector>

#include "world.h"

namespace knc::coherence::test {

class codec {
  public:
    explicit codec(world& w);

    // The canonical form: the least of the codes of all renumberings.
    const std::string& save();
    // Puts the world into the state. What is latest is version 1, anything older 0.
    void load(const std::uint8_t* code, std::size_t size);

  private:
    struct numbering {
        std::vector<std::uint8_t> tile, line;        // new number of each
        std::vector<std::uint8_t> at_tile, at_line;  // and back
    };

    void tile_codes(const numbering& n);
    void try_orders(numbering& n, unsigned position);
    void encode(const numbering& n);
    void put_home(const numbering& n, unsigned line);
    void put_l3(const numbering& n, unsigned line);
    void put_operation(unsigned line);
    void load_operation(unsigned line, unsigned operation);
    static bool for_nobody(message_kind);
    void put_message(const numbering& n, const message& m, std::uint32_t& code) const;
    unsigned node_code(const numbering& n, node_t node) const;
    unsigned word_bits(unsigned line, const line_data& d) const;
    void put(unsigned byte) { trial_.push_back(static_cast<char>(byte)); }

    void load_cache(unsigned tile);
    void load_home(unsigned line);
    void load_l3(unsigned line);
    message load_message(std::uint32_t code);
    std::uint8_t get() { return *next_++; }

    world& w_;
    unsigned tiles_, lines_;
    numbering trying_;
    std::vector<std::uint32_t> tile_code_;
    std::vector<directory_record> homes_;
    std::vector<knc::cache::l3_record> l3_;
    std::vector<std::uint32_t> messages_;
    std::string trial_, best_;
    bool have_best_ = false;
    const std::uint8_t* next_ = nullptr;
    std::vector<l2_agent::victim> victims_;
};

}  // namespace knc::coherence::test

#endif
