#include "source.h"

#include <array>
#include <iostream>

#include <gtest/gtest.h>

#include <support/environment_number.h>

#include "survey.h"

namespace knc::isa::test {
namespace {

using knc::test::environment_number;

using samples = std::vector<std::vector<std::uint8_t>>;

// Per code mode, per entry of the table that some profile executes: its samples. What ends a run
// comes from random bytes often enough.
const std::array<std::vector<samples>, 3>& originals() {
    static const auto all = [] {
        std::array<std::vector<samples>, 3> by_mode;
        for (const entry& e : survey()) {
            if (e.compat != verdict::executed && e.compat != verdict::undefined) continue;
            std::array<samples, 3> of;
            for (const sample& s : e.samples) of[static_cast<unsigned>(s.mode)].push_back(s.bytes);
            for (unsigned m = 0; m < of.size(); ++m)
                if (!of[m].empty()) by_mode[m].push_back(std::move(of[m]));
        }
        return by_mode;
    }();
    return all;
}

constexpr std::uint8_t prefixes[] = {0x26, 0x2E, 0x36, 0x3E, 0x64, 0x65, 0x66, 0x67,
                                     0xF0, 0xF2, 0xF3, 0x40, 0x41, 0x44, 0x48, 0x4F};
constexpr std::size_t longest = 15;

}  // namespace

std::uint64_t source::value() {
    switch (below(8)) {
        case 0:
            return below(64);
        case 1:
            return std::uint64_t{0} - below(64);
        case 2:
            return (std::uint64_t{1} << below(64)) - below(3);
        case 3:
            return any();
        case 4:  // borders of pages
            return (std::uint64_t{below(0x110)} << 12) - below(16);
        case 5:  // borders of what is canonical
            return 0x0000'8000'0000'0000 - below(16) + (chance(50) ? 0xffff'0000'0000'0000 : 0);
        default:
            return below(0x10'0000);
    }
}

std::vector<std::uint8_t> source::instruction(code_mode m) {
    std::vector<std::uint8_t> b;
    if (chance(10)) {
        b.resize(1 + below(longest));
        for (std::uint8_t& v : b) v = byte();
        return b;
    }
    const auto& entries = originals()[static_cast<unsigned>(m)];
    const samples& of = entries[below(static_cast<unsigned>(entries.size()))];
    b = of[below(static_cast<unsigned>(of.size()))];
    const auto size = static_cast<unsigned>(b.size());
    if (chance(70)) {
        // Behind the opcode: operands.
        for (std::size_t n = size - 1 - below(size); n < b.size(); ++n)
            if (n > 0) b[n] = chance(30) ? byte() : static_cast<std::uint8_t>(b[n] ^ below(8));
        for (unsigned more = below(6); more > 0; --more) b.push_back(byte());
    }
    if (chance(20)) b[below(size)] = byte();
    if (chance(20)) b.insert(b.begin(), prefixes[below(std::size(prefixes))]);
    if (b.size() > longest) b.resize(longest);
    return b;
}

std::vector<std::uint8_t> source::code(code_mode m, std::size_t size) {
    std::vector<std::uint8_t> all;
    while (all.size() < size) {
        const std::vector<std::uint8_t> i = instruction(m);
        all.insert(all.end(), i.begin(), i.end());
    }
    return all;
}

seed_range seeds_of(std::uint64_t cases) {
#ifdef KNC_SANITIZED
    cases = (cases + 9) / 10;
#endif
    const seed_range seeds{environment_number("KNC_SEED", 1),
                           environment_number("KNC_CASES", cases)};
    std::cout << "KNC_SEED=" << seeds.first << " KNC_CASES=" << seeds.count << '\n';
    return seeds;
}

void each_case(std::uint64_t cases, const std::function<void(source&)>& one) {
    const auto [first, count] = seeds_of(cases);
    for (std::uint64_t seed = first; seed < first + count; ++seed) {
        SCOPED_TRACE("KNC_SEED=" + std::to_string(seed) + " KNC_CASES=1");
        source s(seed);
        one(s);
        if (testing::Test::HasFailure()) return;
    }
}

}  // namespace knc::isa::test
