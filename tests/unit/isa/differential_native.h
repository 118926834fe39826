// Executes one instruction on the host processor in a controlled state.
//
// A region at a fixed address below 4 GB holds the code that loads and saves the registers, the
// instruction, and the data it may touch; the model's memory mirrors the data part at the same
// addresses. 32-bit code runs in compatibility mode. For x86-64 Linux hosts; available() says
// whether the region could be had.
#ifndef KNC_TESTS_ISA_DIFFERENTIAL_NATIVE_H
#define KNC_TESTS_ISA_DIFFERENTIAL_NATIVE_H

#include <array>
#include <cstddef>
#include <cstdint>

#include <knc/isa/state.h>

namespace knc::isa::test {

// Registers and flags before or after; RSP is an ordinary register of it.
struct native_state {
    std::array<std::uint64_t, 16> r{};
    std::uint64_t flags = 2;
};

enum class outcome : std::uint8_t {
    next,    // went on behind the instruction
    target,  // arrived at native_processor::branch_target
    divide_error,
    undefined,
    other_fault
};

// Who made the processor: Intel's agree with one another where the manual leaves something open.
enum class host : std::uint8_t { intel, other };
host host_processor();

class native_processor {
  public:
    static constexpr std::uint64_t region = 0x2000'0000, code = region + 0x1000,
                                   instruction = code + 0x800, branch_target = instruction + 0x40,
                                   data = region + 0x2000;
    static constexpr std::size_t data_size = 0x3000;

    native_processor();
    ~native_processor();
    native_processor(const native_processor&) = delete;
    native_processor& operator=(const native_processor&) = delete;

    bool available() const { return mapped_; }
    // Not every kernel lets programs run 32-bit code.
    bool runs(code_mode);
    std::uint8_t* memory() { return reinterpret_cast<std::uint8_t*>(data); }
    // Mode: 64 or 32 bits, the latter with the lower halves of eight registers.
    outcome run(code_mode, const std::uint8_t* bytes, std::size_t size, native_state& state);

  private:
    static void emit_frame64();
    static void emit_frame32();

    bool mapped_ = false;
};

}  // namespace knc::isa::test

#endif
