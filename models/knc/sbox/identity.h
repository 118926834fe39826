// The identification of a card in the SBOX after its bootstrap: scratchpads, clock ratios.
//
// Models: the fields whose meaning is known; the others are 0. Source: the host driver and the
// card's kernel, which read them (mic_x100.h, intelmic.c, micras). A 3120A has 0x040001C1 in
// scratchpad 2, 0x2800E6CF in scratchpad 4, 0x80010416 in COREFREQ and 0x04160416 in CURRENTRATIO;
// a card with its parameters has the same values here.
#ifndef KNC_SBOX_IDENTITY_H
#define KNC_SBOX_IDENTITY_H

#include <cstdint>

#include <knc/sbox/parameters.h>

namespace knc::sbox {

struct identity {
    std::uint64_t clock_hz = 1'100'000'000;
    std::uint64_t memory_bytes = 6ull << 30;
    std::uint32_t cores = 57;     // 1-62
    std::uint32_t channels = 12;  // of GDDR5, two per controller
    std::uint32_t data_rate_mtps = 5'000;
    std::uint32_t l2_bytes = 512u << 10;
    std::uint32_t boot_apic_id = 224;
    std::uint32_t signature = 0xb12;  // CPUID leaf 1, EAX
    sbox::parameters parameters;
};

// The core clock of the clock generator: (4000 MHz / reference) * feedback / forward.
struct core_ratio {
    std::uint32_t reference;  // 1-31, about 20
    std::uint32_t feedback;   // 8-15, with forward 1 also 16
    std::uint32_t forward;    // 1, 2 or 4
    // Bits 11:0 of COREFREQ and CURRENTRATIO: feedback at 8:1, forward coded at 10:9.
    std::uint32_t code() const;
};
// The ratio nearest to `clock_hz`; among equal ones, that whose reference is nearest to 20.
core_ratio core_ratio_of(std::uint64_t clock_hz);

// The ratio code of the memory clock, which is half the data rate: 100 MHz * feedback / forward,
// with feedback at 8:1 and forward (2, 4 or 8) coded at 10:9. 0 if the clock generator cannot
// produce the clock.
std::uint32_t memory_ratio_code(std::uint32_t data_rate_mtps);

std::uint32_t current_ratio(const identity&);
std::uint32_t core_frequency(const identity&);
// Scratchpad `n`, 0-15.
std::uint32_t scratchpad(const identity&, unsigned n);

}  // namespace knc::sbox

#endif
