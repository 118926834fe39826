#include "document.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

namespace knc::isa::test {
namespace {

constexpr const char* introduction =
    R"(# Instructions

Every instruction that can be decoded with the decoder's settings, and what a card of each profile does with it.
The page is made by `isa_table docs/isa.md` (built with the tests); the test `isa_table.document.is_current` compares the two,
and the other `isa_table` tests execute each form of each instruction and require that it ends as stated here.

Profile p55c is a Pentium with MMX. It has no 64-bit code; a dash stands for what only such code has.

- **executed**: as the manual says, which may be a fault.
- **#UD (n)**: the profile has no such instruction. #UD is raised, and a line for the log gives the instruction, its
  address and hint n of the list below.
- **#UD**: undefined by definition. So is every encoding that is no instruction, unless it is listed: the memory forms
  of the card's own VEX instructions that take registers only.

*Sample* is one encoding, bytes in hexadecimal, in the first of the modes named (16-, 32- or 64-bit code). Extensions
have the decoder's names: KNC are the card's own VEX encodings, KNCE and KNCV its MVEX encodings.
)";

class writer {
  public:
    explicit writer(const std::vector<entry>& all) : all_(all) {
        for (const entry& e : all)
            for (const profile p : profiles)
                if (e.of(p) == verdict::refused && number_of(e.hint_of(p)) > hints_.size())
                    hints_.push_back(e.hint_of(p));
        std::sort(hints_.begin(), hints_.end());
    }

    std::string page() {
        text_ = introduction;
        summary();
        text_ += "\n## Hints\n\n";
        for (std::size_t n = 0; n < hints_.size(); ++n)
            text_ += fmt::format("{}. {}\n", n + 1, hints_[n]);
        section("Scalar instructions",
                [](const entry& e) { return !e.of_vector_unit() && !refused_by_all(e); });
        section("Vector unit", [](const entry& e) { return e.of_vector_unit(); });
        refused_section();
        return std::move(text_);
    }

  private:
    static constexpr profile profiles[] = {profile::knc, profile::compat, profile::p55c};

    static bool refused_by_all(const entry& e) {
        return std::all_of(std::begin(profiles), std::end(profiles),
                           [&](profile p) { return e.of(p) == verdict::refused; });
    }
    std::string state(profile p, const entry& e) const {
        if (p == profile::p55c && e.only_in_64_bit_code()) return "-";
        switch (e.of(p)) {
            case verdict::executed:
                return "executed";
            case verdict::refused:
                return fmt::format("#UD ({})", number_of(e.hint_of(p)));
            case verdict::undefined:
                return "#UD";
            default:
                return "not executed";
        }
    }
    std::size_t number_of(const std::string& hint) const {
        const auto found = std::find(hints_.begin(), hints_.end(), hint);
        return static_cast<std::size_t>(found - hints_.begin()) + 1;
    }

    static constexpr code_mode modes[] = {code_mode::bits16, code_mode::bits32, code_mode::bits64};

    static std::string modes_of(const entry& e) {
        constexpr const char* names[] = {"16", "32", "64"};
        std::string s;
        for (const code_mode m : modes)
            if (e.in(m)) s += std::string(s.empty() ? "" : " ") + names[static_cast<unsigned>(m)];
        return s;
    }
    // The sample of the first mode that has one.
    static std::string sample_of(const entry& e) {
        for (const code_mode m : modes)
            for (const sample& s : e.samples)
                if (s.mode == m) return fmt::format("{:02x}", fmt::join(s.bytes, " "));
        return {};
    }

    void summary() {
        text_ += "\n| | knc | compat | p55c |\n|---|---|---|---|\n";
        constexpr std::pair<verdict, const char*> lines[] = {
            {verdict::executed, "executed"},
            {verdict::refused, "#UD by profile"},
            {verdict::undefined, "#UD"},
            {verdict::not_executed, "not executed"}};
        for (const auto& [v, name] : lines) {
            const auto count = [&, v = v](profile p) {
                return std::count_if(all_.begin(), all_.end(), [&](const entry& e) {
                    return e.of(p) == v && !(p == profile::p55c && e.only_in_64_bit_code());
                });
            };
            const auto knc = count(profile::knc), compat = count(profile::compat),
                       p55c = count(profile::p55c);
            if (knc + compat + p55c != 0)
                text_ += fmt::format("| {} | {} | {} | {} |\n", name, knc, compat, p55c);
        }
    }

    template <class Which>
    void section(const char* title, Which which) {
        text_ += fmt::format("\n## {}\n", title);
        std::string family;
        for (const entry& e : all_) {
            if (!which(e)) continue;
            if (e.family != family)
                text_ += fmt::format(
                    "\n### {}\n\n| instruction | sample | modes | knc | compat | p55c |\n"
                    "|---|---|---|---|---|---|\n",
                    family = e.family);
            text_ += fmt::format("| {} | `{}` | {} | {} | {} | {} |\n", e.mnemonic, sample_of(e),
                                 modes_of(e), state(profile::knc, e), state(profile::compat, e),
                                 state(profile::p55c, e));
        }
    }

    // Families of which no profile has anything, as running text.
    void refused_section() {
        text_ +=
            "\n## Refused in all profiles\n\nThe second hint, or dash, is that of profile p55c.\n";
        std::string family, hints;
        for (const entry& e : all_) {
            if (!refused_by_all(e)) continue;
            const std::string both =
                state(profile::compat, e) + ", p55c " + state(profile::p55c, e);
            if (e.family != family || both != hints) {
                end_paragraph();
                text_ += fmt::format("\n**{}**, {}:\n", e.family, both);
            }
            family = e.family;
            hints = both;
            word(fmt::format("{} `{}`", e.mnemonic, sample_of(e)));
        }
        end_paragraph();
    }
    void word(const std::string& w) {
        constexpr std::size_t width = 118;
        if (!line_.empty()) line_ += ", ";
        if (line_.size() + w.size() > width) {
            line_.pop_back();
            text_ += line_ + "\n";
            line_.clear();
        }
        line_ += w;
    }
    void end_paragraph() {
        if (!line_.empty()) text_ += line_ + "\n";
        line_.clear();
    }

    const std::vector<entry>& all_;
    std::vector<std::string> hints_;
    std::string text_, line_;
};

}  // namespace

std::string document(const std::vector<entry>& all) {
    return writer(all).page();
}

}  // namespace knc::isa::test
