// What a card does with every instruction there is.
#ifndef KNC_TESTS_ISA_SURVEY_H
#define KNC_TESTS_ISA_SURVEY_H

#include <cstdint>
#include <string>
#include <vector>

#include <knc/isa/profile.h>
#include <knc/isa/state.h>

namespace knc::isa::test {

enum class verdict : std::uint8_t {
    executed,
    refused,    // #UD by profile, with a line for the log
    undefined,  // #UD by definition
    not_executed
};

// One encoding of one form (mnemonic, kinds and sizes of the operands, repetition, lock).
struct sample {
    code_mode mode;
    std::vector<std::uint8_t> bytes;
};

// The forms of a mnemonic that are treated alike.
struct entry {
    std::string mnemonic;
    std::string family;
    verdict knc, compat, p55c;
    std::string hint;       // of a refusal by knc or compat
    std::string p55c_hint;  // by p55c
    std::vector<sample> samples;

    bool in(code_mode) const;
    // Profile p55c has no 64-bit code.
    bool only_in_64_bit_code() const { return !in(code_mode::bits16) && !in(code_mode::bits32); }
    verdict of(profile) const;
    const std::string& hint_of(profile p) const { return p == profile::p55c ? p55c_hint : hint; }
    bool of_vector_unit() const;
};

// Ordered by family, mnemonic, and first appearance.
std::vector<entry> survey();

// What decode() decided about these bytes.
verdict verdict_of(profile, const sample&);

}  // namespace knc::isa::test

#endif
