#include <platform/symbols.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

#include <fmt/format.h>

#include <platform/linux_image.h>

namespace platform {

namespace {

using knc::core::code_location;
namespace base = knc::base;

constexpr std::uint64_t page_bytes = 4096;
using page = std::array<char, page_bytes>;

std::uint64_t page_of(std::uint64_t address) {
    return address & ~(page_bytes - 1);
}

bool has_code_at(const image& i, std::uint64_t address) {
    return std::any_of(i.segments.begin(), i.segments.end(), [&](const segment& s) {
        return s.executable && address - s.virtual_address < s.file_size;
    });
}

// How many bytes of the file's code lie in the page at `la`; nothing if one of them differs.
std::optional<std::uint64_t> equal_bytes(const image& i, std::uint64_t la, const page& memory) {
    std::uint64_t n = 0;
    for (const segment& s : i.segments) {
        const std::uint64_t low = std::max(s.virtual_address, la),
                            high = std::min(s.virtual_address + s.file_size, la + page_bytes);
        if (!s.executable || low >= high) continue;
        if (std::memcmp(i.content(s).data() + (low - s.virtual_address), &memory[low - la],
                        high - low) != 0)
            return {};
        n += high - low;
    }
    return n;
}

// From physical address `a` of code to the address to which it is linked; 0: it is no code, or
// that is the same.
std::uint64_t distance_to_link(const image& i, std::uint64_t a) {
    for (const segment& s : i.segments)
        if (s.executable && a - s.physical < s.memory_size) return s.virtual_address - s.physical;
    return 0;
}

}  // namespace

symbols::symbols(const image& i, const std::vector<image>& more, memory_reader read)
    : read_(std::move(read)) {
    programs_.reserve(1 + more.size());
    programs_.emplace_back(i, true);
    for (const image& m : more) {
        programs_.emplace_back(m, is_vmlinux(m.segments));
        any_by_content_ = any_by_content_ || !programs_.back().by_address;
    }
}

symbols::place symbols::locate(const code_location& at) {
    // What belongs to nobody belongs to nobody as far as the page goes and no function begins.
    place p{page_of(at.ip), page_of(at.ip) + page_bytes};
    const bool user = at.level == base::user;
    if (user && find_by_content(at, p)) return p;
    if (find_by_address(at, p)) return p;
    if (!user) find_by_content(at, p);
    return p;
}

bool symbols::find_by_address(const code_location& at, place& p) const {
    for (const program& q : programs_) {
        // Programs of a kernel may have the addresses at which it was loaded.
        const bool kernel = q.file.protocol != boot_protocol::multiboot;
        if (!q.by_address || (kernel && at.level == base::user)) continue;
        function_table::stretch s = q.functions.at(at.ip);
        bool known = has_code_at(q.file, at.ip);
        std::uint64_t distance = 0;
        if (s.function == function_table::none && !known && at.level == base::supervisor) {
            // A kernel begins at its physical addresses.
            distance = distance_to_link(q.file, at.ip);
            if (distance != 0) {
                known = true;
                s = q.functions.at(at.ip + distance);
                s.low -= std::min(s.low, distance);
                s.high -= std::min(s.high, distance);
            }
        }
        if (s.function != function_table::none) {
            p = {s.low, s.high, &q, s.function, distance};
            return true;
        }
        p.low = std::max(p.low, s.low);
        p.high = std::min(p.high, s.high);
        if (known) {
            p.in = &q;
            return true;
        }
    }
    return false;
}

bool symbols::find_by_content(const code_location& at, place& p) {
    if (!any_by_content_) return false;
    known_page& k = pages_[at.paddr / page_bytes];
    const bool known = k.asked != 0 && k.la == page_of(at.ip);
    if (!known) ++identified_;
    if (!known || (!k.certain && k.asked != identified_)) k = identify(at);
    if (k.owner == nullptr) return false;
    const function_table::stretch s = k.owner->functions.at(at.ip);
    p = {std::max(p.low, s.low), std::min(p.high, s.high), k.owner, s.function};
    return true;
}

symbols::known_page symbols::identify(const code_location& at) {
    const std::uint64_t la = page_of(at.ip);
    candidates c;
    for (const program& q : programs_)
        if (!q.by_address && has_code_at(q.file, at.ip)) c.push_back(&q);
    page memory;
    if (!c.empty() && !read_(page_of(at.paddr), memory.data(), page_bytes)) c.clear();
    c.erase(std::remove_if(c.begin(), c.end(),
                           [&](const program* q) { return !equal_bytes(q->file, la, memory); }),
            c.end());
    if (c.size() > 1) compare_other_pages(at, c);
    return {la, c.empty() ? nullptr : c.front(), c.size() < 2, identified_};
}

// Keeps those of `c` that the present pages of the address space do not contradict, and of these
// the ones with the most code in them.
void symbols::compare_other_pages(const code_location& at, candidates& c) {
    std::vector<std::uint64_t> addresses;
    for (const program* q : c)
        for (const segment& s : q->file.segments)
            if (s.executable)
                for (std::uint64_t la = page_of(s.virtual_address);
                     la < s.virtual_address + s.file_size; la += page_bytes)
                    addresses.push_back(la);
    std::sort(addresses.begin(), addresses.end());
    addresses.erase(std::unique(addresses.begin(), addresses.end()), addresses.end());

    std::vector<std::uint64_t> equal(c.size(), 0);
    std::vector<bool> excluded(c.size(), false);
    for (const std::uint64_t la : addresses) {
        std::uint64_t paddr = 0;
        page memory;
        if (!at.context.probe(la, paddr) || !read_(page_of(paddr), memory.data(), page_bytes))
            continue;
        for (std::size_t n = 0; n < c.size(); ++n) {
            const auto bytes = equal_bytes(c[n]->file, la, memory);
            if (!bytes) excluded[n] = true;
            equal[n] += bytes.value_or(0);
        }
    }
    std::uint64_t most = 0;
    for (std::size_t n = 0; n < c.size(); ++n)
        if (!excluded[n]) most = std::max(most, equal[n]);
    candidates kept;
    for (std::size_t n = 0; n < c.size(); ++n)
        if (!excluded[n] && equal[n] == most) kept.push_back(c[n]);
    if (!kept.empty()) c = std::move(kept);
}

std::string symbols::name(const code_location& at) {
    const place p = locate(at);
    if (p.in == nullptr) {
        const bool any = std::any_of(programs_.begin(), programs_.end(), [](const program& q) {
            return !q.functions.functions().empty();
        });
        return any ? no_function : "";
    }
    if (p.function == function_table::none)
        return fmt::format("{}: {}", p.in->file.name, no_function);
    const function& f = p.in->functions.functions()[p.function];
    return fmt::format("{}: {}+{:#x}", p.in->file.name, f.name, at.ip + p.distance - f.address);
}

}  // namespace platform
