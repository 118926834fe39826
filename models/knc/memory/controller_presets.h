// The memory of each card: number of controllers, data rate, row count.
//
// Source: knc fact sheet 4.1. Every die has eight controllers of two 32-bit interfaces (McCalpin
// 2013). The 240 GB/s of the 3120A, read from its registers, are six of them at 5 GT/s; the 352
// GB/s of the 7120P are eight at 5.5 GT/s. The rates of the 5110P (from memory) and of the SE10P
// (peak quoted with the 7120's) are less certain. "mini" is this project's.
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
    std::uint32_t
        t_refi_ps;  // cards of 16 GB have chips of 4 Gbit with 16384 rows, the others 8192 rows

    // The peak bandwidth of all controllers together, in bytes per second.
    std::uint64_t peak() const { return std::uint64_t{controllers} * data_rate_mtps * 8'000'000; }

    // `rest` with the values that the card determines.
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
