#include <knc/isa/code_map.h>

#include <new>

#include <knc/base/bits.h>

namespace knc::isa {

std::uint64_t code_map::line_mask(std::uint64_t paddr, unsigned size) {
    const unsigned first = line_in_page(paddr), last = line_in_page(paddr + size - 1);
    return base::mask(last - first + 1) << first;
}

code_map::lines code_map::no_lines(std::uint64_t pages) {
    lines l(static_cast<std::uint64_t*>(std::calloc(pages + 1, sizeof(std::uint64_t))));
    if (!l) throw std::bad_alloc();
    return l;
}

code_map::code_map(std::uint64_t memory_size)
    : pages_((memory_size + 0xfff) >> 12), lines_(no_lines(pages_)) {}

void code_map::reset() {
    lines_ = no_lines(pages_);
}

void code_map::mark(std::uint64_t paddr, unsigned size) {
    const std::uint64_t page = paddr >> 12;
    if (page >= pages_) return;
    std::uint64_t fresh = line_mask(paddr, size) & ~lines_[page];
    lines_[page] |= fresh;
    for (; fresh != 0; fresh &= fresh - 1) {
        const std::uint64_t line = page << 12 | static_cast<unsigned>(__builtin_ctzll(fresh))
                                                    << base::line_bits;
        for (observer* o : observers_) o->code_marked(line);
    }
}

void code_map::written(std::uint64_t paddr, unsigned size) {
    const std::uint64_t page = paddr >> 12;
    if (page >= pages_ || (lines_[page] & line_mask(paddr, size)) == 0) return;
    lines_[page] = 0;
    for (observer* o : observers_) o->code_dropped(page);
}

}  // namespace knc::isa
