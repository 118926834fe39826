// An access split into parts that each lie in one line.
#ifndef KNC_CARD_EACH_LINE_H
#define KNC_CARD_EACH_LINE_H

#include <algorithm>
#include <cstdint>

#include <knc/coherence/message.h>

namespace knc::card {

// Calls visit(line, offset in it, size, bytes of the access before it) for each part of [address,
// address + size), in order.
template <class Visit>
void each_line(std::uint64_t address, std::uint64_t size, Visit visit) {
    for (std::uint64_t done = 0; done < size;) {
        const std::uint64_t at = address + done;
        const auto offset = static_cast<unsigned>(at % coherence::line_bytes);
        const auto part = static_cast<unsigned>(
            std::min<std::uint64_t>(size - done, coherence::line_bytes - offset));
        visit(at / coherence::line_bytes, offset, part, done);
        done += part;
    }
}

}  // namespace knc::card

#endif
