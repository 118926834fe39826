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
    verdict knc, compat;
    std::string hint;  // of a refusal
    std::vector<sample> samples;

    bool in(code_mode) const;
    bool of_vector_unit() const;
};

// Ordered by family, mnemonic, and first appearance.
std::vector<entry> survey();

// What decode() decided about these bytes.
verdict verdict_of(profile, const sample&);

}  // namespace knc::isa::test

#endif
