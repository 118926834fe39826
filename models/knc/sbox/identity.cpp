#include <knc/sbox/identity.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>

namespace knc::sbox {

namespace {

constexpr std::int64_t generator_hz = 4'000'000'000;
constexpr std::uint32_t most_reference = 31, nominal_reference = 20;
constexpr std::uint32_t least_feedback = 8;
constexpr std::uint32_t all_threads = 0xf;

constexpr std::uint32_t memory_step_mhz = 100;
struct memory_divider {
    std::uint32_t forward, least, most;  // feedback
};
constexpr memory_divider memory_dividers[] = {{2, 20, 65}, {4, 20, 44}, {8, 20, 44}};

// Forward dividers are coded in steps of two, starting with the smallest, which is 3.
constexpr std::uint32_t ratio_code(std::uint32_t step, std::uint32_t feedback) {
    return (3 - step) << 9 | feedback << 1;
}

constexpr std::uint32_t most_feedback(std::uint32_t forward) {
    return forward == 1 ? 16 : 15;
}

}  // namespace

std::uint32_t core_ratio::code() const {
    return ratio_code(forward / 2, feedback);
}

core_ratio core_ratio_of(std::uint64_t clock_hz) {
    core_ratio best{nominal_reference, least_feedback, 1};
    // Compares distances as fractions with a common denominator.
    __extension__ using wide = __int128;
    const auto distance = [clock_hz](const core_ratio& r) {
        const wide d = wide{generator_hz} * r.feedback - wide{clock_hz} * r.reference * r.forward;
        return d < 0 ? -d : d;
    };
    const auto from_nominal = [](const core_ratio& r) {
        return std::abs(static_cast<int>(r.reference) - static_cast<int>(nominal_reference));
    };
    for (std::uint32_t forward = 1; forward <= 4; forward *= 2)
        for (std::uint32_t feedback = least_feedback; feedback <= most_feedback(forward);
             ++feedback)
            for (std::uint32_t reference = 1; reference <= most_reference; ++reference) {
                const core_ratio r{reference, feedback, forward};
                const wide a = distance(r) * best.reference * best.forward;
                const wide b = distance(best) * r.reference * r.forward;
                if (a < b || (a == b && from_nominal(r) < from_nominal(best))) best = r;
            }
    return best;
}

std::uint32_t memory_ratio_code(std::uint32_t data_rate_mtps) {
    for (std::uint32_t step = 0; step < std::size(memory_dividers); ++step) {
        const memory_divider& d = memory_dividers[step];
        const std::uint32_t feedback = data_rate_mtps * d.forward / (2 * memory_step_mhz);
        if (feedback >= d.least && feedback <= d.most) return ratio_code(step, feedback);
    }
    return 0;
}

// Bits 11:0 are the present ratio, 27:16 the target ratio.
std::uint32_t current_ratio(const identity& i) {
    const std::uint32_t code = core_ratio_of(i.clock_hz).code();
    return code << 16 | code;
}

// Bit 31: the programmed ratio is active; bit 16: asynchronous mode.
std::uint32_t core_frequency(const identity& i) {
    return 1u << 31 | 1u << 16 | core_ratio_of(i.clock_hz).code();
}

std::uint32_t scratchpad(const identity& i, unsigned n) {
    switch (n) {
        case 0:  // 31:3 KB of memory; 2:1 the part of it in use (0: all); 0 memory test skipped
            return static_cast<std::uint32_t>(i.memory_bytes >> 10) << 3;
        case 2:  // 31:12 address of the image, 9:1 APIC ID of the boot processor, 0 ready
            return (i.parameters.download_address & ~std::uint32_t{0xfff}) |
                   (i.boot_apic_id & 0x1ff) << 1 | 1;
        case 4: {  // 29:25 reference divider, 15:10 cores, 9:6 channels - 1, 5:4 L2, 3:0 threads
            const std::uint32_t l2 = i.l2_bytes == 256u << 10 ? 3 : 0;
            const std::uint32_t channels = std::clamp(i.channels, 1u, 16u) - 1;
            return core_ratio_of(i.clock_hz).reference << 25 | (i.cores & 0x3f) << 10 |
                   channels << 6 | l2 << 4 | all_threads;
        }
        case 9:  // 26:16 ratio of the memory clock
            return memory_ratio_code(i.data_rate_mtps) << 16;
        case 13:  // 31:4 the signature of CPUID; 3:0 revision of the stepping
            return i.signature << 4;
        default:
            return 0;
    }
}

}  // namespace knc::sbox
