#include <knc/isa/state.h>

namespace knc::isa {
namespace {

constexpr std::uint16_t data_writable = 0x93;  // present, data, read/write, accessed
constexpr std::uint16_t flat_data = 0xc093;    // ... 32-bit, limit in pages
constexpr std::uint16_t flat_code = 0xc09b;    // present, code, execute/read, accessed
constexpr std::uint16_t ldt = 0x82, busy_tss = 0x8b;

}  // namespace

void reset(state& s, std::uint32_t signature) {
    s = state{};
    s.r[rdx] = signature;
    s.r[rip] = 0xfff0;
    for (segment& g : s.seg) g = {0, data_writable, 0xffff, 0};
    s.seg[cs] = {0xf000, data_writable, 0xffff, 0xffff'0000};
    s.ldtr = {0, ldt, 0xffff, 0};
    s.tr = {0, busy_tss, 0xffff, 0};
}

void init(state& s, std::uint32_t signature) {
    const state before = s;
    reset(s, signature);
    constexpr std::uint64_t cache_control = cr0_cd | cr0_nw;
    s.cr0 = (s.cr0 & ~cache_control) | (before.cr0 & cache_control);
    s.star = before.star;
    s.lstar = before.lstar;
    s.sfmask = before.sfmask;
    s.kernel_gs_base = before.kernel_gs_base;
    s.tsc_aux = before.tsc_aux;
}

void enter_flat_protected_mode(state& s, std::uint32_t eip) {
    reset(s);
    s.cr0 = cr0_pe | cr0_et;
    for (segment& g : s.seg) g = {0x10, flat_data, 0xffff'ffff, 0};
    s.seg[cs] = {0x08, flat_code, 0xffff'ffff, 0};
    s.r[rip] = eip;
}

}  // namespace knc::isa
