#include <platform/trace_trigger.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <sstream>

#include <fmt/format.h>

#include <knc/base/event.h>
#include <knc/pmu/counter_bank.h>
#include <knc/pmu/knc_registers.h>

#include <platform/input_error.h>

namespace platform {

namespace {

using kind = trace_condition::kind;

std::optional<std::uint64_t> number(std::string_view text) {
    const bool hexadecimal =
        text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    if (hexadecimal) text.remove_prefix(2);
    std::uint64_t n = 0;
    const auto r =
        std::from_chars(text.data(), text.data() + text.size(), n, hexadecimal ? 16 : 10);
    if (r.ec != std::errc{} || r.ptr != text.data() + text.size()) return {};
    return n;
}

// Takes `word` and the decimal number after it from the beginning of `text`.
std::optional<std::uint64_t> numbered(std::string_view& text, std::string_view word) {
    if (text.substr(0, word.size()) != word) return {};
    const std::string_view rest = text.substr(word.size());
    std::uint32_t n = 0;
    const auto r = std::from_chars(rest.data(), rest.data() + rest.size(), n);
    if (r.ec != std::errc{}) return {};
    text = rest.substr(static_cast<std::size_t>(r.ptr - rest.data()));
    return n;
}

class parser {
  public:
    parser(const std::string& text, const trigger_sources& from) : text_(text), from_(from) {
        std::istringstream words{text};
        for (std::string w; words >> w;) words_.push_back(w);
    }

    trace_trigger whole() {
        if (next_is("mark")) {
            const auto n = number(word());
            if (!n) fail("mark N is wanted");
            result_.mark = n;
        } else if (next_is("signal")) {
            signal();
        } else if (next_is("pc")) {
            pc();
        } else {
            const bool first = next_is("first");
            if (next_is("pmi"))
                pmi();
            else if (next_is("overflow"))
                overflow();
            else
                fail(first ? "first pmi or first overflow is wanted"
                           : "mark, pmi, overflow, pc or signal is wanted");
        }
        if (at_ != words_.size()) fail(fmt::format("'{}' is too much", words_[at_]));
        return std::move(result_);
    }

  private:
    [[noreturn]] void fail(const std::string& why) const {
        throw input_error(fmt::format("trace trigger '{}': {}", text_, why));
    }
    // Takes the next word if it is `wanted`, in letters of any case.
    bool next_is(std::string_view wanted) {
        if (at_ == words_.size()) return false;
        std::string w = words_[at_];
        std::transform(w.begin(), w.end(), w.begin(),
                       [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
        at_ += w == wanted ? 1 : 0;
        return w == wanted;
    }
    std::string word() { return at_ == words_.size() ? std::string{} : words_[at_++]; }

    // The thread of tileN.tM, or of tileN.pmu.tM; takes it from the beginning of `text`.
    std::size_t thread(std::string_view& text, std::string_view between) const {
        const std::string name{text};
        const auto tile = numbered(text, "tile");
        const auto t = tile ? numbered(text, between) : tile;
        if (!t) fail(fmt::format("'{}' is no thread: tileN{}M is wanted", name, between));
        const std::size_t n = *tile * knc::base::threads_per_core + *t;
        if (*t >= knc::base::threads_per_core || n >= from_.threads)
            fail(fmt::format("there is no {}", name));
        return n;
    }
    // `of tileN.tM`, or all threads.
    std::vector<std::size_t> threads() {
        std::vector<std::size_t> list;
        if (!next_is("of")) {
            for (std::size_t n = 0; n < from_.threads; ++n) list.push_back(n);
            return list;
        }
        const std::string name = word();
        std::string_view rest = name;
        list.push_back(thread(rest, ".t"));
        if (!rest.empty()) fail(fmt::format("'{}' is no thread: tileN.tM is wanted", name));
        return list;
    }

    void pmi() {
        for (const std::size_t n : threads())
            result_.conditions.emplace_back(from_.pmi(n), kind::rises);
    }

    void overflow() {
        if (!next_is("of")) fail("overflow of tileN.pmu.tM is wanted");
        const std::string name = word();
        std::string_view rest = name;
        const std::size_t n = thread(rest, ".pmu.t");
        for (std::size_t c = 0; c < from_.counters.size(); ++c)
            if (rest.empty() || rest == "." + from_.counters[c])
                result_.conditions.emplace_back(from_.overflows(n, c), kind::rises);
        if (result_.conditions.empty()) fail(fmt::format("there is no counter {}", name));
    }

    void pc() {
        const std::string place = word();
        if (place.empty()) fail("pc SYMBOL or pc ADDRESS is wanted");
        auto address = number(place);
        if (!address) address = from_.address(place);
        if (!address) fail(fmt::format("there is no symbol '{}' in the image", place));
        for (const std::size_t n : threads())
            look_at(fmt::format("tile{}.t{}.pc", n / knc::base::threads_per_core,
                                n % knc::base::threads_per_core),
                    kind::equals, *address);
    }

    void signal() {
        const std::string name = word();
        if (name.empty()) fail("signal NAME is wanted");
        if (next_is("==")) {
            const auto value = number(word());
            if (!value) fail("signal NAME == VALUE is wanted");
            look_at(name, kind::equals, *value);
        } else if (next_is("rises")) {
            look_at(name, kind::rises);
        } else if (next_is("falls")) {
            look_at(name, kind::falls);
        } else if (next_is("changes")) {
            look_at(name, kind::changes);
        } else {
            fail("signal NAME == VALUE, rises, falls or changes is wanted");
        }
    }

    void look_at(const std::string& name, kind k, std::uint64_t wanted = 0) {
        const auto s = std::find_if(from_.signals.begin(), from_.signals.end(),
                                    [&](const knc::base::signal& i) { return i.name == name; });
        if (s == from_.signals.end())
            fail(fmt::format("there is no signal '{}' (knc-vp list signals)", name));
        result_.conditions.emplace_back(s->value, k, wanted);
        result_.signals.push_back(*s);
    }

    const std::string& text_;
    const trigger_sources& from_;
    std::vector<std::string> words_;
    std::size_t at_ = 0;
    trace_trigger result_;
};

}  // namespace

trace_trigger parse_trigger(const std::string& text, const trigger_sources& from) {
    return parser{text, from}.whole();
}

}  // namespace platform
