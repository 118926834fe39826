// VCMP VPCMP VPCMPU VPCMPEQ VPCMPGT VPCMPLT VPTESTM: results are masks.
//
// Lanes that the writemask does not select, and bits above those of 64-bit lanes, become 0. Source:
// Intel Xeon Phi coprocessor instruction set reference 327364, 6.
#include <knc/isa/op_table.h>

#include <iterator>

#include <knc/isa/vector_compare.h>
#include <knc/isa/vector_operand.h>

namespace knc::isa {
namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

template <class T>
status compare_float(context& c, const insn& i) {
    vector_execution_float<T> x(c, i);
    if (!x.begin()) return c.failure;
    const auto p = static_cast<vector_predicate>(i.imm & 7);
    c.s.vector.k[i.reg] = x.where(
        [&](unsigned n) { return vector_compare(x.second(n), x.third(n), p, x.environment()); });
    return x.end();
}

template <class Test>
status compare_lanes(context& c, const insn& i, Test test) {
    vector_execution_i32 x(c, i);
    if (!x.begin()) return c.failure;
    c.s.vector.k[i.reg] = x.where([&](unsigned n) { return test(x.second(n), x.third(n)); });
    return x.end();
}

// The predicates that integers have: their numbers are those of floating point, where nothing is
// unordered.
template <class Integer>
bool holds(Integer a, Integer b, vector_predicate p) {
    switch (p) {
        case vector_predicate::eq:
            return a == b;
        case vector_predicate::lt:
            return a < b;
        case vector_predicate::le:
            return a <= b;
        case vector_predicate::unordered:
            return false;
        case vector_predicate::neq:
            return a != b;
        case vector_predicate::nlt:
            return a >= b;
        case vector_predicate::nle:
            return a > b;
        case vector_predicate::ordered:
            return true;
    }
    return false;
}
template <class Integer>
status compare_integer(context& c, const insn& i) {
    const auto p = static_cast<vector_predicate>(i.imm & 7);
    return compare_lanes(c, i, [p](u32 a, u32 b) {
        return holds(static_cast<Integer>(a), static_cast<Integer>(b), p);
    });
}
template <vector_predicate P>
status compare_by_name(context& c, const insn& i) {
    return compare_lanes(c, i, [](u32 a, u32 b) {
        return holds(static_cast<std::int32_t>(a), static_cast<std::int32_t>(b), P);
    });
}
status test(context& c, const insn& i) {
    return compare_lanes(c, i, [](u32 a, u32 b) { return (a & b) != 0; });
}

constexpr op_row rows[] = {
    {ZYDIS_MNEMONIC_VCMPPS, vector_selected<compare_float<u32>>, insn_vector},
    {ZYDIS_MNEMONIC_VCMPPD, vector_selected<compare_float<u64>>, insn_vector},
    {ZYDIS_MNEMONIC_VPCMPD, vector_selected<compare_integer<std::int32_t>>, insn_vector},
    {ZYDIS_MNEMONIC_VPCMPUD, vector_selected<compare_integer<u32>>, insn_vector},
    {ZYDIS_MNEMONIC_VPCMPEQD, vector_selected<compare_by_name<vector_predicate::eq>>, insn_vector},
    {ZYDIS_MNEMONIC_VPCMPLTD, vector_selected<compare_by_name<vector_predicate::lt>>, insn_vector},
    {ZYDIS_MNEMONIC_VPCMPGTD, vector_selected<compare_by_name<vector_predicate::nle>>, insn_vector},
    {ZYDIS_MNEMONIC_VPTESTMD, vector_selected<test>, insn_vector},
};

}  // namespace

op_table vector_compare_ops() {
    return {rows, std::size(rows)};
}

}  // namespace knc::isa
