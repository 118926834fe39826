#include <knc/core/issue_rules.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>
#include <sstream>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <Zydis/Mnemonic.h>
#include <fmt/format.h>

#include <knc/isa/state.h>

namespace knc::core {
namespace {

bool has(const isa::insn& i, std::uint32_t flags) {
    return (i.flags & flags) != 0;
}
isa::register_set general(isa::register_set registers) {
    return registers & isa::general_registers;
}
// Whether the source is a segment register: then the register sets contain no source operand. MOV
// AX, AX looks the same, because a 16-bit destination is a source too.
bool names_no_source(const isa::insn& i) {
    const isa::register_set kept = i.size == 2 ? i.writes : 0;
    return i.size != 1 && !i.immediate && !has(i, isa::insn_reads) && general(i.reads & ~kept) == 0;
}

#define KNC_ISSUE_FORM(name, text, test)                                                \
    bool is_##name([[maybe_unused]] const isa::insn& i, [[maybe_unused]] bool memory) { \
        return test;                                                                    \
    }                                                                                   \
    constexpr const char* text_of_##name = text;
#include <knc/core/issue_rules.def>
#undef KNC_ISSUE_FORM

struct line {
    issue_rule rule;
    bool (*fits)(const isa::insn&, bool memory);
};

constexpr x87_latency held(std::uint8_t clocks) {
    return {clocks, true};
}

constexpr x87_latency shifter(std::uint8_t clocks) {
    return {clocks, false, mmx_unit::shifter};
}
constexpr x87_latency multiplier(std::uint8_t clocks) {
    return {clocks, false, mmx_unit::multiplier};
}

constexpr line lines[] = {
#define KNC_ISSUE_RULE(mnemonics, form, where, clocks, read, rmw, set_up, microcode, latency, \
                       source)                                                                \
    {{mnemonics, text_of_##form, pipe::where, clocks, read, rmw, set_up, microcode, latency,  \
      source},                                                                                \
     is_##form},
#include <knc/core/issue_rules.def>
#undef KNC_ISSUE_RULE
};
constexpr std::size_t line_count = std::size(lines);
static_assert(line_count <= 256, "issue_class::rule holds the number of a line");

std::vector<std::string> words(const char* text) {
    std::istringstream in(text);
    return {std::istream_iterator<std::string>(in), {}};
}

// The lines of each mnemonic, in table order.
class line_index {
  public:
    line_index() {
        std::unordered_map<std::string_view, std::size_t> number;
        for (std::size_t m = 0; m < of_.size(); ++m)
            number[ZydisMnemonicGetString(static_cast<ZydisMnemonic>(m))] = m;
        for (std::size_t n = 0; n < line_count; ++n)
            for (const std::string& name : words(lines[n].rule.mnemonics))
                if (const auto m = number.find(name); m != number.end())
                    of_[m->second].push_back(static_cast<std::uint8_t>(n));
    }
    const std::vector<std::uint8_t>& of(std::uint16_t mnemonic) const { return of_[mnemonic]; }

  private:
    std::array<std::vector<std::uint8_t>, ZYDIS_MNEMONIC_MAX_VALUE + 1> of_;
};

std::uint8_t find_line(const isa::insn& i, bool memory) {
    static const line_index index;
    constexpr std::uint8_t anything = line_count - 1;
    if (has(i, isa::insn_refused | isa::insn_undefined)) return anything;
    const std::vector<std::uint8_t>& candidates = index.of(i.mnemonic);
    const auto n = std::find_if(candidates.begin(), candidates.end(),
                                [&](std::uint8_t c) { return lines[c].fits(i, memory); });
    return n == candidates.end() ? anything : *n;
}

core::pipe without_v(core::pipe p) {
    return p == pipe::uv || p == pipe::u ? pipe::u : pipe::none;
}

// PUSH, POP and CALL. The register sets do not contain their implicit use of the stack pointer,
// because two of them can pair. An instruction that names the stack pointer does not pair with
// them.
constexpr std::uint32_t stack_pointer = 1u << isa::rsp;
std::uint32_t implicit_stack(const isa::insn& i) {
    const bool moves = i.mnemonic == ZYDIS_MNEMONIC_PUSH || i.mnemonic == ZYDIS_MNEMONIC_POP ||
                       i.mnemonic == ZYDIS_MNEMONIC_CALL;
    return moves ? stack_pointer : 0;
}

std::string clocks_text(unsigned clocks) {
    return clocks == 0 ? "" : std::to_string(clocks);
}
std::string latency_text(const x87_latency& l) {
    constexpr const char* units[] = {"", ", shifter", ", multiplier"};
    return clocks_text(l.clocks) + (l.unit_held ? ", unit held" : "") +
           units[static_cast<unsigned>(l.unit)];
}

// Whether an MMX instruction accesses memory or a general register; it then pairs with MMX only.
bool leaves_mmx(const isa::insn& i) {
    return has(i, isa::insn_reads | isa::insn_writes) || general(i.reads | i.writes) != 0;
}

bool mmx_may_pair(const isa::insn& u, const issue_class& first, const isa::insn& v,
                  const issue_class& second) {
    if (!has(u, isa::insn_mmx)) return !leaves_mmx(v);
    if (!has(v, isa::insn_mmx)) return !leaves_mmx(u);
    const mmx_unit unit = lines[first.rule].rule.latency.unit;
    if (unit != mmx_unit::none && unit == lines[second.rule].rule.latency.unit) return false;
    return (u.writes & (v.reads | v.writes) & isa::x87_registers) == 0;
}

}  // namespace

