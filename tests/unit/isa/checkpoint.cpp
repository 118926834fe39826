// Everything that software can see of a thread is in a checkpoint.
#include <cstddef>
#include <string>
#include <type_traits>

#include <gtest/gtest.h>

#include <knc/base/memory_archive.h>
#include <knc/isa/checkpoint.h>
#include <knc/isa/code_map.h>

#include "int_machine.h"

namespace knc::isa::test {
namespace {

std::string saved(context& c) {
    base::memory_writer w;
    serialize(w, c);
    return w.content();
}

// A field that is missing would leave its bytes without effect. Those that may have none are what
// the compiler puts between fields of different sizes. The lazy flags are saved by value.
TEST(isa_checkpoint, every_field_of_the_state) {
    static_assert(std::is_trivially_copyable_v<state>);
    int_machine m(code_mode::bits64);
    context& c = m.c;
    const state before = c.s;
    const std::string content = saved(c);
    const auto at = [](const state& s, const auto& field) {
        return static_cast<std::size_t>(reinterpret_cast<const char*>(&field) -
                                        reinterpret_cast<const char*>(&s));
    };
    const std::size_t lazy = at(before, before.arithmetic);
    std::size_t without = 0;
    for (std::size_t n = 0; n < sizeof(state); ++n) {
        if (n >= lazy && n < lazy + sizeof(arithmetic_state)) continue;
        c.s = before;
        reinterpret_cast<unsigned char*>(&c.s)[n] ^= 1;
        without += saved(c) == content;
    }
    // 2 behind the code mode, 6 behind each of two limits and of eight x87 registers, 1 + 4 between
    // the words of the x87 unit, 20 before the vector registers, 48 behind their masks, 8 at the
    // end.
    EXPECT_EQ(without, 2u + 2 * 6 + 8 * 6 + 1 + 4 + 20 + 48 + 8);
}

TEST(isa_checkpoint, is_loaded_as_it_was_saved) {
    int_machine m(code_mode::bits64), other(code_mode::bits64);
    m.c.s.set_rflags(0x8d5 | 0x200);
    m.c.s.r[rcx] = 0x1234;
    m.c.s.vector.zmm[31].bytes[63] = 7;
    m.c.held_conditions = 5;
    m.c.nmi_blocked = true;
    const std::string content = saved(m.c);
    base::memory_reader r(content);
    serialize(r, other.c);
    EXPECT_TRUE(r.left().empty());
    EXPECT_EQ(other.c.s.rflags(), m.c.s.rflags());
    EXPECT_EQ(other.c.s.r[rcx], 0x1234u);
    EXPECT_EQ(saved(other.c), content);
}

TEST(isa_checkpoint, lines_with_code) {
    code_map a(0x10000), b(0x10000);
    struct nobody final : code_map::observer {
        void code_marked(std::uint64_t) override {}
        void code_dropped(std::uint64_t) override {}
    } of_a, of_b;
    code_view va(a), vb(b);
    va.attach(of_a);
    vb.attach(of_b);
    va.mark(0x3040, 1);
    vb.mark(0x5000, 1);
    base::memory_writer w;
    w(a);
    base::memory_reader r(w.content());
    r(b);
    EXPECT_TRUE(b.holds_code(0x307f));
    EXPECT_FALSE(b.holds_code(0x3000));
    EXPECT_FALSE(b.holds_code(0x5000));
}

}  // namespace
}  // namespace knc::isa::test
