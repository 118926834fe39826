// The memory's bytes by line, as the memory controllers read and write them. What was decoded from
// a line that is written is void: the write may be one past all caches.
//
// Leaves out: addresses nothing answers at. A line beyond the end of the memory reads as all ones
// and is not written, as anywhere on the card.
#ifndef KNC_CARD_RAM_LINES_H
#define KNC_CARD_RAM_LINES_H

#include <cstring>

#include <knc/coherence/memory_agent.h>
#include <knc/isa/code_map.h>
#include <knc/memory/ram.h>

namespace knc::card {

class ram_lines final : public coherence::line_store {
  public:
    ram_lines(memory::ram& r, isa::code_map& code)
        : bytes_(r.data()), lines_(r.size() / coherence::line_bytes), code_(code) {}

    void read(coherence::line_t line, coherence::line_data& d) override {
        if (line < lines_)
            std::memcpy(d.data(), bytes_ + line * coherence::line_bytes, d.size());
        else
            d.fill(0xff);
    }
    void write(coherence::line_t line, const coherence::line_data& d,
               coherence::byte_mask mask) override {
        if (line >= lines_) return;
        const std::uint64_t paddr = line * coherence::line_bytes;
        coherence::copy_bytes(bytes_ + paddr, d.data(), mask);
        if (code_.holds_code(paddr)) code_.written(paddr, coherence::line_bytes);
    }

  private:
    std::uint8_t* bytes_;
    coherence::line_t lines_;
    isa::code_map& code_;
};

}  // namespace knc::card

#endif
