// A program that loads 3 * 64 lines one after the other, and measures the time of each 64. The
// first 64 loads also bring the code into the caches. The others show the cost of a miss.
#ifndef CONSUMER_THREE_PASSES_H
#define CONSUMER_THREE_PASSES_H

#include <cstdint>

#include <knc/card/card.h>

#include "program_host.h"

namespace three_passes {

constexpr std::uint32_t program_at = 0x100000, sum_at = 0x180000, cycles_at = 0x180004,
                        data_at = 0x200000, line = 64, lines = 64, passes = 3,
                        pass_bytes = lines * line, exit_code = 7;

// Whether a line is one that the third pass reads.
constexpr bool is_last_pass(std::uint64_t line_number) {
    return line_number >= (data_at + 2 * pass_bytes) / line;
}

asm(R"(
        .pushsection .rodata
        .code32
three_passes_begin:
        movl    $0, 0x180000
        xorl    %ebx, %ebx
        movl    $0x200000, %ebp
        xorl    %esi, %esi
1:      rdtsc
        movl    %eax, %edi
        movl    $64, %ecx
2:      addl    (%ebp), %ebx
        addl    $64, %ebp
        decl    %ecx
        jnz     2b
        rdtsc
        subl    %edi, %eax
        movl    %eax, 0x180004(,%esi,4)
        incl    %esi
        cmpl    $3, %esi
        jnz     1b
        movl    %ebx, 0x180000
        movl    $7, 0xfef00100              # exit register of the test device
        hlt
three_passes_end:
        .code64
        .popsection
)");
extern "C" const unsigned char three_passes_begin[], three_passes_end[];

// A card of one tile without a stream prefetcher: each load of a new line misses.
inline knc::card::parameters parameters() {
    knc::card::parameters p;
    p.tiles = 1;
    p.cache.prefetch.streams = 0;
    return p;
}

struct host : program_host {
    explicit host(sc_core::sc_module_name name)
        : program_host(name, program_at, three_passes_begin, three_passes_end) {
        prepare = [this] {
            for (std::uint32_t n = 0; n < passes * lines; ++n) put(data_at + n * line, n + 1);
        };
    }
    // The program has ended, and a line of the third pass took `more` cycles more than one before.
    void expect_result(const knc::card::card& card, std::uint32_t more) {
        constexpr std::uint32_t n = passes * lines;
        expect(card.result().reason == knc::card::stop_reason::firmware, "ended by the program");
        expect(card.result().code == exit_code, "with its code");
        expect(word(sum_at) == n * (n + 1) / 2, "each line was read once");
        expect(cycles(2) - cycles(1) == lines * more,
               "each of the later lines took that much longer");
    }
    std::uint32_t cycles(unsigned pass) { return word(cycles_at + 4 * pass); }
};

}  // namespace three_passes

#endif
