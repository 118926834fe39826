// The mapping of lines to directory slices and memory controllers.
//
// Models: a uniform hash of lines over the slices of all tiles, and of blocks of lines over all
// controllers. Any n consecutive lines (blocks) that start at a multiple of n are spread over n
// slices (controllers), one each. A hash of the group's number rotates the order inside the group.
// So all shares are equal, and strides that are multiples of n are spread too. Leaves out: the
// card's own function, which is not published. Source: "hashed uniformly over tag directories and
// over memory controllers" (Hot Chips 2012); the function and its seeds are decisions,
// docs/coherence.md.
#ifndef KNC_COHERENCE_ADDRESS_HASH_H
#define KNC_COHERENCE_ADDRESS_HASH_H

#include <knc/coherence/message.h>

namespace knc::coherence {

struct hash_parameters {
    // Any two different numbers. They make the choice of the slice independent of the choice of the
    // controller. Unverified: the card's hash is not published.
    std::uint64_t directory_seed = 0x6B6E632D74640001;
    std::uint64_t controller_seed = 0x6B6E632D6D630002;
    // Consecutive lines of one controller, a power of two up to 2^16. It decides how often several
    // streams find open rows (docs/memory.md). Unverified.
    std::uint32_t block_lines = 8;
};

class address_hash {
  public:
    // `tiles` 1..64, `controllers` 1..64. Throws std::invalid_argument if block_lines is invalid.
    address_hash(unsigned tiles, unsigned controllers, const hash_parameters& p = {});

    // The tile whose directory slice is the home of the line.
    node_t home(line_t line) const { return place(line, tiles_, seeds_.directory_seed); }
    // The node of the memory controller that stores the line.
    node_t controller(line_t line) const {
        return static_cast<node_t>(
            first_controller + place(line >> block_bits_, controllers_, seeds_.controller_seed));
    }
    // The line's index among the lines of its controller: dense and unique.
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
