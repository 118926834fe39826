// The buffers of sampling drivers: what is there, and what a hostile guest may put there.
#include <platform/samples.h>

#include <cstring>
#include <functional>

#include <gtest/gtest.h>

#include <platform/samplers.h>

#include "elf_builder.h"

namespace platform {
namespace {

constexpr std::uint64_t base = 0x200000, size = 0x1000;
constexpr std::uint64_t buffer_at = base, table_at = base + 0x400, log_at = base + 0x600,
                        records_at = base + 0x800;
constexpr std::size_t header_size = 56, record_size = 32;
constexpr std::size_t room = 4;     // records that knc_samples spans
constexpr std::size_t entries = 4;  // threads that knc_sample_logs spans
constexpr std::uint32_t log_record_size = 144, capacity = 4;

image example() {
    elf_builder b;
    b.add_segment(base, base, 0, size, PF_R | PF_W);
    b.add_symbol(sample_symbol, buffer_at, header_size + room * record_size, STT_OBJECT);
    b.add_symbol(log_symbol, table_at, 24 + 8 * entries, STT_OBJECT);
    return read_image(b.bytes(), "x.elf");
}

struct memory {
    std::string bytes = std::string(size, '\0');
    std::vector<std::string> problems;

    template <typename T>
    void store(std::uint64_t at, T v) {
        std::memcpy(bytes.data() + (at - base), &v, sizeof v);
    }
    std::vector<sample_log> read() {
        problems.clear();
        return read_samples(
            example(),
            [this](std::uint64_t at, void* to, std::size_t n) {
                if (at < base || at - base > size || n > size - (at - base)) return false;
                std::memcpy(to, bytes.data() + (at - base), n);
                return true;
            },
            problems);
    }
    // One line, and it says so.
    void expect_problem(const std::string& text) const {
        ASSERT_EQ(problems.size(), 1u);
        EXPECT_NE(problems[0].find(text), std::string::npos) << problems[0];
        EXPECT_EQ(problems[0].find('\n'), std::string::npos);
    }

    void begin_buffer(std::uint64_t count) {
        store(buffer_at, std::uint32_t{0x53434E4B});
        store(buffer_at + 4, std::uint32_t{1});
        store(buffer_at + 8, std::uint32_t{record_size});
        store(buffer_at + 12, std::uint32_t{room});
        store(buffer_at + 16, count);
        store(buffer_at + 32, std::uint64_t{1000});
        store(buffer_at + 48, std::uint32_t{0x00510016});
    }
    void buffer_record(std::size_t n, std::uint64_t rip, std::uint8_t counter) {
        store(buffer_at + header_size + n * record_size, rip);
        store(buffer_at + header_size + n * record_size + 27, counter);
    }

