// Names of registers, and which syntax a statement has.
#ifndef KNC_SW_TOOLS_KNC_AS_REGISTERS_H
#define KNC_SW_TOOLS_KNC_AS_REGISTERS_H

#include <string>

#include <Zydis/Zydis.h>

namespace knc_as {

// As .att_syntax and .intel_syntax choose it.
struct syntax {
    bool intel = false;
    bool prefix = true;  // a register needs % in front
};

// The register that `text` names; ZYDIS_REGISTER_NONE if it names none. The prefix % is allowed in
// every syntax.
ZydisRegister find_register(const std::string& text, const syntax& s);

}  // namespace knc_as

#endif
