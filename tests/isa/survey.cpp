#include "survey.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>
#include <map>
#include <tuple>
#include <unordered_set>

#include <Zydis/Zydis.h>

#include <knc/isa/decoder.h>
#include <knc/isa/zydis_decoder.h>

#include "opcode_space.h"

namespace knc::isa::test {
namespace {

constexpr std::uint64_t form_attributes =
    ZYDIS_ATTRIB_HAS_LOCK | ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE;

// Registers by their class; those with a role of their own (segment, control, debug) by number.
std::uint64_t kind_of(const ZydisDecodedOperand& o) {
    std::uint64_t kind = o.type;
    if (o.type == ZYDIS_OPERAND_TYPE_REGISTER) {
        const ZydisRegisterClass c = ZydisRegisterGetClass(o.reg.value);
        kind |= static_cast<std::uint64_t>(c) << 4;
        if (c == ZYDIS_REGCLASS_SEGMENT || c == ZYDIS_REGCLASS_CONTROL || c == ZYDIS_REGCLASS_DEBUG)
            kind |= static_cast<std::uint64_t>(o.reg.value) << 12;
    } else if (o.type == ZYDIS_OPERAND_TYPE_MEMORY) {
        kind |= static_cast<std::uint64_t>(o.mem.type) << 4;
    }
    return kind << 16 | o.size;
}

// A number that differs for different forms.
std::uint64_t form_of(const ZydisDecodedInstruction& i, const ZydisDecodedOperand* ops) {
    std::uint64_t h = 0;
    const auto mix = [&h](std::uint64_t v) {
        h = (h ^ v) * 0x9e37'79b9'7f4a'7c15;
        h ^= h >> 29;
    };
    mix(i.mnemonic);
    mix(i.encoding);
    mix(i.meta.isa_set);
    mix(i.attributes & form_attributes);
    for (unsigned n = 0; n < i.operand_count_visible; ++n) mix(kind_of(ops[n]));
    return h;
}

// Headings for the instructions every x86-64 processor has, by category; the others have the name
// of their extension.
struct heading {
    ZydisInstructionCategory category;
    const char* title;
};
constexpr heading headings[] = {
    {ZYDIS_CATEGORY_BINARY, "Arithmetic and logic"},
    {ZYDIS_CATEGORY_DECIMAL, "Arithmetic and logic"},
    {ZYDIS_CATEGORY_LOGICAL, "Arithmetic and logic"},
    {ZYDIS_CATEGORY_SHIFT, "Shifts and rotates"},
    {ZYDIS_CATEGORY_ROTATE, "Shifts and rotates"},
    {ZYDIS_CATEGORY_BITBYTE, "Bits and conditions"},
    {ZYDIS_CATEGORY_SETCC, "Bits and conditions"},
    {ZYDIS_CATEGORY_CMOV, "Bits and conditions"},
    {ZYDIS_CATEGORY_DATAXFER, "Data transfer"},
    {ZYDIS_CATEGORY_CONVERT, "Data transfer"},
    {ZYDIS_CATEGORY_PUSH, "Data transfer"},
    {ZYDIS_CATEGORY_POP, "Data transfer"},
    {ZYDIS_CATEGORY_SEMAPHORE, "Data transfer"},
    {ZYDIS_CATEGORY_FLAGOP, "Flags"},
    {ZYDIS_CATEGORY_STRINGOP, "Strings"},
    {ZYDIS_CATEGORY_IO, "Ports"},
    {ZYDIS_CATEGORY_IOSTRINGOP, "Ports"},
    {ZYDIS_CATEGORY_COND_BR, "Control transfer"},
    {ZYDIS_CATEGORY_UNCOND_BR, "Control transfer"},
    {ZYDIS_CATEGORY_CALL, "Control transfer"},
    {ZYDIS_CATEGORY_RET, "Control transfer"},
    {ZYDIS_CATEGORY_INTERRUPT, "Control transfer"},
    {ZYDIS_CATEGORY_SYSCALL, "Control transfer"},
    {ZYDIS_CATEGORY_SYSRET, "Control transfer"},
    {ZYDIS_CATEGORY_SEGOP, "Segments and system"},
    {ZYDIS_CATEGORY_SYSTEM, "Segments and system"},
};

std::string family_of(const ZydisDecodedInstruction& i) {
    if (i.meta.isa_ext != ZYDIS_ISA_EXT_BASE && i.meta.isa_ext != ZYDIS_ISA_EXT_LONGMODE)
        return ZydisISAExtGetString(i.meta.isa_ext);
    const auto found =
        std::find_if(std::begin(headings), std::end(headings),
                     [&](const heading& h) { return h.category == i.meta.category; });
    return found != std::end(headings) ? found->title : "Miscellaneous";
}

std::string name_of(ZydisMnemonic m) {
    std::string name = ZydisMnemonicGetString(m);
    for (char& c : name) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    return name;
}

class collector {
  public:
    void look(code_mode mode, const encoding& e) {
        ZydisDecodedInstruction i;
        ZydisDecodedOperand ops[ZYDIS_MAX_OPERAND_COUNT];
        if (!decodes(mode, e, i, ops)) {
            look_at_memory_form(mode, e);
            return;
        }
        add(name_of(i.mnemonic), i, form_of(i, ops), {mode, {e.begin(), e.begin() + i.length}},
            hint_of(profile::knc, i));
    }
    std::vector<entry> take() {
        std::vector<entry> all;
        for (auto& [k, e] : entries_) {
            std::tie(e.family, e.mnemonic, e.knc, e.compat, e.hint, e.p55c, e.p55c_hint) = k;
            all.push_back(std::move(e));
        }
        return all;
    }

