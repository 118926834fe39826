#include "harness.h"

#include <initializer_list>

namespace knc::kernels {

namespace {

bool is_fault(std::uint32_t v) {
    return v == 0 || (v >= 5 && v <= 7) || v == 16;
}
bool has_error_code(std::uint32_t v) {
    return v == 8 || (v >= 10 && v <= 14) || v == 17;
}

constexpr std::uint64_t present = 0x3, large = 0x80, hint_64k = std::uint64_t{1} << 51;

}  // namespace

machine::machine(const card::parameters& p, const char* name) : rig(name, p) {
    put(0x8008, std::uint64_t{0x00cf'9b00'0000'ffff});           // flat code
    put(0x8010, std::uint64_t{0x00cf'9300'0000'ffff});           // flat data
    put(0x80a0, std::uint64_t{0x8000} << 16 | 0x1f);             // GDTR
    put(0x80a8, std::uint64_t{0x8100} << 16 | (0x80 * 8 - 1));   // IDTR
    put(0x80b0, std::uint64_t{0xe000} << 16 | (0x41 * 16 - 1));  // IDTR of 64-bit code
    for (std::uint32_t v = 0; v < 0x80; ++v) {
        put(0x8100 + 8 * v, std::uint64_t{handler(v)} | 0x8e00'0008'0000);
        put_handler(v);
    }
    // 64-bit code: #PF, whose handler skips two bytes too, and the interrupt.
    put(0xe000 + 16 * 14, std::uint64_t{0x3800} | 0x8e00'0008'0000);
    put_bytes(0x3800, {0x48, 0x83, 0x44, 0x24, 0x08, 0x02,  // addq $2, 8(%rsp)
                       0x48, 0x83, 0xc4, 0x08,              // addq $8, %rsp
                       0x48, 0xcf});                        // iretq
    put(0xe000 + 16 * vector, std::uint64_t{0x3810} | 0x8e00'0008'0000);
    put_bytes(0x3810, {0x48, 0xcf});
    put_page_tables();
}

void machine::put_bytes(std::uint32_t at, std::initializer_list<std::uint8_t> bytes) {
    for (const std::uint8_t b : bytes) put(at++, b);
}

void machine::put_handler(std::uint32_t v) {
    const std::uint32_t at = handler(v);
    if (has_error_code(v))  // addl $2, 4(%esp); addl $4, %esp; iret
        put_bytes(at, {0x83, 0x44, 0x24, 0x04, 0x02, 0x83, 0xc4, 0x04, 0xcf});
    else if (is_fault(v))  // addl $2, (%esp); iret
        put_bytes(at, {0x83, 0x04, 0x24, 0x02, 0xcf});
    else
        put_bytes(at, {0xcf});
}

void machine::put_page_tables() {
    constexpr std::uint32_t directory = 0xb000, small = 0xc000, medium = 0xd000;
    const auto region = [](std::uint64_t n) { return n << 21; };
    put(directory + 8 * 1, small | present);
    put(directory + 8 * 3, medium | present);
    for (const std::uint32_t n : {2u, 4u, 6u, 8u, 10u})
        put(directory + 8 * n, region(2) | present | large);
    put(directory + 8 * 5, region(0) | present | large);
    for (std::uint32_t n = 0; n < 256; ++n) {
        put(small + 8 * n, region(1) | std::uint64_t{n} << 12 | present);
        put(medium + 8 * n, region(3) | std::uint64_t{n} << 12 | present | hint_64k);
    }
}

}  // namespace knc::kernels
