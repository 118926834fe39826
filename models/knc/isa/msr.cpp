#include <knc/isa/msr.h>

#include <algorithm>
#include <iterator>

#include <knc/isa/paging.h>

namespace knc::isa {
namespace {

constexpr std::uint32_t cstar = 0xc000'0083;

bool write_efer(context& c, std::uint64_t value) {
    constexpr std::uint64_t bits = efer_sce | efer_lme | efer_lma | efer_nxe;
    const bool changes_lme = ((value ^ c.s.efer) & efer_lme) != 0;
    if ((value & ~bits) != 0 || (changes_lme && c.s.paging())) return false;
    c.s.efer = (value & ~efer_lma) | (c.s.efer & efer_lma);
    c.flush_translations();
    c.update_mode();
    return true;
}

enum class rule : std::uint8_t { any, canonical, low_half, compat };

struct row {
    std::uint32_t number;
    std::uint64_t& (*of)(state&);
    rule check;
};
constexpr row rows[] = {
    {0xc000'0081, [](state& s) -> std::uint64_t& { return s.star; }, rule::any},
    {0xc000'0082, [](state& s) -> std::uint64_t& { return s.lstar; }, rule::canonical},
    {0xc000'0084, [](state& s) -> std::uint64_t& { return s.sfmask; }, rule::low_half},
    {0xc000'0100, [](state& s) -> std::uint64_t& { return s.seg[fs].base; }, rule::canonical},
    {0xc000'0101, [](state& s) -> std::uint64_t& { return s.seg[gs].base; }, rule::canonical},
    {0xc000'0102, [](state& s) -> std::uint64_t& { return s.kernel_gs_base; }, rule::canonical},
    {0xc000'0103, [](state& s) -> std::uint64_t& { return s.tsc_aux; }, rule::compat},
};
constexpr std::uint32_t efer_number = 0xc000'0080;

const row* find(std::uint32_t number) {
    const auto r = std::find_if(std::begin(rows), std::end(rows),
                                [=](const row& x) { return x.number == number; });
    return r == std::end(rows) ? nullptr : r;
}

bool exists(const context& c, const row& r) {
    return r.check != rule::compat || c.instruction_set == profile::compat;
}

}  // namespace

bool read_msr(context& c, std::uint32_t number, std::uint64_t& value) {
    if (number == cstar) return false;
    if (number == efer_number) {
        value = c.s.efer;
        return true;
    }
    const row* r = find(number);
    if (r == nullptr) return c.env.read_msr(number, value);
    value = r->of(c.s);
    return exists(c, *r);
}

bool write_msr(context& c, std::uint32_t number, std::uint64_t value) {
    if (number == cstar) return false;
    if (number == efer_number) return write_efer(c, value);
    const row* r = find(number);
    if (r == nullptr) return c.env.write_msr(number, value);
    const bool half = r->check == rule::low_half || r->check == rule::compat;
    if (!exists(c, *r) || (r->check == rule::canonical && !canonical(value)) ||
        (half && value >> 32 != 0)) {
        return false;
    }
    r->of(c.s) = value;
    return true;
}

}  // namespace knc::isa
