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
            if (e.knc == verdict::refused &&
                std::find(hints_.begin(), hints_.end(), e.hint) == hints_.end())
                hints_.push_back(e.hint);
        std::sort(hints_.begin(), hints_.end());
    }

    std::string page() {
        text_ = introduction;
        summary();
        text_ += "\n## Hints\n\n";
        for (std::size_t n = 0; n < hints_.size(); ++n)
            text_ += fmt::format("{}. {}\n", n + 1, hints_[n]);
        section("Scalar instructions",
                [](const entry& e) { return !e.of_vector_unit() && e.compat != verdict::refused; });
        section("Vector unit", [](const entry& e) { return e.of_vector_unit(); });
        refused_section();
        return std::move(text_);
    }

  private:
    std::string state(verdict v, const entry& e) const {
        switch (v) {
            case verdict::executed:
                return "executed";
            case verdict::refused:
                return fmt::format("#UD ({})", number_of(e.hint));
            case verdict::undefined:
                return "#UD";
            default:
                return "not executed";
        }
    }
    std::ptrdiff_t number_of(const std::string& hint) const {
        return std::find(hints_.begin(), hints_.end(), hint) - hints_.begin() + 1;
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
        text_ += "\n| | knc | compat |\n|---|---|---|\n";
        constexpr std::pair<verdict, const char*> lines[] = {
            {verdict::executed, "executed"},
            {verdict::refused, "#UD by profile"},
            {verdict::undefined, "#UD"},
            {verdict::not_executed, "not executed"}};
        for (const auto& [v, name] : lines) {
            const auto count = [&, v = v](verdict entry::*profile) {
                return std::count_if(all_.begin(), all_.end(),
                                     [&](const entry& e) { return e.*profile == v; });
            };
            if (count(&entry::knc) + count(&entry::compat) != 0)
                text_ += fmt::format("| {} | {} | {} |\n", name, count(&entry::knc),
                                     count(&entry::compat));
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
                    "\n### {}\n\n| instruction | sample | modes | knc | compat |\n"
                    "|---|---|---|---|---|\n",
                    family = e.family);
            text_ += fmt::format("| {} | `{}` | {} | {} | {} |\n", e.mnemonic, sample_of(e),
                                 modes_of(e), state(e.knc, e), state(e.compat, e));
        }
    }

    // Families of which neither profile has anything, as running text.
    void refused_section() {
        text_ += "\n## Refused in both profiles\n";
        std::string family, hint;
        for (const entry& e : all_) {
            if (e.compat != verdict::refused) continue;
            if (e.family != family || e.hint != hint) {
                end_paragraph();
                text_ += fmt::format("\n**{}**, #UD ({}):\n", e.family, number_of(e.hint));
            }
            family = e.family;
            hint = e.hint;
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
