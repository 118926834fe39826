// Values that are saved are loaded again; what was not saved so is refused.
#include <gtest/gtest.h>

#include <knc/base/memory_archive.h>

namespace knc::base {
namespace {

enum class colour : std::uint8_t { red, green };

struct point {
    int x = 0, y = 0;

    void serialize(archive& a) { a(x, y); }
    bool operator==(const point& o) const { return x == o.x && y == o.y; }
};

template <class T>
std::string saved(T v) {
    memory_writer w;
    w(v);
    return w.content();
}

template <class T>
T loaded(const std::string& content, T into = {}) {
    memory_reader r(content);
    r(into);
    EXPECT_TRUE(r.left().empty());
    return into;
}

// What is there before does not stay.
template <class T>
void expect_kept(const T& v, const T& before) {
    EXPECT_EQ(loaded(saved(v), before), v);
    EXPECT_EQ(loaded(saved(T{}), before), T{});
}

TEST(archive, keeps_values) {
    expect_kept<std::uint64_t>(0x1234'5678'9abc'def0, 1);
    expect_kept(true, true);
    expect_kept(colour::green, colour::green);
    expect_kept(point{1, -2}, point{3, 4});
    expect_kept<std::array<std::uint16_t, 3>>({1, 2, 3}, {4, 5, 6});
    expect_kept<std::array<bool, 2>>({true, false}, {true, true});
    expect_kept<std::string>(std::string("a\0b", 3), "c");
    expect_kept<std::vector<point>>({{1, 2}, {3, 4}}, {{5, 6}});
    expect_kept<std::deque<std::uint8_t>>({7, 8}, {9});
    expect_kept<std::optional<point>>(point{1, 2}, point{3, 4});
    expect_kept<std::pair<std::uint8_t, std::string>>({1, "x"}, {2, "y"});
    expect_kept<std::multiset<int>>({2, 1, 2}, {3});
}

TEST(archive, equal_keys_keep_their_order) {
    const std::multimap<int, std::string> m{{1, "b"}, {1, "a"}, {0, "c"}};
    EXPECT_EQ((loaded<std::multimap<int, std::string>>(saved(m))), m);
}

// One byte each: the size of what is saved is that of the values.
TEST(archive, saves_nothing_but_values) {
    EXPECT_EQ(saved(colour::green), std::string("\1"));
    EXPECT_EQ(saved(true), std::string("\1"));
    EXPECT_EQ(saved(point{}).size(), 2 * sizeof(int));
}

TEST(archive, refuses_an_early_end) {
    const std::string whole = saved(std::vector<std::uint32_t>{1, 2, 3});
    for (std::size_t n = 0; n < whole.size(); ++n)
        EXPECT_THROW(loaded<std::vector<std::uint32_t>>(whole.substr(0, n)), archive_error) << n;
}

// A size that is far too large asks for no memory.
TEST(archive, refuses_a_size_without_content) {
    EXPECT_THROW(loaded<std::vector<std::uint64_t>>(saved(~std::uint64_t{0})), archive_error);
}

TEST(archive, refuses_a_bool_that_is_none) {
    EXPECT_THROW(loaded<bool>("\2"), archive_error);
}

TEST(archive, parts_are_where_they_belong) {
    memory_writer w;
    w.part("core");
    memory_reader same(w.content()), other(w.content());
    same.part("core");
    EXPECT_TRUE(same.left().empty());
    EXPECT_THROW(other.part("card"), archive_error);
}

}  // namespace
}  // namespace knc::base
