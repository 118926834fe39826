// The memory in a checkpoint: pages that are not all zeros, and nothing that was there before.
#include <cstdint>

#include <gtest/gtest.h>

#include <knc/base/memory_archive.h>
#include <knc/memory/ram.h>

namespace knc::memory {
namespace {

TEST(memory_checkpoint, pages) {
    constexpr std::uint64_t page = 0x1000, size = 8192 * page;
    ram a("a", size), b("b", size);
    a.data()[0] = 1;
    a.data()[5 * page + 4095] = 2;
    a.data()[1024 * page] = 3;
    a.data()[size - 1] = 4;
    a.data()[7 * page] = 0;  // in use, but blank
    base::memory_writer w;
    w(a);
    // Four pages with their numbers, and the end.
    EXPECT_EQ(w.content().size(), 4 * (page + 8) + 8);
    b.data()[0] = 9;
    b.data()[6 * page] = 9;
    base::memory_reader r(w.content());
    r(b);
    EXPECT_TRUE(r.left().empty());
    for (std::uint64_t n = 0; n < size; ++n) ASSERT_EQ(a.data()[n], b.data()[n]) << n;
}

TEST(memory_checkpoint, refuses_a_page_beyond_its_end) {
    ram large("large", 0x3000), small("small", 0x2000);
    large.data()[0x2000] = 1;
    base::memory_writer w;
    w(large);
    base::memory_reader r(w.content());
    EXPECT_THROW(r(small), base::archive_error);
}

}  // namespace
}  // namespace knc::memory
