// Visits every state a world can reach and checks each.
//
// Breadth first, so that the way to an error is a shortest one. States are kept whole, not as
// hashes: nothing is left to chance.
#ifndef KNC_TESTS_COHERENCE_EXPLORER_H
#define KNC_TESTS_COHERENCE_EXPLORER_H

#include <string>

#include "world.h"

namespace knc::coherence::test {

struct exploration {
    std::size_t states = 0;  // up to renumbering of tiles and lines
    std::size_t steps = 0;
    std::size_t at_rest = 0;  // states with nothing under way
    std::string error;        // empty, or what is wrong
    std::string way;          // the steps that lead there, one a line
    bool complete = false;    // all states were visited
};

// Stops at the first error, or at `most` states.
exploration explore(const world_parameters& p, std::size_t most = ~std::size_t{0});

}  // namespace knc::coherence::test

#endif
