// The file of a checkpoint: what was written is read, and nothing else is taken for it.
#include <cstdio>
#include <fstream>
#include <iterator>
#include <random>
#include <string>

#include <unistd.h>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <platform/checkpoint.h>
#include <platform/input_error.h>
#include <platform/keys.h>
#include <platform/program.h>

namespace platform {
namespace {

const run_identity parts{{"command line", "a b"}, {"key card.tiles", "2"}};

std::string read(const std::string& path) {
    std::ifstream in{path, std::ios::binary};
    return {std::istreambuf_iterator<char>{in}, {}};
}

// A checkpoint whose state is the numbers 0 to 99,999.
// Each test is a process of its own, and several run at once: each needs its own file.
std::string some_file(const std::string& version) {
    const std::string path = fmt::format("{}checkpoint_{}.ckpt", testing::TempDir(), getpid());
    compressor c;
    for (std::uint32_t n = 0; n < 100'000; ++n) c(n);
    write_checkpoint(path, {version, parts, 4321}, c.finish());
    std::string content = read(path);
    std::remove(path.c_str());
    return content;
}

std::string own_file() {
    return some_file(program_version());
}

std::string refusal(const std::string& content) {
    try {
        read_checkpoint(content, "f.ckpt");
    } catch (const input_error& e) {
        return e.what();
    }
    return {};
}

TEST(checkpoint_file, is_read_as_it_was_written) {
    const checkpoint_file f = read_checkpoint(own_file(), "f.ckpt");
    EXPECT_EQ(f.header.clock, 4321u);
    EXPECT_EQ(f.header.made_of, parts);
    decompressor d(f.state());
    for (std::uint32_t n = 0; n < 100'000; ++n) {
        std::uint32_t found = 0;
        d(found);
        ASSERT_EQ(found, n);
    }
    std::uint8_t more = 0;
    EXPECT_THROW(d(more), knc::base::archive_error);
    EXPECT_NO_THROW(check_identity(f, parts));
}

TEST(checkpoint_file, refuses_what_is_none) {
    EXPECT_EQ(refusal(""), "f.ckpt: no checkpoint of knc-vp");
    EXPECT_EQ(refusal("\x7f"
                      "ELF and so on, and so on, and so on"),
              "f.ckpt: no checkpoint of knc-vp");
    EXPECT_EQ(refusal(some_file("0.0")).find("f.ckpt: a checkpoint of knc-vp 0.0; this is"), 0u);
}

TEST(checkpoint_file, refuses_a_later_format) {
    std::string f = own_file();
    ++f[8];
    EXPECT_EQ(refusal(f), "f.ckpt: a checkpoint of format 2; this program reads format 1");
}

TEST(checkpoint_file, refuses_every_length_but_its_own) {
    const std::string whole = own_file();
    for (std::size_t n = 0; n < whole.size(); n += n < 300 ? 1 : 997)
        EXPECT_NE(refusal(whole.substr(0, n)), "") << n;
    EXPECT_NE(refusal(whole.substr(0, whole.size() - 1)), "");
    EXPECT_NE(refusal(whole + '\0'), "");
}

TEST(checkpoint_file, refuses_every_changed_bit) {
    const std::string whole = own_file();
    const auto seed = std::random_device{}();
    std::mt19937 random{seed};
    for (int n = 0; n < 300; ++n) {
        std::string f = whole;
        const std::size_t at = n < 100 ? static_cast<std::size_t>(n) : random() % f.size();
        f[at] = static_cast<char>(f[at] ^ 1 << random() % 8);
        const std::string why = refusal(f);
        EXPECT_NE(why, "") << "seed " << seed << ", byte " << at;
        EXPECT_EQ(why.find('\n'), std::string::npos);
    }
}

TEST(checkpoint_file, names_the_first_difference) {
    const checkpoint_file f = read_checkpoint(own_file(), "f.ckpt");
    const auto why = [&f](const run_identity& here) -> std::string {
        try {
            check_identity(f, here);
        } catch (const input_error& e) {
            return e.what();
        }
        return {};
    };
    EXPECT_EQ(why({{"command line", "a b"}, {"key card.tiles", "4"}}),
              "f.ckpt: key card.tiles: '2' in the checkpoint, '4' here");
    EXPECT_EQ(why({{"command line", "a b"}}), "f.ckpt: a checkpoint of a program with other keys");
}

// Every group and key that may differ exists.
TEST(checkpoint, keys_that_may_differ) {
    for (const char* name :
         {"limits.max_cycles", "sim.quantum", "trace.scopes", "log.kinds", "timeline.wanted",
          "profile.functions", "checkpoint.restore", "pmu.audit", "fast_forward.to"})
        EXPECT_TRUE(may_differ(name)) << name;
    for (const char* name :
         {"card.tiles", "fast_forward.quantum", "pmu.reserved_bits", "uart.handshake"})
        EXPECT_FALSE(may_differ(name)) << name;
    std::size_t free = 0;
    for (const key& k : keys()) free += may_differ(k.name);
    EXPECT_LT(free, keys().size() / 2);
}

}  // namespace
}  // namespace platform
