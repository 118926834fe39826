#include "registers.h"

#include <map>

#include "text.h"

namespace knc_as {
namespace {

bool is_used(ZydisRegisterClass c) {
    return c == ZYDIS_REGCLASS_GPR32 || c == ZYDIS_REGCLASS_GPR64 || c == ZYDIS_REGCLASS_ZMM ||
           c == ZYDIS_REGCLASS_MASK || c == ZYDIS_REGCLASS_SEGMENT || c == ZYDIS_REGCLASS_IP;
}

std::map<std::string, ZydisRegister> make_table() {
    std::map<std::string, ZydisRegister> t;
    for (int n = ZYDIS_REGISTER_NONE + 1; n <= ZYDIS_REGISTER_MAX_VALUE; ++n) {
        const auto r = static_cast<ZydisRegister>(n);
        if (is_used(ZydisRegisterGetClass(r))) t[ZydisRegisterGetString(r)] = r;
    }
    return t;
}

}  // namespace

ZydisRegister find_register(const std::string& text, const syntax& s) {
    static const std::map<std::string, ZydisRegister> all = make_table();
    std::string name = lower(trimmed(text));
    if (!name.empty() && name[0] == '%')
        name = trimmed(name.substr(1));
    else if (s.prefix)
        return ZYDIS_REGISTER_NONE;
    const auto found = all.find(name);
    return found == all.end() ? ZYDIS_REGISTER_NONE : found->second;
}

}  // namespace knc_as