std::size_t issue_rules() {
    return line_count;
}

const issue_rule& issue_rule_at(std::size_t n) {
    return lines[n].rule;
}

issue_class classify(const isa::insn& i, prefix_cost cost) {
    const bool reads = has(i, isa::insn_reads), writes = has(i, isa::insn_writes);
    issue_class c{};
    c.rule = find_line(i, reads || writes);
    const issue_rule& r = lines[c.rule].rule;
    c.read_modify_write = reads && writes && r.read_modify_write != 0;
    c.clocks = c.read_modify_write ? r.read_modify_write : reads && r.read != 0 ? r.read : r.clocks;
    c.pipe = r.pipe;
    if (i.prefixes != 0) {
        c.pipe = without_v(c.pipe);
        // A REP string instruction is decoded once, during its set-up.
        if (r.set_up == 0 && cost == prefix_cost::decoder)
            c.clocks = std::max<std::uint16_t>(c.clocks, i.prefixes + 1u);
    }
    if (i.displacement && i.immediate) c.pipe = pipe::none;
    return c;
}

void set_issue_properties(isa::insn& i, prefix_cost cost) {
    const issue_class k = classify(i, cost);
    i.pipe = static_cast<unsigned>(k.pipe) & 3u;
    i.clocks = k.clocks;
    i.rule = k.rule;
    i.read_modify_write = k.read_modify_write;
    // Its store may have to wait after its load, if it goes to a device.
    constexpr std::uint32_t both = isa::insn_reads | isa::insn_writes;
    if ((i.flags & both) == both) i.flags |= isa::insn_several_accesses;
    const issue_rule& rule = issue_rule_at(k.rule);
    i.x87_held = rule.latency.unit_held;
    if (rule.microcode)
        i.flags |= isa::insn_microcode;
    else
        i.flags &= ~std::uint32_t{isa::insn_microcode};
}

bool may_pair(const isa::insn& u, const issue_class& first, const isa::insn& v,
              const issue_class& second) {
    if (first.pipe != pipe::u && first.pipe != pipe::uv) return false;
    if (second.pipe != pipe::v && second.pipe != pipe::uv) return false;
    // The only x87 instruction of the V pipe is FXCH, and only after another x87 instruction.
    if (has(u, isa::insn_x87) != has(v, isa::insn_x87)) return false;
    if ((has(u, isa::insn_mmx) || has(v, isa::insn_mmx)) && !mmx_may_pair(u, first, v, second))
        return false;

    // The flags cause no dependency: an instruction for the V pipe that reads them is a branch,
    // which resolves after both.
    const isa::register_set written = general(u.writes);
    const isa::register_set used = general(v.reads | v.writes | v.address);
    if ((written & used) != 0) return false;
    constexpr isa::register_set of_vectors = isa::vector_registers | isa::mask_registers;
    const bool vectors = has(u, isa::insn_vector) && has(v, isa::insn_vector);
    if (vectors && (u.writes & (v.reads | v.writes) & of_vectors) != 0) return false;
    const std::uint32_t u_stack = implicit_stack(u), v_stack = implicit_stack(v);
    if ((written & v_stack) != 0) return false;
    return (u_stack & used) == 0;
}

unsigned pair_cycles(const issue_class& u, const issue_class& v) {
    // The second instruction's read overlaps the first one's write; nothing else overlaps.
    if (u.read_modify_write && v.read_modify_write) return u.clocks + v.clocks - 1u;
    return std::max(u.clocks, v.clocks);
}

std::string issue_rules_page() {
    constexpr const char* pipes[] = {"-", "U", "V", "UV"};
    std::string text =
        "| instructions | form | pipe | clocks | read | read-modify-write | REP set-up | microcode "
        "| "
        "latency | source |\n|---|---|---|---|---|---|---|---|---|---|\n";
    for (const line& l : lines) {
        const issue_rule& r = l.rule;
        std::string names = r.mnemonics;
        std::transform(names.begin(), names.end(), names.begin(),
                       [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
        text += fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |\n",
                            names.empty() ? "everything else" : names, r.form,
                            pipes[static_cast<unsigned>(r.pipe)], r.clocks, clocks_text(r.read),
                            clocks_text(r.read_modify_write), clocks_text(r.set_up),
                            r.microcode ? "yes" : "", latency_text(r.latency), r.source);
    }
    return text;
}

}  // namespace knc::core
