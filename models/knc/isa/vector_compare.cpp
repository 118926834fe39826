#include <knc/isa/vector_compare.h>

#include <type_traits>

#include <knc/isa/vector_format.h>

namespace knc::isa {
namespace {

// Numbers in their order as integers, -0 just below +0.
template <class Bits>
auto ordinal(Bits v) {
    using integer = std::make_signed_t<Bits>;
    const auto magnitude = static_cast<integer>(vector_magnitude(v));
    return vector_negative(v) ? static_cast<integer>(-1 - magnitude) : magnitude;
}

enum class relation { below, equal, above, unordered };

template <class Bits>
relation relate(Bits a, Bits b) {
    if (vector_zero(a) && vector_zero(b)) return relation::equal;
    if (a == b) return relation::equal;
    return ordinal(a) < ordinal(b) ? relation::below : relation::above;
}

template <class Bits, class Choose>
Bits choose(Bits a, Bits b, vector_environment& e, Choose first) {
    const bool a_nan = vector_nan(a), b_nan = vector_nan(b);
    if (a_nan || b_nan) {
        if (vector_signaling(a) || vector_signaling(b)) e.raise(mxcsr_ie);
        if (a_nan && b_nan) return vector_quiet(a);
        return vector_daz(a_nan ? b : a, e);
    }
    a = vector_operand(a, e);
    b = vector_operand(b, e);
    return first(ordinal(a), ordinal(b)) ? a : b;
}

}  // namespace

template <class Bits>
bool vector_compare(Bits a, Bits b, vector_predicate p, vector_environment& e) {
    const auto code = static_cast<unsigned>(p);
    relation r = relation::unordered;
    if (vector_nan(a) || vector_nan(b)) {
        const bool signals = (code & 3) == 1 || (code & 3) == 2;  // lt, le, nlt, nle
        if (signals || vector_signaling(a) || vector_signaling(b)) e.raise(mxcsr_ie);
    } else {
        r = relate(vector_operand(a, e), vector_operand(b, e));
    }
    bool holds = false;
    switch (code & 3) {
        case 0:
            holds = r == relation::equal;
            break;
        case 1:
            holds = r == relation::below;
            break;
        case 2:
            holds = r == relation::below || r == relation::equal;
            break;
        default:
            holds = r == relation::unordered;
            break;
    }
    return holds != ((code & 4) != 0);  // the other four are the opposites
}

template <class Bits>
Bits vector_minimum(Bits a, Bits b, vector_environment& e) {
    return choose(a, b, e, [](auto x, auto y) { return x <= y; });
}
template <class Bits>
Bits vector_maximum(Bits a, Bits b, vector_environment& e) {
    return choose(a, b, e, [](auto x, auto y) { return x >= y; });
}
template <class Bits>
Bits vector_maximum_magnitude(Bits a, Bits b, vector_environment& e) {
    return vector_maximum(vector_magnitude(a), vector_magnitude(b), e);
}

#define KNC_VECTOR_COMPARE(Bits)                                                     \
    template bool vector_compare(Bits, Bits, vector_predicate, vector_environment&); \
    template Bits vector_minimum(Bits, Bits, vector_environment&);                   \
    template Bits vector_maximum(Bits, Bits, vector_environment&);                   \
    template Bits vector_maximum_magnitude(Bits, Bits, vector_environment&);
KNC_VECTOR_COMPARE(std::uint32_t)
KNC_VECTOR_COMPARE(std::uint64_t)
#undef KNC_VECTOR_COMPARE

}  // namespace knc::isa
