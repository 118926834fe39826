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

// Per code mode, per entry of the table that knows the profile: its samples. What ends a run comes
// from random bytes often enough.
using by_mode = std::array<std::vector<samples>, 3>;
by_mode known_by(profile p) {
    by_mode all;
    for (const entry& e : survey()) {
        if (e.of(p) != verdict::executed && e.of(p) != verdict::undefined) continue;
        std::array<samples, 3> of;
        for (const sample& s : e.samples) of[static_cast<unsigned>(s.mode)].push_back(s.bytes);
        for (unsigned m = 0; m < of.size(); ++m)
            if (!of[m].empty()) all[m].push_back(std::move(of[m]));
    }
    return all;
}
const by_mode& originals(profile p) {
    static const by_mode compat = known_by(profile::compat), p55c = known_by(profile::p55c);
    return p == profile::p55c ? p55c : compat;
}

// The samples of the table that have an MVEX prefix.
const samples& mvex_originals() {
    static const auto all = [] {
        samples found;
        for (const samples& of :
             originals(profile::compat)[static_cast<unsigned>(code_mode::bits64)])
            for (const std::vector<std::uint8_t>& b : of)
                if (b[0] == 0x62 && b.size() > 5 && (b[2] & 4) == 0) found.push_back(b);
        return found;
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
        case 6:  // aligned as vectors are
            return below(0x4000) * 64;
        case 4:  // borders of pages
            return (std::uint64_t{below(0x110)} << 12) - below(16);
        case 5:  // borders of what is canonical
            return 0x0000'8000'0000'0000 - below(16) + (chance(50) ? 0xffff'0000'0000'0000 : 0);
        default:
            return below(0x10'0000);
    }
}

void source::vectors(vector_state& v) {
    for (vector_register& z : v.zmm) {
        const unsigned kind = below(3);
        const unsigned step = 1u << below(4);
        for (unsigned n = 0; n < 16; ++n)
            z.set<std::uint32_t>(n, static_cast<std::uint32_t>(kind == 0   ? below(64) * step
                                                               : kind == 1 ? value()
                                                                           : any()));
    }
    for (mask_t& k : v.k)
        k = static_cast<mask_t>(chance(20) ? 0xffff : chance(20) ? 1 << below(16) : any());
}

std::vector<std::uint8_t> source::vector_instruction() {
    const samples& of = mvex_originals();
    std::vector<std::uint8_t> b = of[below(static_cast<unsigned>(of.size()))];
    // Inverted bits of registers; the second source, often none; EH, SSS, and the mask.
    b[1] = static_cast<std::uint8_t>((b[1] & 0x0f) | (chance(30) ? byte() & 0xf0 : 0xf0));
    if (chance(50)) b[2] = static_cast<std::uint8_t>((b[2] & 0x87) | (byte() & 0x78));
    b[3] = static_cast<std::uint8_t>((chance(60) ? b[3] & 0xf0 : byte() & 0xf0) |
                                     (chance(90) ? 8 : 0) | below(8));
    std::uint8_t& modrm = b[5];
    const bool indexed = modrm < 0xc0 && (modrm & 7) == 4;
    if (chance(60)) modrm = static_cast<std::uint8_t>((modrm & 0xc7) | below(8) << 3);
    if (modrm >= 0xc0) {
        if (chance(70)) modrm = static_cast<std::uint8_t>((modrm & 0xf8) | below(8));
        b.resize(6);
    } else {
        const unsigned mod = below(3);
        const unsigned rm = indexed ? 4 : below(8);
        modrm = static_cast<std::uint8_t>((modrm & 0x38) | mod << 6 | rm);
        b.resize(6);
        if (rm == 4) b.push_back(byte());
        if (mod == 1) b.push_back(static_cast<std::uint8_t>(below(8) - 4));
        if (mod == 2 || (mod == 0 && rm == 5)) {
            b.push_back(chance(50) ? 0 : byte());
            b.insert(b.end(), 3, 0);
        }
    }
    b.push_back(byte());  // an immediate, or the next instruction
    return b;
}

std::vector<std::uint8_t> source::instruction(code_mode m) {
    std::vector<std::uint8_t> b;
    if (m == code_mode::bits64 && chance(25)) return vector_instruction();
    if (chance(10)) {
        b.resize(1 + below(longest));
        for (std::uint8_t& v : b) v = byte();
        return b;
    }
    const auto& entries = originals(profile_)[static_cast<unsigned>(m)];
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

void each_case(std::uint64_t cases, const std::function<void(source&)>& one, profile p) {
    const auto [first, count] = seeds_of(cases);
    for (std::uint64_t seed = first; seed < first + count; ++seed) {
        SCOPED_TRACE("KNC_SEED=" + std::to_string(seed) + " KNC_CASES=1");
        source s(seed, p);
        one(s);
        if (testing::Test::HasFailure()) return;
    }
}

}  // namespace knc::isa::test
