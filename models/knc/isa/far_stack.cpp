#include <knc/isa/far_stack.h>

#include <cstring>

#include <knc/isa/segmentation.h>

namespace knc::isa {

std::uint64_t far_stack::mask() const {
    if (wide) return ~std::uint64_t{0};
    return ss.big() ? 0xffff'ffffu : 0xffffu;
}

far_stack present_stack(const context& c) {
    return {c.s.seg[isa::ss], c.s.r[rsp], c.s.cpl, 0, c.s.mode == code_mode::bits64};
}

void set_stack_pointer(context& c, const far_stack& k) {
    const std::uint64_t m = k.mask();
    const std::uint64_t kept = m == 0xffff ? c.s.r[rsp] & ~m : 0;
    c.s.r[rsp] = kept | (k.sp & m);
}

bool frame::write(context& c, far_stack& k) const {
    std::array<std::uint8_t, 40 * 8> bytes;
    const unsigned size = width_ * count_;
    for (unsigned n = 0; n < count_; ++n) {
        std::memcpy(bytes.data() + (count_ - 1 - n) * width_, &words_[n], width_);
    }
    const std::uint64_t top = (k.sp - size) & k.mask();
    const bool room =
        k.wide ? canonical_range(top, size) : k.ss.usable() && within_limit(k.ss, top, size);
    if (!room) {
        c.raise(vector_ss, k.error);
        return false;
    }
    const std::uint64_t la = k.wide ? top : k.ss.base + top;
    if (!c.write_system(la, size, bytes.data(), k.cpl == 3, width_)) return false;
    k.sp = top;
    return true;
}

bool read_stack(context& c, unsigned width, unsigned count, std::uint64_t* words,
                std::uint64_t skip) {
    std::array<std::uint8_t, 31 * 4> bytes;  // the parameters of a call gate
    const std::uint64_t at = (c.s.r[rsp] + skip) & present_stack(c).mask();
    if (!c.read(ss, at, width * count, bytes.data())) return false;
    for (unsigned n = 0; n < count; ++n) {
        words[n] = 0;
        std::memcpy(&words[n], bytes.data() + n * width, width);
    }
    return true;
}

void drop_from_stack(context& c, std::uint64_t count) {
    far_stack k = present_stack(c);
    k.sp += count;
    set_stack_pointer(c, k);
}

}  // namespace knc::isa
