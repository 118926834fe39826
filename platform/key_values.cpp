// Text to value and back.
#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include <platform/keys.h>

namespace platform {

namespace {

template <typename... F>
struct overloaded : F... {
    using F::operator()...;
};
template <typename... F>
overloaded(F...) -> overloaded<F...>;

// Decimal or 0x hexadecimal with '_' between digits and a binary suffix if `sized`.
std::optional<std::uint64_t> number(std::string_view text, bool sized) {
    std::string digits;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool separator = text[i] == '_' && i > 0 && i + 1 < text.size();
        if (!separator) digits += text[i];
    }
    int base = 10;
    std::uint64_t unit = 1;
    if (digits.size() > 2 && digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X')) {
        digits.erase(0, 2);
        base = 16;
    } else if (sized && !digits.empty()) {
        const std::size_t suffix = std::string_view{"KMG"}.find(digits.back());
        if (suffix != std::string_view::npos) {
            unit = std::uint64_t{1} << (10 * (suffix + 1));
            digits.pop_back();
        }
    }
    std::uint64_t n = 0;
    const char* end = digits.data() + digits.size();
    const auto r = std::from_chars(digits.data(), end, n, base);
    if (r.ec != std::errc{} || r.ptr != end || n > std::numeric_limits<std::uint64_t>::max() / unit)
        return {};
    return n * unit;
}

[[noreturn]] void refuse(const key& k, std::string_view text, const std::string& wanted) {
    throw key_error(fmt::format("key {}: '{}' is not {}", k.name, text, wanted));
}

bool may_be_unlimited(const key& k) {
    return k.high == std::numeric_limits<std::uint64_t>::max();
}

struct number_kind {
    const char* name;
    bool (*holds)(std::uint64_t);
};
constexpr std::uint64_t page_bytes = 4096;
constexpr number_kind kinds[] = {
    {"number", [](std::uint64_t) { return true; }},
    {"power of two", [](std::uint64_t n) { return n != 0 && (n & (n - 1)) == 0; }},
    {"multiple of 4096", [](std::uint64_t n) { return n % page_bytes == 0; }},
};
const number_kind& kind_of(const key& k) {
    return kinds[static_cast<std::size_t>(k.only)];
}

std::string range_text(const key& k) {
    return may_be_unlimited(k) ? fmt::format("a {} from {} up, or none", kind_of(k).name, k.low)
                               : fmt::format("a {} from {} to {}", kind_of(k).name, k.low, k.high);
}

template <typename T>
void set_number(const key& k, T& m, std::string_view text) {
    if (may_be_unlimited(k) && text == "none") {
        m = std::numeric_limits<T>::max();
        return;
    }
    const auto n = number(text, k.unit == "bytes");
    if (!n || *n < k.low || *n > k.high || !kind_of(k).holds(*n)) refuse(k, text, range_text(k));
    m = static_cast<T>(*n);
}

template <typename T>
std::string number_text(const key& k, T n) {
    return may_be_unlimited(k) && n == std::numeric_limits<T>::max() ? "none"
                                                                     : fmt::format("{}", n);
}

const key* find_key(std::string_view name) {
    const auto& all = keys();
    const auto k =
        std::find_if(all.begin(), all.end(), [&](const key& e) { return e.name == name; });
    return k != all.end() ? &*k : nullptr;
}

// A set has no more ways than there are entries. Of caches, whose sizes are in bytes, see below.
void check_ways(settings s) {
    constexpr std::string_view ways = "ways", entries = "entries";
    for (const key& k : keys()) {
        const std::size_t stem = k.name.rfind('.') + 1;
        if (k.name.substr(stem) != ways) continue;
        const key* const whole = find_key(fmt::format("{}{}", k.name.substr(0, stem), entries));
        if (whole == nullptr) continue;
        const auto n = *std::get<std::uint32_t*>(k.of(s));
        const auto most = *std::get<std::uint32_t*>(whole->of(s));
        if (n > most)
            throw key_error(
                fmt::format("key {}: {} ways of {} entries ({})", k.name, n, most, whole->name));
    }
}

void check_trace(const trace_settings& t) {
    const bool triggered = !t.trigger.empty() || t.mark != knc::base::never;
    if (!t.trigger.empty() && t.mark != knc::base::never)
        throw key_error("key trace.mark: there is a trace.trigger already");
    if (t.before != 0 && t.from != 0)
        throw key_error("key trace.before: it takes the place of trace.from, which is not 0");
    if (!triggered && (t.before != 0 || t.after != knc::base::never || t.windows != 1))
        throw key_error(fmt::format("key trace.{}: it wants a trace.trigger",
                                    t.before != 0                 ? "before"
                                    : t.after != knc::base::never ? "after"
                                                                  : "windows"));
    const knc::base::cycle_t to = t.after != knc::base::never ? t.after : t.to;
    if (t.from > to)
        throw key_error(fmt::format("key trace.from: {} is after trace.{} {}", t.from,
                                    t.after != knc::base::never ? "after" : "to", to));
}

}  // namespace

