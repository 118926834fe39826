// The pool of host threads: who does which share, and that nothing is lost or done twice.
#include <knc/card/host_threads.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <set>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

namespace knc::card {
namespace {

TEST(host_threads, does_every_share_once_in_every_round) {
    constexpr unsigned threads = 4;
    constexpr std::uint64_t rounds = 20'000;
    host_threads pool{threads};
    ASSERT_EQ(pool.count(), threads);
    // Plain numbers: a share that two threads did at a time would lose some.
    struct alignas(64) cell {
        std::uint64_t n = 0;
    };
    std::vector<cell> done(threads);
    for (std::uint64_t r = 0; r < rounds; ++r) {
        pool.run([&](unsigned share) {
            // Long enough for the others to begin.
            for (volatile unsigned n = 0; n < 300; n = n + 1) {
            }
            ++done[share].n;
        });
        // The caller sees what the round has written.
        for (const cell& c : done) ASSERT_EQ(c.n, r + 1);
    }
}

TEST(host_threads, a_share_sees_what_other_shares_wrote_in_the_round_before) {
    constexpr unsigned threads = 3;
    host_threads pool{threads};
    std::vector<std::uint64_t> now(threads, 1), next(threads);
    for (unsigned r = 0; r < 1'000; ++r) {
        pool.run([&](unsigned share) {
            next[share] = now[share] + now[(share + 1) % threads] * 3 % 1'000'003;
        });
        now.swap(next);
    }
    // All shares begin alike and do the same to the same numbers.
    EXPECT_EQ(now[0], now[1]);
    EXPECT_EQ(now[0], now[2]);
    EXPECT_NE(now[0], 1u);
}

TEST(host_threads, one_thread_does_all_by_itself) {
    host_threads pool{1};
    std::set<std::thread::id> who;
    pool.run([&](unsigned share) {
        EXPECT_EQ(share, 0u);
        who.insert(std::this_thread::get_id());
    });
    EXPECT_EQ(who, std::set{std::this_thread::get_id()});
}

// Each of two shares waits until the other one has begun, which one thread alone cannot do.
TEST(host_threads, shares_run_at_a_time) {
    host_threads pool{2};
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    bool met = false;
    // Where the second thread sleeps, the caller may do both shares: then they do not meet.
    while (!met && std::chrono::steady_clock::now() < end) {
        std::atomic<unsigned> begun{0}, in_vain{0};
        pool.run([&](unsigned) {
            ++begun;
            const auto patience = std::chrono::steady_clock::now() + std::chrono::milliseconds(100);
            while (begun < 2 && std::chrono::steady_clock::now() < patience)
                std::this_thread::yield();
            if (begun < 2) ++in_vain;
        });
        met = in_vain == 0;
    }
    EXPECT_TRUE(met);
}

// Threads that have gone to sleep wake up for the next round.
TEST(host_threads, goes_on_after_a_pause) {
    host_threads pool{3};
    std::atomic<unsigned> done{0};
    for (unsigned r = 1; r <= 5; ++r) {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        pool.run([&](unsigned) { ++done; });
        EXPECT_EQ(done, 3 * r);
    }
}

// A thread that sleeps holds nobody up: the caller does its share.
TEST(host_threads, the_caller_does_a_share_that_nobody_has_begun) {
    host_threads pool{2};
    const std::thread::id me = std::this_thread::get_id();
    bool by_me = false;
    for (unsigned r = 0; r < 1'000 && !by_me; ++r) {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        pool.run([&](unsigned share) {
            if (share == 1) by_me = std::this_thread::get_id() == me;
        });
    }
    EXPECT_TRUE(by_me);
}

TEST(host_threads, signals_go_to_the_threads_that_the_process_had) {
    host_threads pool{2};
    static std::thread::id handled_by;
    const auto before = std::signal(SIGUSR2, [](int) { handled_by = std::this_thread::get_id(); });
    for (unsigned r = 0; r < 50; ++r) {
        handled_by = {};
        kill(getpid(), SIGUSR2);
        while (handled_by == std::thread::id{}) std::this_thread::yield();
        ASSERT_EQ(handled_by, std::this_thread::get_id());
        pool.run([](unsigned) {});
    }
    std::signal(SIGUSR2, before);
}

TEST(host_threads, ends_while_its_threads_spin_or_sleep) {
    for (unsigned pause : {0u, 0u, 0u, 10u}) {
        host_threads pool{4};
        if (pause == 0) pool.run([](unsigned) {});
        std::this_thread::sleep_for(std::chrono::milliseconds(pause));
    }
}

}  // namespace
}  // namespace knc::card
