// The map of lines with decoded code: what a core sees of its own changes and of those of others.
#include <knc/isa/code_map.h>

#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include <fmt/format.h>

namespace knc::isa {
namespace {

constexpr std::uint64_t page = 0x1000;

struct log final : code_map::observer {
    void code_marked(std::uint64_t paddr) override { text += fmt::format("+{:x} ", paddr); }
    void code_dropped(std::uint64_t number) override { text += fmt::format("-{} ", number); }
    std::string text;
};

// Three cores, in this order, and somebody else who looks on.
struct code_map_rig : testing::Test {
    code_map_rig() {
        first.attach(of_first);
        second.attach(of_second);
        third.attach(of_third);
        map.attach(outside);
    }
    // What everyone has learnt, and forgets it.
    std::string learnt() {
        std::string all;
        for (log* l : {&of_first, &of_second, &of_third, &outside}) {
            all += l->text + "| ";
            l->text.clear();
        }
        return all;
    }
    bool everyone_knows(std::uint64_t paddr) const {
        return map.holds_code(paddr) && first.holds_code(paddr) && second.holds_code(paddr) &&
               third.holds_code(paddr);
    }
    bool nobody_knows(std::uint64_t paddr) const {
        return !map.holds_code(paddr) && !first.holds_code(paddr) && !second.holds_code(paddr) &&
               !third.holds_code(paddr);
    }

    code_map map{16 * page};
    code_view first{map}, second{map}, third{map};
    log of_first, of_second, of_third, outside;
};

TEST_F(code_map_rig, together_everyone_learns_at_once) {
    second.mark(page + 0x3e, 4);  // in two lines
    EXPECT_EQ(learnt(), "+1000 +1040 | +1000 +1040 | +1000 +1040 | +1000 +1040 | ");
    EXPECT_TRUE(everyone_knows(page));
    EXPECT_TRUE(everyone_knows(page + 0x7f));
    EXPECT_TRUE(nobody_knows(page + 0x80));
    first.mark(page, 1);            // known
    third.written(page + 0x80, 8);  // no code
    EXPECT_EQ(learnt(), "| | | | ");
    third.written(page + 0x40, 1);
    EXPECT_EQ(learnt(), "-1 | -1 | -1 | -1 | ");
    EXPECT_TRUE(nobody_knows(page));
}

TEST_F(code_map_rig, apart_a_core_sees_its_own_marks) {
    map.run_apart();
    second.mark(page, 1);
    EXPECT_TRUE(second.holds_code(page));
    EXPECT_FALSE(first.holds_code(page));
    EXPECT_FALSE(third.holds_code(page));
    third.mark(page, 0x41);  // the same line and the next
    EXPECT_EQ(learnt(), "| +1000 | +1000 +1040 | | ");
    map.publish();
    // Each line once, and to nobody who has marked it when it was new.
    EXPECT_EQ(learnt(), "+1000 +1040 | +1040 | +1000 | +1000 +1040 | ");
    EXPECT_TRUE(everyone_knows(page));
    EXPECT_TRUE(everyone_knows(page + 0x40));
}

TEST_F(code_map_rig, apart_a_write_reaches_the_others_when_all_have_run) {
    first.mark(page, 1);
    learnt();
    map.run_apart();
    second.written(page, 1);
    EXPECT_FALSE(second.holds_code(page));
    EXPECT_TRUE(first.holds_code(page));
    EXPECT_TRUE(third.holds_code(page));
    EXPECT_EQ(learnt(), "| -1 | | -1 | ");  // who looks on knows at once
    map.publish();
    EXPECT_EQ(learnt(), "-1 | | -1 | | ");
    EXPECT_TRUE(nobody_knows(page));
}

// The writer decodes the new code before the others learn of the write.
TEST_F(code_map_rig, code_decoded_after_the_own_write_stays) {
    first.mark(page, 1);
    map.run_apart();
    second.written(page, 1);
    second.mark(page + 0x80, 1);
    EXPECT_FALSE(second.holds_code(page));
    EXPECT_TRUE(second.holds_code(page + 0x80));
    learnt();
    map.publish();
    EXPECT_EQ(learnt(), "-1 +1080 | | -1 +1080 | +1080 | ");
    EXPECT_TRUE(nobody_knows(page));
    EXPECT_TRUE(everyone_knows(page + 0x80));
}

// A core before the writer has decoded more of the page: that is void too. What one after it has
// decoded stays marked, in case it comes from the new bytes.
TEST_F(code_map_rig, a_write_voids_what_cores_before_it_have_decoded) {
    first.mark(page, 1);
    map.run_apart();
    third.mark(page + 0x100, 1);
    first.mark(page + 0xc0, 1);
    second.written(page, 1);
    learnt();
    map.publish();
    EXPECT_EQ(learnt(), "-1 +1100 | +10c0 +1100 | +10c0 -1 | +10c0 +1100 | ");
    EXPECT_TRUE(nobody_knows(page));
    EXPECT_TRUE(nobody_knows(page + 0xc0));
    EXPECT_TRUE(everyone_knows(page + 0x100));
}

TEST_F(code_map_rig, of_two_writes_the_second_finds_nothing) {
    first.mark(page, 1);
    map.run_apart();
    second.written(page, 1);
    third.written(page, 1);
    learnt();
    map.publish();
    EXPECT_EQ(learnt(), "-1 | | -1 | | ");
    // Nothing is left over for the next time.
    map.run_apart();
    map.publish();
    EXPECT_EQ(learnt(), "| | | | ");
}

TEST_F(code_map_rig, a_write_from_outside_reaches_everyone_at_once) {
    second.mark(page, 1);
    learnt();
    map.written(page + 0x40, 8);
    EXPECT_EQ(learnt(), "| | | | ");
    map.written(page + 0x3f, 2);
    EXPECT_EQ(learnt(), "-1 | -1 | -1 | -1 | ");
}

TEST_F(code_map_rig, memory_ends) {
    first.mark(16 * page, 1);
    EXPECT_FALSE(first.holds_code(16 * page));
    first.written(16 * page, 1);
    EXPECT_EQ(learnt(), "| | | | ");
}

}  // namespace
}  // namespace knc::isa