  private:
    static bool decodes(code_mode mode, const encoding& e, ZydisDecodedInstruction& i,
                        ZydisDecodedOperand* ops) {
        ZydisDecoderContext context;
        const ZydisDecoder& decoder = zydis_decoder(mode);
        return ZYAN_SUCCESS(
                   ZydisDecoderDecodeInstruction(&decoder, &context, e.data(), e.size(), &i)) &&
               ZYAN_SUCCESS(
                   ZydisDecoderDecodeOperands(&decoder, &context, &i, ops, i.operand_count));
    }
    static const char* hint_of(profile p, const ZydisDecodedInstruction& i) {
        const char* hint = "";
        refused(p, i, &hint);
        return hint;
    }
    // `e` is no instruction. The card's VEX instructions that take registers only are listed with
    // memory too: the bytes up to ModRM.
    void look_at_memory_form(code_mode mode, encoding e) {
        constexpr unsigned modrm = 4;
        if (e[0] != 0xC4 || e[modrm] >= 0xC0) return;
        const sample s{mode, {e.begin(), e.begin() + modrm + 1}};
        e[modrm] |= 0xC0;
        ZydisDecodedInstruction i;
        ZydisDecodedOperand ops[ZYDIS_MAX_OPERAND_COUNT];
        if (!decodes(mode, e, i, ops) || refused(profile::knc, i)) return;
        add(name_of(i.mnemonic) + " of memory", i, ~form_of(i, ops), s,
            "Knights Corner has this with registers only; load the operand first");
    }
    void add(const std::string& name, const ZydisDecodedInstruction& i, std::uint64_t form,
             const sample& s, const char* hint) {
        if (!known_[static_cast<unsigned>(s.mode)].insert(form).second) return;
        const verdict knc = verdict_of(profile::knc, s), compat = verdict_of(profile::compat, s),
                      p55c = verdict_of(profile::p55c, s);
        const char* const p55c_hint = p55c == verdict::refused ? hint_of(profile::p55c, i) : "";
        entries_[{family_of(i), name, knc, compat, hint, p55c, p55c_hint}].samples.push_back(s);
    }

    using key =
        std::tuple<std::string, std::string, verdict, verdict, std::string, verdict, std::string>;
    std::array<std::unordered_set<std::uint64_t>, 3> known_;
    std::map<key, entry> entries_;
};

}  // namespace

bool entry::in(code_mode m) const {
    return std::any_of(samples.begin(), samples.end(),
                       [m](const sample& s) { return s.mode == m; });
}

verdict entry::of(profile p) const {
    return p == profile::knc ? knc : p == profile::compat ? compat : p55c;
}

bool entry::of_vector_unit() const {
    const sample& s = samples.front();
    insn i;
    decode(profile::knc, s.mode, s.bytes.data(), static_cast<unsigned>(s.bytes.size()), i);
    return (i.flags & insn_vector) != 0;
}

std::vector<entry> survey() {
    collector all;
    for (const code_mode m : {code_mode::bits64, code_mode::bits32, code_mode::bits16})
        each_encoding(m, [&](const encoding& e) { all.look(m, e); });
    return all.take();
}

verdict verdict_of(profile p, const sample& s) {
    insn i;
    if (decode(p, s.mode, s.bytes.data(), static_cast<unsigned>(s.bytes.size()), i) !=
        decode_result::ok)
        return verdict::not_executed;
    if ((i.flags & insn_refused) != 0) return verdict::refused;
    if ((i.flags & insn_undefined) != 0) return verdict::undefined;
    return (i.flags & insn_not_executed) == 0 ? verdict::executed : verdict::not_executed;
}

}  // namespace knc::isa::test
