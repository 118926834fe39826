// Lanes of integer operations, moves and permutations.
#include "vector_machine_lanes.h"

namespace knc::isa::test::lanes {
namespace {

constexpr std::uint64_t low = 0xffff'ffff;

std::int64_t signed_of(std::uint64_t v) {
    return static_cast<std::int32_t>(v);
}
vm_result word(std::int64_t v) {
    return static_cast<std::uint64_t>(v) & low;
}
vm_result condition(bool b) {
    return {0, 0, b};
}
// first - second - borrow
vm_result difference(std::uint64_t first, std::uint64_t second, bool borrow) {
    const std::uint64_t taken = second + (borrow ? 1 : 0);
    return {(first - taken) & low, 0, first < taken};
}
vm_result sum(std::uint64_t first, std::uint64_t second, bool carry) {
    const std::uint64_t s = first + second + (carry ? 1 : 0);
    return {s & low, 0, s > low};
}
vm_result left(std::uint64_t v, std::uint64_t count) {
    return count > 31 ? 0 : v << count & low;
}
vm_result right(std::uint64_t v, std::uint64_t count) {
    return count > 31 ? 0 : v >> count;
}
vm_result arithmetic_right(std::uint64_t v, std::uint64_t count) {
    return word(signed_of(v) >> (count > 31 ? 31 : count));
}
template <class T>
bool holds(unsigned predicate, T a, T b) {
    switch (predicate & 7) {
        case 0:
            return a == b;
        case 1:
            return a < b;
        case 2:
            return a <= b;
        case 4:
            return a != b;
        case 5:
            return a >= b;
        case 6:
            return a > b;
        default:  // 3: never, 7: always
            return (predicate & 4) != 0;
    }
}

}  // namespace

vm_result move(const vm_lane& x) {
    return x.b();
}
vm_result blend(const vm_lane& x) {
    return x.bit ? x.b() : x.a();
}
vm_result and_(const vm_lane& x) {
    return x.a() & x.b();
}
vm_result andn(const vm_lane& x) {
    return ~x.a() & x.b();
}
vm_result or_(const vm_lane& x) {
    return x.a() | x.b();
}
vm_result xor_(const vm_lane& x) {
    return x.a() ^ x.b();
}

vm_result paddd(const vm_lane& x) {
    return sum(x.a(), x.b(), false);
}
vm_result psubd(const vm_lane& x) {
    return difference(x.a(), x.b(), false);
}
vm_result psubrd(const vm_lane& x) {
    return difference(x.b(), x.a(), false);
}
vm_result pmulld(const vm_lane& x) {
    return x.a() * x.b() & low;
}
vm_result pmulhd(const vm_lane& x) {
    return word(signed_of(x.a()) * signed_of(x.b()) >> 32);
}
vm_result pmulhud(const vm_lane& x) {
    return x.a() * x.b() >> 32;
}
vm_result pmadd231d(const vm_lane& x) {
    return (x.a() * x.b() + x.d()) & low;
}
vm_result pmadd233d(const vm_lane& x) {
    const unsigned group = x.n / 4 * 4;
    return (x.a() * x.third.get(group + 1, 4) + x.third.get(group, 4)) & low;
}
vm_result pmaxsd(const vm_lane& x) {
    return signed_of(x.a()) > signed_of(x.b()) ? x.a() : x.b();
}
vm_result pmaxud(const vm_lane& x) {
    return x.a() > x.b() ? x.a() : x.b();
}
vm_result pminsd(const vm_lane& x) {
    return signed_of(x.a()) < signed_of(x.b()) ? x.a() : x.b();
}
vm_result pminud(const vm_lane& x) {
    return x.a() < x.b() ? x.a() : x.b();
}

vm_result psllvd(const vm_lane& x) {
    return left(x.a(), x.b());
}
vm_result psrlvd(const vm_lane& x) {
    return right(x.a(), x.b());
}
vm_result psravd(const vm_lane& x) {
    return arithmetic_right(x.a(), x.b());
}
vm_result pslld(const vm_lane& x) {
    return left(x.b(), x.imm);
}
vm_result psrld(const vm_lane& x) {
    return right(x.b(), x.imm);
}
vm_result psrad(const vm_lane& x) {
    return arithmetic_right(x.b(), x.imm);
}

vm_result padcd(const vm_lane& x) {
    return sum(x.d(), x.b(), x.bit);
}
vm_result paddsetcd(const vm_lane& x) {
    return sum(x.d(), x.b(), false);
}
vm_result paddsetsd(const vm_lane& x) {
    const std::uint64_t s = (x.a() + x.b()) & low;
    return {s, 0, s >> 31 != 0};
}
vm_result psbbd(const vm_lane& x) {
    return difference(x.d(), x.b(), x.bit);
}
vm_result psbbrd(const vm_lane& x) {
    return difference(x.b(), x.d(), x.bit);
}
vm_result psubsetbd(const vm_lane& x) {
    return difference(x.d(), x.b(), false);
}
vm_result psubrsetbd(const vm_lane& x) {
    return difference(x.b(), x.d(), false);
}

vm_result pcmpeqd(const vm_lane& x) {
    return condition(x.a() == x.b());
}
vm_result pcmpgtd(const vm_lane& x) {
    return condition(signed_of(x.a()) > signed_of(x.b()));
}
vm_result pcmpltd(const vm_lane& x) {
    return condition(signed_of(x.a()) < signed_of(x.b()));
}
vm_result pcmpd(const vm_lane& x) {
    return condition(holds(x.imm, signed_of(x.a()), signed_of(x.b())));
}
vm_result pcmpud(const vm_lane& x) {
    return condition(holds(x.imm, x.a(), x.b()));
}
vm_result ptestmd(const vm_lane& x) {
    return condition((x.a() & x.b()) != 0);
}

// The third operand is the lower half of what is shifted.
vm_result valignd(const vm_lane& x) {
    const unsigned n = x.n + (x.imm & 15);
    return n < 16 ? x.third.get(n, 4) : x.second.get(n - 16, 4);
}
vm_result permd(const vm_lane& x) {
    return x.third.get(x.a() & 15, 4);
}
vm_result permf32x4(const vm_lane& x) {
    return x.third.get((x.imm >> x.n / 4 * 2 & 3) * 4 + x.n % 4, 4);
}
vm_result pshufd(const vm_lane& x) {
    return x.third.get(x.n / 4 * 4 + (x.imm >> x.n % 4 * 2 & 3), 4);
}

}  // namespace knc::isa::test::lanes
