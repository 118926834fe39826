#include "modifiers.h"

#include <algorithm>
#include <iterator>

#include "text.h"

namespace knc_as {
namespace {

struct word {
    const char* name;
    modifiers means;
};

constexpr modifiers swizzle(ZydisSwizzleMode m) {
    modifiers r;
    r.swizzle = m;
    return r;
}
constexpr modifiers broadcast(ZydisBroadcastMode m) {
    modifiers r;
    r.broadcast = m;
    return r;
}
constexpr modifiers conversion(ZydisConversionMode m) {
    modifiers r;
    r.conversion = m;
    return r;
}
constexpr modifiers rounding(ZydisRoundingMode m, bool suppress) {
    modifiers r;
    r.rounding = m;
    r.suppress_exceptions = suppress;
    return r;
}
constexpr modifiers suppress() {
    modifiers r;
    r.suppress_exceptions = true;
    return r;
}
constexpr modifiers evict() {
    modifiers r;
    r.evict = true;
    return r;
}

constexpr word words[] = {
    {"dcba", swizzle(ZYDIS_SWIZZLE_MODE_DCBA)},
    {"cdab", swizzle(ZYDIS_SWIZZLE_MODE_CDAB)},
    {"badc", swizzle(ZYDIS_SWIZZLE_MODE_BADC)},
    {"dacb", swizzle(ZYDIS_SWIZZLE_MODE_DACB)},
    {"aaaa", swizzle(ZYDIS_SWIZZLE_MODE_AAAA)},
    {"bbbb", swizzle(ZYDIS_SWIZZLE_MODE_BBBB)},
    {"cccc", swizzle(ZYDIS_SWIZZLE_MODE_CCCC)},
    {"dddd", swizzle(ZYDIS_SWIZZLE_MODE_DDDD)},
    {"1to8", broadcast(ZYDIS_BROADCAST_MODE_1_TO_8)},
    {"1to16", broadcast(ZYDIS_BROADCAST_MODE_1_TO_16)},
    {"4to8", broadcast(ZYDIS_BROADCAST_MODE_4_TO_8)},
    {"4to16", broadcast(ZYDIS_BROADCAST_MODE_4_TO_16)},
    {"float16", conversion(ZYDIS_CONVERSION_MODE_FLOAT16)},
    {"sint8", conversion(ZYDIS_CONVERSION_MODE_SINT8)},
    {"uint8", conversion(ZYDIS_CONVERSION_MODE_UINT8)},
    {"sint16", conversion(ZYDIS_CONVERSION_MODE_SINT16)},
    {"uint16", conversion(ZYDIS_CONVERSION_MODE_UINT16)},
    {"rn", rounding(ZYDIS_ROUNDING_MODE_RN, false)},
    {"rd", rounding(ZYDIS_ROUNDING_MODE_RD, false)},
    {"ru", rounding(ZYDIS_ROUNDING_MODE_RU, false)},
    {"rz", rounding(ZYDIS_ROUNDING_MODE_RZ, false)},
    {"rn-sae", rounding(ZYDIS_ROUNDING_MODE_RN, true)},
    {"rd-sae", rounding(ZYDIS_ROUNDING_MODE_RD, true)},
    {"ru-sae", rounding(ZYDIS_ROUNDING_MODE_RU, true)},
    {"rz-sae", rounding(ZYDIS_ROUNDING_MODE_RZ, true)},
    {"sae", suppress()},
    {"eh", evict()},
};

modifiers mask_of(const std::string& name) {
    modifiers r;
    if (name == "k0") throw statement_error("{k0} is no mask: leave it out");
    r.mask = static_cast<ZydisRegister>(ZYDIS_REGISTER_K0 + (name[1] - '0'));
    return r;
}

modifiers meaning_of(const std::string& name) {
    const std::string mask = name[0] == '%' ? name.substr(1) : name;
    if (mask.size() == 2 && mask[0] == 'k' && mask[1] >= '0' && mask[1] <= '7')
        return mask_of(mask);
    const auto found = std::find_if(std::begin(words), std::end(words),
                                    [&](const word& w) { return name == w.name; });
    if (found == std::end(words)) throw statement_error("unknown modifier {" + name + "}");
    return found->means;
}

template <class Field>
void merge_field(Field& into, Field from) {
    if (from == Field{}) return;
    if (into != Field{}) throw statement_error("two modifiers of one kind");
    into = from;
}

}  // namespace

modifiers take_modifiers(std::string& text) {
    modifiers all;
    const auto first = text.find('{');
    if (first == std::string::npos) return all;
    std::string groups = trimmed(text.substr(first));
    while (!groups.empty()) {
        if (groups[0] != '{') throw statement_error("braces stand behind an operand");
        const auto close = groups.find('}');
        if (close == std::string::npos) throw statement_error("a brace is not closed");
        merge(all, meaning_of(lower(trimmed(groups.substr(1, close - 1)))));
        groups = trimmed(groups.substr(close + 1));
    }
    text = trimmed(text.substr(0, first));
    return all;
}

void merge(modifiers& into, const modifiers& from) {
    merge_field(into.mask, from.mask);
    merge_field(into.swizzle, from.swizzle);
    merge_field(into.broadcast, from.broadcast);
    merge_field(into.conversion, from.conversion);
    merge_field(into.rounding, from.rounding);
    merge_field(into.suppress_exceptions, from.suppress_exceptions);
    merge_field(into.evict, from.evict);
}

}  // namespace knc_as
