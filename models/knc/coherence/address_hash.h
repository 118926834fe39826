// Which directory slice and which memory controller a line belongs to.
//
// Models: a uniform hash of lines over the slices of all tiles and of blocks of lines over all
// controllers. Of any n consecutive lines (blocks) that start at a multiple of n, each of n slices
// (controllers) has exactly one: its place in that group is rotated by a hash of the group's
// number. So shares are equal, and strides that are multiples of n still spread. Leaves out: the
// card's own function, which is not published.
// Source: "hashed uniformly over tag directories and over memory controllers" (Hot Chips 2012);
// the function and its seeds are decisions, docs/coherence.md.
#ifndef KNC_COHERENCE_ADDRESS_HASH_H
#define KNC_COHERENCE_ADDRESS_HASH_H

#include <knc/coherence/message.h>

namespace knc::coherence {

struct hash_parameters {
    // Any two different numbers: what makes slices and controllers independent of each other.
    // Unverified: the card's hash is not published.
    std::uint64_t directory_seed = 0x6B6E632D74640001;
    std::uint64_t controller_seed = 0x6B6E632D6D630002;
    // Consecutive lines of one controller, a power of two up to 2^16. Unverified: what lets
    // several streams find open rows (docs/memory.md).
    std::uint32_t block_lines = 8;
};

class address_hash {
  public:
    // `tiles` 1..64, `controllers` 1..64. Throws std::invalid_argument: block_lines.
    address_hash(unsigned tiles, unsigned controllers, const hash_parameters& p = {});

    // The tile whose directory slice is home of the line.
    node_t home(line_t line) const { return place(line, tiles_, seeds_.directory_seed); }
    // The node of the memory controller that has the line.
    node_t controller(line_t line) const {
        return static_cast<node_t>(
            first_controller + place(line >> block_bits_, controllers_, seeds_.controller_seed));
    }
    // The line's number among the lines of its controller: dense, and no two lines of one
    // controller share it.
    line_t line_of_controller(line_t line) const {
        return (line >> block_bits_) / controllers_ << block_bits_ | (line & block_mask_);
    }

    unsigned tiles() const { return tiles_; }
    unsigned controllers() const { return controllers_; }

  private:
    static node_t place(line_t number, unsigned n, std::uint64_t seed);

    unsigned tiles_;
    unsigned controllers_;
    hash_parameters seeds_;
    unsigned block_bits_ = 0;
    line_t block_mask_;
};

}  // namespace knc::coherence

#endif
