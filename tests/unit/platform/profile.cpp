// Sample buffer and profile.
#include <platform/profile.h>

#include <cstring>
#include <sstream>

#include <gtest/gtest.h>

#include "elf_builder.h"
#include "no_machine.h"

namespace platform {
namespace {

constexpr std::uint64_t buffer_at = 0x200000;
constexpr std::size_t header_size = 56, record_size = 32;
constexpr std::size_t room = 4;  // records the symbol spans

// An image with two functions at 0x100010 (32 bytes) and 0x100030 (16 bytes), and a sample buffer.
image example() {
    elf_builder b;
    b.add_segment(buffer_at, buffer_at, 0, 0x1000, PF_R | PF_W);
    b.add_symbol("first", 0x100010, 32, STT_FUNC);
    b.add_symbol("second", 0x100030, 16, STT_FUNC);
    b.add_symbol(sample_symbol, buffer_at, header_size + room * record_size, STT_OBJECT);
    return read_image(b.bytes(), "x.elf");
}

struct memory {
    std::string bytes = std::string(header_size + room * record_size, '\0');

    template <typename T>
    void store(std::size_t at, T v) {
        std::memcpy(bytes.data() + at, &v, sizeof v);
    }
    void begin(std::uint64_t count) {
        store(0, std::uint32_t{0x53434E4B});
        store(4, std::uint32_t{1});
        store(8, std::uint32_t{record_size});
        store(12, std::uint32_t{room});
        store(16, count);
        store(32, std::uint64_t{1000});        // period of counter 0
        store(48, std::uint32_t{0x00510016});  // INSTRUCTIONS_EXECUTED, USR, EN, INT
    }
    void record(std::size_t n, std::uint64_t rip, std::uint8_t counter) {
        store(header_size + n * record_size, rip);
        store(header_size + n * record_size + 27, counter);
    }
    memory_reader reader() const {
        return [this](std::uint64_t at, void* to, std::size_t size) {
            if (at < buffer_at || at - buffer_at + size > bytes.size()) return false;
            std::memcpy(to, bytes.data() + (at - buffer_at), size);
            return true;
        };
    }
};

TEST(read_samples, takes_what_is_stored) {
    memory m;
    m.begin(2);
    m.record(0, 0x100010, 0);
    m.record(1, 0x100035, 255);
    std::string problem;
    const auto b = read_samples(example(), m.reader(), problem);
    ASSERT_TRUE(b);
    EXPECT_EQ(problem, "");
    EXPECT_EQ(b->period[0], 1000u);
    ASSERT_EQ(b->samples.size(), 2u);
    EXPECT_EQ(b->samples[1].rip, 0x100035u);
    EXPECT_EQ(b->samples[1].counter, timer_sample);
}

TEST(read_samples, trusts_no_count) {
    memory m;
    m.begin(~0ull);
    m.store(12, ~std::uint32_t{0});
    std::string problem;
    EXPECT_EQ(read_samples(example(), m.reader(), problem)->samples.size(), room);
    m.store(8, std::uint32_t{8});  // records shorter than a record
    EXPECT_FALSE(read_samples(example(), m.reader(), problem));
    EXPECT_NE(problem, "");
    problem.clear();
    m.store(0, std::uint32_t{0});  // sampling never began
    EXPECT_FALSE(read_samples(example(), m.reader(), problem));
    EXPECT_EQ(problem, "");
}

TEST(profile, puts_sampled_and_exact_shares_side_by_side) {
    memory m;
    m.begin(4);
    for (std::size_t n = 0; n < 3; ++n)
        m.record(n, 0x100010 + 31 * (n % 2), 0);  // first and last byte of "first"
    m.record(3, 0x100040, 0);                     // behind "second"
    std::string problem;
    const image i = example();
    const auto b = read_samples(i, m.reader(), problem);

    no_machine machine;
    symbols known{i, {}, [](std::uint64_t, void*, std::size_t) { return false; }};
    function_profile by_function{known};
    knc::core::profile exact{by_function};
    const auto retired = [&](unsigned thread, knc::base::privilege p, std::uint64_t ip,
                             knc::base::cycle_t now) {
        exact.retired(thread, machine.c, p, ip, ip, now);
    };
    // Three instructions of "first" and one of "second" at CPL 3, and one at CPL 0, which the
    // counter does not see.
    for (int n = 0; n < 3; ++n) retired(0, knc::base::user, 0x100012, 10);
    retired(1, knc::base::user, 0x100030, 10);
    retired(1, knc::base::supervisor, 0x100030, 11);

    const auto profiles = make_profiles(*b, i, &by_function);
    ASSERT_EQ(profiles.size(), 1u);
    const profile& p = profiles[0];
    EXPECT_EQ(p.event, "INSTRUCTIONS_EXECUTED");
    EXPECT_EQ(p.samples, 4u);
    EXPECT_EQ(p.exact, 4u);
    EXPECT_EQ(p.exact_unit, "instructions");
    ASSERT_EQ(p.functions.size(), 3u);
    EXPECT_EQ(p.functions[0].name, "first");
    EXPECT_DOUBLE_EQ(p.share(p.functions[0]), 75);
    EXPECT_DOUBLE_EQ(p.exact_share(p.functions[0]), 75);
    // "second": 25 % exact, no sample; one sample in no function.
    EXPECT_DOUBLE_EQ(p.largest_difference(), 25);

    std::ostringstream folded;
    write_folded(folded, profiles, i);
    EXPECT_EQ(folded.str(), "x.elf;first 3\nx.elf;[unknown] 1\n");
    std::ostringstream list;
    write_samples(list, *b, i);
    EXPECT_NE(list.str().find("0x000000000010002f first+0x1f 0 0 0 0 0\n"), std::string::npos)
        << list.str();
}

TEST(profile, keeps_what_two_counters_sampled_apart) {
    memory m;
    m.begin(2);
    m.store(52, std::uint32_t{
                    0x00530012});  // BRANCHES: the cores keep no exact count of it per address
    m.record(0, 0x100010, 0);
    m.record(1, 0x100030, 1);
    std::string problem;
    const image i = example();
    const auto profiles = make_profiles(*read_samples(i, m.reader(), problem), i, nullptr);
    ASSERT_EQ(profiles.size(), 2u);
    EXPECT_EQ(profiles[1].event, "BRANCHES");
    EXPECT_EQ(profiles[1].exact_unit, "");
    std::ostringstream folded;
    write_folded(folded, profiles, i);
    EXPECT_EQ(folded.str(), "x.elf;INSTRUCTIONS_EXECUTED;first 1\nx.elf;BRANCHES;second 1\n");
}

}  // namespace
}  // namespace platform
