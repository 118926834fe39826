// The bytes of memory by line, as the memory controllers access them.
//
// Models: a write invalidates the code decoded from the line, because it may come from an agent
// without a cache. A line beyond the end of memory reads as all ones and ignores writes, as
// everywhere on the card. Leaves out: time.
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
    void expect(coherence::line_t line) const override {
        if (line < lines_) __builtin_prefetch(bytes_ + line * coherence::line_bytes);
    }
    bool only_bytes(coherence::line_t line) const override {
        return line >= lines_ || !code_.holds_code(line * coherence::line_bytes);
    }

  private:
    std::uint8_t* bytes_;
    coherence::line_t lines_;
    isa::code_map& code_;
};

}  // namespace knc::card

#endif
