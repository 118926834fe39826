// Groups of stack words that an event, a far transfer or IRET moves as one.
//
// Models: frames pushed on a given stack (which may not be the present one) all or nothing, and
// frames popped from the present stack. Leaves out: PUSH, POP, near CALL and RET.
// Source: Intel SDM vol. 3, 6.12 to 6.14.
#ifndef KNC_ISA_FAR_STACK_H
#define KNC_ISA_FAR_STACK_H

#include <array>
#include <cstdint>

#include <knc/isa/context.h>

namespace knc::isa {

// A stack at a privilege level: SS with the pointer into it.
struct far_stack {
    segment ss;
    std::uint64_t sp = 0;
    std::uint8_t cpl = 0;
    std::uint32_t error = 0;  // error code of the #SS when there is no room
    bool wide = false;        // 64-bit mode: no segment, canonical addresses

    std::uint64_t mask() const;  // bits of RSP it uses
};

// The stack the thread is on.
far_stack present_stack(const context&);
// Makes `k` the thread's RSP. SS and CPL are the caller's.
void set_stack_pointer(context&, const far_stack& k);

class frame {
  public:
    // `width`: bytes per word, 2, 4 or 8.
    explicit frame(unsigned width) : width_(width) {}
    void push(std::uint64_t value) { words_[count_++] = value; }
    // Writes the words to the stack, first pushed highest, and moves k.sp. False: nothing written.
    bool write(context&, far_stack& k) const;

  private:
    unsigned width_;
    unsigned count_ = 0;
    std::array<std::uint64_t, 40> words_{};  // a 16-bit call gate copies up to 31 parameters
};

// Reads `count` words of `width` bytes from the present stack at SP + `skip` bytes, the top word
// first. RSP does not move.
bool read_stack(context&, unsigned width, unsigned count, std::uint64_t* words,
                std::uint64_t skip = 0);
// RSP plus `bytes`, within the bits the stack uses.
void drop_from_stack(context&, std::uint64_t bytes);

}  // namespace knc::isa

#endif
