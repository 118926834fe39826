// docs/sbox.md has the registers as the table has them.
#include <fstream>
#include <iterator>
#include <string>

#include <gtest/gtest.h>

#include <knc/sbox/register_table.h>

namespace knc::sbox::test {
namespace {

TEST(sbox_page, has_the_registers) {
    std::ifstream page(KNC_SOURCE "/docs/sbox.md", std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(page), {}};
    if (text.find(register_page()) != std::string::npos) return;
    const std::string file = testing::TempDir() + "sbox_registers.md";
    std::ofstream(file, std::ios::binary) << register_page();
    FAIL() << "docs/sbox.md does not contain the present table, which is in " << file;
}

}  // namespace
}  // namespace knc::sbox::test
