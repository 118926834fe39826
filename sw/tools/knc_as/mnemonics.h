// The instructions that this program assembles: those of Knights Corner that other processors lack,
// or encode in another way.
#ifndef KNC_SW_TOOLS_KNC_AS_MNEMONICS_H
#define KNC_SW_TOOLS_KNC_AS_MNEMONICS_H

#include <optional>
#include <string>

#include <Zydis/Zydis.h>

namespace knc_as {

struct meaning {
    ZydisMnemonic mnemonic;
    int predicate = -1;          // a comparison's immediate that is part of the name
    unsigned register_bits = 0;  // of a name with the suffix l or q
};

// Case does not matter. Nothing: the assembler knows what it is.
std::optional<meaning> find_mnemonic(const std::string& name);

}  // namespace knc_as

#endif
