// UTF-8: the boundaries of RFC 3629's table.
#include <platform/utf8.h>

#include <string>

#include <gtest/gtest.h>

namespace platform {
namespace {

bool valid(const std::string& s) {
    return first_invalid_utf8(s) == s.size();
}

TEST(utf8, accepts_the_ends_of_each_range) {
    for (const char* s : {"", "a", "\x7f", "\xC2\x80", "\xDF\xBF", "\xE0\xA0\x80", "\xED\x9F\xBF",
                          "\xEE\x80\x80", "\xEF\xBF\xBF", "\xF0\x90\x80\x80", "\xF4\x8F\xBF\xBF"})
        EXPECT_TRUE(valid(s)) << s;
}

TEST(utf8, refuses_what_lies_just_outside) {
    for (const char* s : {"\x80", "\xBF", "\xC0\x80", "\xC1\xBF", "\xC2", "\xC2\x7F", "\xC2\xC0",
                          "\xE0\x9F\xBF", "\xE0\xA0", "\xED\xA0\x80", "\xF0\x8F\xBF\xBF",
                          "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFF"})
        EXPECT_FALSE(valid(s)) << s;
    EXPECT_EQ(first_invalid_utf8("ab\xC3\xA4\xC3"), 4u);
}

TEST(utf8, makes_names_of_anything) {
    EXPECT_EQ(as_name(""), "");
    EXPECT_EQ(as_name("f(int) \xC3\xA4"), "f(int) \xC3\xA4");
    EXPECT_EQ(as_name("a\nb\x7F\t"), "a_b__");
    EXPECT_EQ(as_name("\xFFx\xC3"), "_x_");
    EXPECT_EQ(as_name("\xE0\xA0z"), "__z");
}

}  // namespace
}  // namespace platform