void set_key(settings& s, std::string_view name, std::string_view text) {
    const key* const k = find_key(name);
    if (k == nullptr) throw key_error(fmt::format("unknown key {} (knc-vp list keys)", name));
    std::visit(overloaded{
                   [&](bool* m) {
                       if (text != "true" && text != "false") refuse(*k, text, "true or false");
                       *m = text == "true";
                   },
                   [&](std::string* m) { *m = text; },
                   [&](choice c) {
                       const auto found = std::find(c.names->begin(), c.names->end(), text);
                       if (found == c.names->end())
                           refuse(*k, text, fmt::format("one of {}", fmt::join(*c.names, ", ")));
                       *c.value = static_cast<std::uint8_t>(found - c.names->begin());
                   },
                   [&](auto* m) { set_number(*k, *m, text); },
               },
               k->of(s));
}

std::string value_text(const key& k, const settings& s) {
    // The table's accessors give a way to write; this one reads a copy.
    settings copy = s;
    return std::visit(overloaded{
                          [](bool* m) { return std::string{*m ? "true" : "false"}; },
                          [](std::string* m) { return *m; },
                          [](choice c) { return std::string{(*c.names)[*c.value]}; },
                          [&](auto* m) { return number_text(k, *m); },
                      },
                      k.of(copy));
}

void check_consistency(const settings& s) {
    if (s.card.boot_core >= s.card.tiles) {
        throw key_error(fmt::format("key boot.bsp: there is no core {} among {} tiles (card.tiles)",
                                    s.card.boot_core, s.card.tiles));
    }
    check_trace(s.trace);
    if (const auto& a = s.card.apic; a.id_bits == 8 && a.cluster_member_bits > 7)
        throw key_error(
            fmt::format("key apic.cluster_member_bits: {} of the 8 bits of a logical ID "
                        "(apic.id_bits)",
                        a.cluster_member_bits));
    check_ways(s);
    if (const std::string why = knc::card::impossible(s.card); !why.empty())
        throw key_error("key " + why);
    if (!s.card.caches) return;
    if (const std::string why = knc::card::impossible(s.card.uncore); !why.empty())
        throw key_error(fmt::format("keys ring, directory, memory: {}", why));
    const knc::pmu::cmt_parameters cmt = knc::card::monitoring_of(s.card);
    if (cmt.upscale % knc::base::line_bytes != 0)
        throw key_error("key cmt.upscale: a multiple of 64");
    if (cmt.l3_rmids > cmt.rmids)
        throw key_error(fmt::format("key cmt.l3_rmids: at most {}, cmt.rmids", cmt.rmids));
    if (const std::string why = knc::cache::impossible(s.card.cache); !why.empty())
        throw key_error(fmt::format("key cache.{}", why));
    // Tiles look at interrupt messages in clocks this far apart.
    const std::uint32_t least = knc::cache::least_send_cycles(s.card.cache);
    if (s.card.ipi_cycles < least)
        throw key_error(
            fmt::format("key card.ipi_cycles: at least {}, the lesser of "
                        "cache.request_cycles and cache.reply_cycles",
                        least));
    if (s.card.core.device_cycles < least)
        throw key_error(
            fmt::format("key core.device_cycles: at least {}, as card.ipi_cycles", least));
}

}  // namespace platform
