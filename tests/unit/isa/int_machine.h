// One hardware thread on flat memory, for tests of instructions that need no tables.
//
// Linear and physical addresses are equal: 64-bit mode runs on an identity map of the first
// gigabyte in 2 MB pages, the other modes without paging. RAM is 256 KB at 0 and what add_ram() was
// given; the rest answers as a device that reads as all ones.
#ifndef KNC_TESTS_ISA_INT_MACHINE_H
#define KNC_TESTS_ISA_INT_MACHINE_H

#include <cstdint>

#include <support/isa_machine.h>

namespace knc::isa::test {

class int_machine : public isa_machine {
  public:
    static constexpr std::uint64_t low_ram = 0x40000, code_at = 0x8000, stack_at = 0x20000;

    // CPL 0 in 64-bit mode, flat 32-bit or flat-by-limit 16-bit (real) mode, RIP at code_at, RSP at
    // stack_at or, in 16-bit mode, in the first 64 KB.
    explicit int_machine(code_mode m, profile p = profile::knc);

    void user(unsigned cpl);  // further instructions run at this privilege

  private:
    void map_first_gigabyte();
};

}  // namespace knc::isa::test

#endif
