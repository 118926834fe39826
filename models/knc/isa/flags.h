// The six arithmetic flags, kept lazily.
//
// Models: CF PF AF ZF SF OF as a function of the last result and the carries out of each bit. So an
// ALU instruction stores three words, and a flag is computed only when something reads it.
// Leaves out: the system flags (state::eflags holds them). Source: Intel SDM vol. 1, 3.4.3.1.
#ifndef KNC_ISA_FLAGS_H
#define KNC_ISA_FLAGS_H

#include <cstdint>
#include <type_traits>

namespace knc::isa {

inline constexpr std::uint32_t flag_cf = 1u << 0, flag_pf = 1u << 2, flag_af = 1u << 4,
                               flag_zf = 1u << 6, flag_sf = 1u << 7, flag_tf = 1u << 8,
                               flag_if = 1u << 9, flag_df = 1u << 10, flag_of = 1u << 11,
                               flag_iopl = 3u << 12, flag_nt = 1u << 14, flag_rf = 1u << 16,
                               flag_vm = 1u << 17, flag_ac = 1u << 18, flag_vif = 1u << 19,
                               flag_vip = 1u << 20, flag_id = 1u << 21;
inline constexpr std::uint32_t arithmetic_flags =
    flag_cf | flag_pf | flag_af | flag_zf | flag_sf | flag_of;

class arithmetic_state {
  public:
    bool cf() const { return carry_ >> 63 != 0; }
    bool of() const { return ((carry_ ^ carry_ << 1) >> 63) != 0; }
    bool zf() const { return result_ == 0; }
    bool sf() const { return (result_ < 0) != ((delta_ & flag_sf) != 0); }
    bool af() const { return (delta_ & flag_af) != 0; }
    bool pf() const {
        return ((__builtin_parity(static_cast<unsigned>(result_) & 0xff) ^ 1) != 0) !=
               ((delta_ & flag_pf) != 0);
    }

    // Flags of r = a + b (+ carry in): carries are those out of each bit. A carry goes out where a
    // and b are 1, and, where they differ, if one has come in: a ^ b ^ r has those that come in.
    template <class T>
    void add(T a, T b, T r) {
        const T differ = a ^ b;
        set<T>(r, static_cast<T>(a ^ (differ & (b ^ r))), static_cast<T>(differ ^ r));
    }
    // Flags of r = a - b (- borrow in): likewise, a borrow goes out where they differ and b is 1,
    // and, where they do not, if one has come in.
    template <class T>
    void sub(T a, T b, T r) {
        const T differ = a ^ b;
        const T in = differ ^ r;
        set<T>(r, static_cast<T>(in ^ (differ & (a ^ r))), in);
    }
    // Flags of a logical result: CF = OF = 0; AF, which the manual leaves undefined, 0.
    template <class T>
    void logic(T r) {
        set<T>(r, 0, 0);
    }
    // As add/sub, CF kept (INC, DEC).
    template <class T>
    void inc(T a, T r) {
        const bool c = cf();
        add<T>(a, 1, r);
        set_cf_keep_of(c);
    }
    template <class T>
    void dec(T a, T r) {
        const bool c = cf();
        sub<T>(a, 1, r);
        set_cf_keep_of(c);
    }
    void set_cf(bool c) { set_cf_keep_of(c); }
    void set_zf(bool z) {
        const std::uint32_t f = get();
        set(z ? f | flag_zf : f & ~flag_zf);
    }
    void set_cf_of(bool c, bool o) {
        carry_ = (carry_ & ~(std::uint64_t{3} << 62)) | std::uint64_t{c} << 63 |
                 std::uint64_t{c != o} << 62;
    }

    // All six as they stand in RFLAGS.
    std::uint32_t get() const {
        return (cf() ? flag_cf : 0) | (pf() ? flag_pf : 0) | (af() ? flag_af : 0) |
               (zf() ? flag_zf : 0) | (sf() ? flag_sf : 0) | (of() ? flag_of : 0);
    }
    void set(std::uint32_t flags) {
        const bool z = (flags & flag_zf) != 0;
        result_ = z ? 0 : 0x100;  // low byte 0: parity even; sign clear
        delta_ = (flags & flag_af) | (flags & flag_sf) | ((flags & flag_pf) ^ flag_pf);
        set_cf_of((flags & flag_cf) != 0, (flags & flag_of) != 0);
    }

    // Condition code `cc` as in the low four bits of Jcc, SETcc, CMOVcc.
    bool condition(unsigned cc) const {
        bool r = false;
        switch (cc >> 1) {
            case 0:
                r = of();
                break;
            case 1:
                r = cf();
                break;
            case 2:
                r = zf();
                break;
            case 3:
                r = cf() || zf();
                break;
            case 4:
                r = sf();
                break;
            case 5:
                r = pf();
                break;
            case 6:
                r = sf() != of();
                break;
            default:
                r = zf() || sf() != of();
                break;
        }
        return r != ((cc & 1) != 0);
    }

  private:
    template <class T>
    void set(T r, T carries, T adjust) {
        result_ = static_cast<std::make_signed_t<T>>(r);
        carry_ = std::uint64_t{carries} << (64 - 8 * sizeof(T));
        delta_ = static_cast<std::uint32_t>(adjust) & flag_af;
    }
    void set_cf_keep_of(bool c) { set_cf_of(c, of()); }

    std::int64_t result_ = 0x100;    // sign-extended result: ZF, SF, PF
    std::uint64_t carry_ = 0;        // bit 63: carry out of the top bit, bit 62: into it
    std::uint32_t delta_ = flag_pf;  // AF itself; SF and PF where they differ from the result's
};

}  // namespace knc::isa

#endif