    // The table, and a log of thread 2 that has stopped, with `written` records.
    void begin_log(std::uint64_t written) {
        store(table_at, std::uint32_t{0x4C434E4B});
        store(table_at + 4, std::uint32_t{1});
        store(table_at + 8, log_record_size);
        store(table_at + 12, std::uint32_t{12});
        store(table_at + 16, std::uint32_t{entries});
        store(table_at + 24 + 2 * 8, log_at);
        store(log_at, records_at);
        store(log_at + 8, std::uint64_t{capacity});
        store(log_at + 16, written);
        store(log_at + 32, std::uint64_t{55});          // clocks lost
        store(log_at + 40, std::uint64_t{6});           // stops
        store(log_at + 48, std::uint32_t{2});           // the thread
        store(log_at + 52, std::uint32_t{2});           // stopped
        store(log_at + 64, std::uint64_t{1000});        // period
        store(log_at + 72, written);                    // samples
        store(log_at + 80, std::uint64_t{1});           // missed
        store(log_at + 88, std::uint64_t{77});          // remainder
        store(log_at + 96, std::uint32_t{0x00510016});  // INSTRUCTIONS_EXECUTED, USR
        for (std::uint32_t n = 0; n < capacity; ++n) log_record(n, 0x1000 + n, 1, 0);
    }
    void log_record(std::uint32_t place, std::uint64_t rip, std::uint64_t weight,
                    std::uint32_t depth) {
        const std::uint64_t at = records_at + place * log_record_size;
        store(at, rip);
        store(at + 8, std::uint64_t{100 + place});  // time
        store(at + 24, std::uint16_t{2});
        store(at + 26, std::uint8_t{3});
        store(at + 32, weight);
        store(at + 40, depth);
        for (std::uint32_t n = 0; n < 12; ++n) store(at + 48 + 8 * n, std::uint64_t{0x2000 + n});
    }
};

TEST(read_samples, takes_what_is_stored) {
    memory m;
    EXPECT_TRUE(m.read().empty());  // sampling never began
    EXPECT_TRUE(m.problems.empty());
    m.begin_buffer(2);
    m.buffer_record(0, 0x100010, 0);
    m.buffer_record(1, 0x100035, 255);
    const auto logs = m.read();
    ASSERT_EQ(logs.size(), 1u);
    EXPECT_TRUE(m.problems.empty());
    EXPECT_FALSE(logs[0].thread);
    EXPECT_EQ(logs[0].counter[0].period, 1000u);
    ASSERT_EQ(logs[0].samples.size(), 2u);
    EXPECT_EQ(logs[0].samples[1].rip, 0x100035u);
    EXPECT_EQ(logs[0].samples[1].counter, timer_sample);
}

TEST(read_samples, trusts_no_count_of_the_buffer) {
    memory m;
    m.begin_buffer(~0ull);
    m.store(buffer_at + 12, ~std::uint32_t{0});
    EXPECT_EQ(m.read().at(0).samples.size(), room);
    m.store(buffer_at + 8, std::uint32_t{8});  // records shorter than a record
    EXPECT_TRUE(m.read().empty());
    m.expect_problem("knc_samples: records of 8 bytes");
    m.begin_buffer(2);
    m.store(buffer_at + 4, std::uint32_t{2});
    EXPECT_TRUE(m.read().empty());
    m.expect_problem("version 2");
    m.begin_buffer(2);
    m.store(buffer_at + 32, ~std::uint64_t{0});
    EXPECT_TRUE(m.read().empty());
    m.expect_problem("a period of 18446744073709551615");
    m.store(buffer_at, std::uint32_t{0});
    EXPECT_TRUE(m.read().empty());
    EXPECT_TRUE(m.problems.empty());
}

TEST(read_samples, takes_the_log_of_a_thread) {
    memory m;
    m.begin_log(3);
    m.log_record(1, 0x1234, 5, 2);
    const auto logs = m.read();
    EXPECT_TRUE(m.problems.empty());
    ASSERT_EQ(logs.size(), 1u);
    const sample_log& l = logs[0];
    EXPECT_EQ(l.thread, 2);
    EXPECT_TRUE(l.stopped);
    EXPECT_EQ(l.lost, 55u);
    EXPECT_EQ(l.stops, 6u);
    EXPECT_EQ(l.counter[0].missed, 1u);
    EXPECT_EQ(l.counter[0].remainder, 77u);
    ASSERT_EQ(l.samples.size(), 3u);
    EXPECT_EQ(l.samples[1].rip, 0x1234u);
    EXPECT_EQ(l.samples[1].weight, 5u);
    EXPECT_EQ(l.samples[1].callers, (std::vector<std::uint64_t>{0x2000, 0x2001}));

    // The driver's account: 1000 x (3 + 1) + 77. The model's: what it says.
    const std::vector<knc::pmu::counted> truth{
        {{knc::base::instructions_executed, false, true}, 4078},
        {{knc::base::instructions_executed, true, true}, 9}};
    const auto accounts = make_accounts(logs, [&](std::uint16_t thread, std::size_t n) {
        EXPECT_EQ(thread, 2u);
        EXPECT_EQ(n, 0u);
        return &truth;
    });
    ASSERT_EQ(accounts.size(), 1u);
    EXPECT_EQ(accounts[0].stored, 3u);
    EXPECT_EQ(accounts[0].counters.at(0)->weight, 7u);
    EXPECT_EQ(accounts[0].counters.at(0)->counted, 4077u);
    EXPECT_EQ(accounts[0].counters.at(0)->truth, 4078u);
    EXPECT_FALSE(accounts[0].counters.at(1));
}

// Record n lies at n % capacity. Taken ones, and those that were overwritten, are not read.
TEST(read_samples, takes_the_newest_records_of_a_ring) {
    memory m;
    m.begin_log(6);
    m.store(log_at + 24, std::uint64_t{3});
    auto l = m.read().at(0);
    EXPECT_EQ(l.taken, 3u);
    ASSERT_EQ(l.samples.size(), 3u);
    EXPECT_EQ(l.samples[0].rip, 0x1003u);  // record 3
    EXPECT_EQ(l.samples[2].rip, 0x1001u);  // record 5
    m.store(log_at + 24, std::uint64_t{1});
    l = m.read().at(0);
    ASSERT_EQ(l.samples.size(), 4u);
    EXPECT_EQ(l.samples[0].rip, 0x1002u);  // record 2
}

struct hostile_case {
    const char* what;
    std::function<void(memory&)> spoil;
    std::size_t logs, samples;
    const char* problem;
};

TEST(read_samples, survives_hostile_logs) {
    constexpr std::uint64_t all = ~std::uint64_t{0};
    const std::vector<hostile_case> cases = {
        {"other version", [](memory& m) { m.store(table_at + 4, std::uint32_t{7}); }, 0, 0,
         "version 7"},
        {"other magic", [](memory& m) { m.store(table_at, std::uint32_t{7}); }, 0, 0, "magic 0x7"},
        {"short records", [](memory& m) { m.store(table_at + 8, std::uint32_t{143}); }, 0, 0,
         "records of 143 bytes"},
        {"no record size", [](memory& m) { m.store(table_at + 8, std::uint32_t{0}); }, 0, 0,
         "records of 0 bytes"},
        {"huge records", [](memory& m) { m.store(table_at + 8, ~std::uint32_t{0}); }, 0, 0,
         "records of 4294967295 bytes"},
        {"long chains", [](memory& m) { m.store(table_at + 12, ~std::uint32_t{0}); }, 0, 0,
         "4294967295 addresses"},
        {"more threads than the symbol has room for: the others are not read",
         [](memory& m) {
             m.store(table_at + 16, ~std::uint32_t{0});
             m.store(table_at + 24 + 8 * entries, std::uint64_t{log_at});
         },
         1, 3, nullptr},
        {"log outside of memory", [](memory& m) { m.store(table_at + 40, std::uint64_t{0x10}); }, 0,
         0, "no memory at 0x10"},
        {"log at the end of all addresses", [](memory& m) { m.store(table_at + 40, all - 7); }, 0,
         0, "no memory at 0xfffffffffffffff8"},
        {"log of another thread", [](memory& m) { m.store(log_at + 48, std::uint32_t{1}); }, 0, 0,
         "a log of thread 1"},
        {"no state", [](memory& m) { m.store(log_at + 52, std::uint32_t{0}); }, 0, 0, "state 0"},
        {"unknown state", [](memory& m) { m.store(log_at + 52, std::uint32_t{3}); }, 0, 0,
         "state 3"},
        {"no room", [](memory& m) { m.store(log_at + 8, std::uint64_t{0}); }, 0, 0, "room for 0"},
        {"more read than written", [](memory& m) { m.store(log_at + 24, std::uint64_t{4}); }, 0, 0,
         "3 records written, 4 read"},
        {"long period", [](memory& m) { m.store(log_at + 64, all); }, 0, 0, "a period of"},
        {"long interval", [](memory& m) { m.store(log_at + 56, all); }, 0, 0, "a period of"},
        {"records outside of memory", [](memory& m) { m.store(log_at, std::uint64_t{0x20}); }, 1, 0,
         "no memory where record 0 is"},
        {"records that wrap around", [](memory& m) { m.store(log_at, all - 143); }, 1, 0,
         "no memory where record 0 is"},
        {"a ring of all memory",
         [](memory& m) {
             m.store(log_at + 8, all);
             m.store(log_at + 16, all);
             for (std::uint32_t n = 0; n < 14; ++n) m.log_record(n, 1, 1, 0);
         },
         1, 14, "no memory where record 14 is"},
        {"offset beyond 64 bits",
         [](memory& m) {
             m.store(log_at + 8, all);
             m.store(log_at + 16, all);
             m.store(log_at + 24, all - 1);
         },
         1, 0, "no memory where record 18446744073709551614 is"},
        {"a sum beyond 64 bits that is an address of memory again",
         [](memory& m) {
             // 2^56 records of 144 bytes are 9000000000000000H.
             constexpr std::uint64_t number = std::uint64_t{1} << 56;
             m.store(log_at, records_at - number * log_record_size);
             m.store(log_at + 8, all);
             m.store(log_at + 16, number + 1);
             m.store(log_at + 24, number);
         },
         1, 0, "no memory where record 72057594037927936 is"},
        {"no weight", [](memory& m) { m.log_record(1, 1, 0, 0); }, 1, 2, "1 records that make no"},
        {"more periods than a counter counts", [](memory& m) { m.log_record(1, 1, all, 0); }, 1, 2,
         "1 records that make no"},
        {"chain longer than the record", [](memory& m) { m.log_record(1, 1, 1, 13); }, 1, 2,
         "1 records that make no"},
        {"unknown counter", [](memory& m) { m.store(records_at + 27, std::uint8_t{2}); }, 1, 2,
         "1 records that make no"},
        {"unknown ring", [](memory& m) { m.store(records_at + 26, std::uint8_t{4}); }, 1, 2,
         "1 records that make no"},
        {"record of another thread", [](memory& m) { m.store(records_at + 24, std::uint16_t{9}); },
         1, 2, "1 records that make no"},
    };
    for (const hostile_case& c : cases) {
        SCOPED_TRACE(c.what);
        memory m;
        m.begin_log(3);
        c.spoil(m);
        const auto logs = m.read();
        ASSERT_EQ(logs.size(), c.logs);
        if (c.logs != 0) {
            EXPECT_EQ(logs[0].samples.size(), c.samples);
        }
        if (c.problem != nullptr) {
            m.expect_problem(c.problem);
        } else {
            EXPECT_TRUE(m.problems.empty());
        }
    }
}

// All threads may show the same log; together they have a limit.
TEST(read_samples, has_a_limit) {
    memory m;
    m.begin_log(3);
    std::vector<std::string> problems;
    std::uint64_t reads = 0;
    const auto logs = read_samples(
        example(),
        [&](std::uint64_t at, void* to, std::size_t n) {
            ++reads;
            // Memory everywhere: each record is the first one.
            if (at >= records_at || at < base) at = records_at;
            std::memcpy(to, m.bytes.data() + (at - base), n);
            // A ring without end.
            if (at == log_at)
                for (const std::size_t field : {8u, 16u})
                    std::memset(static_cast<char*>(to) + field, 0x7F, 8);
            return true;
        },
        problems);
    ASSERT_EQ(logs.size(), 1u);
    EXPECT_EQ(logs[0].samples.size(), std::size_t{1} << 20);
    ASSERT_EQ(problems.size(), 1u);
    EXPECT_NE(problems[0].find("more than 1048576 samples"), std::string::npos);
    EXPECT_LT(reads, (std::uint64_t{1} << 20) + 100);
}

}  // namespace
}  // namespace platform
