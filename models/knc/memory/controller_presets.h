// The memory of the cards: how many controllers, how fast, how large.
//
// Source: knc fact sheet 4.1: eight controllers of two 32-bit interfaces on every die (McCalpin
// 2013); 240 GB/s of the 3120A, read from its registers, are six of them at 5 GT/s; 352 GB/s of the
// 7120P eight at 5.5. Rates of 5110P (from memory) and SE10P (peak quoted with the 7120's) are less
// sure. "mini" is this project's.
#ifndef KNC_MEMORY_CONTROLLER_PRESETS_H
#define KNC_MEMORY_CONTROLLER_PRESETS_H

#include <array>
#include <cstdint>
#include <string_view>

#include <knc/memory/controller.h>

namespace knc::memory {

struct card_memory {
    std::string_view card;
    std::uint32_t controllers;
    std::uint32_t data_rate_mtps;
    std::uint32_t t_refi_ps;  // 16 GB are chips of 4 Gbit with 16384 rows, the others have 8192

    // Bytes per second all controllers together can move at most.
    std::uint64_t peak() const { return std::uint64_t{controllers} * data_rate_mtps * 8'000'000; }

    // `rest` with what the card decides.
    controller_parameters parameters(controller_parameters rest = {}) const {
        rest.gddr5.data_rate_mtps = data_rate_mtps;
        rest.gddr5.t_refi_ps = t_refi_ps;
        return rest;
    }
};

inline constexpr std::array card_memories{
    card_memory{"mini", 1, 5000, 3'900'000},   //  40 GB/s
    card_memory{"3120a", 6, 5000, 3'900'000},  // 240 GB/s
    card_memory{"5110p", 8, 5000, 3'900'000},  // 320 GB/s
    card_memory{"5120d", 8, 5500, 3'900'000},  // 352 GB/s
    card_memory{"7120p", 8, 5500, 1'900'000},  // 352 GB/s
    card_memory{"se10p", 8, 5500, 3'900'000},  // 352 GB/s
};

}  // namespace knc::memory

#endif
