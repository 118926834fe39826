// Runs of a card in processes of their own, to compare their times: a SystemC kernel elaborates
// once.
#ifndef KNC_TESTS_UNIT_CARD_ELSEWHERE_H
#define KNC_TESTS_UNIT_CARD_ELSEWHERE_H

#include <cstdint>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include <knc/card/parameters.h>

namespace knc::card::test {

// Runs with these parameters and this quantum, and returns times.
using scenario = std::vector<std::uint32_t>(const parameters&, base::cycle_t quantum);

inline std::vector<std::uint32_t> times_elsewhere(scenario run, const parameters& p,
                                                  base::cycle_t quantum) {
    int ends[2] = {};
    EXPECT_EQ(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) {
        const std::vector<std::uint32_t> times = run(p, quantum);
        const std::size_t bytes = times.size() * sizeof(std::uint32_t);
        const bool sent = write(ends[1], times.data(), bytes) == static_cast<ssize_t>(bytes);
        _exit(sent && !testing::Test::HasFailure() ? 0 : 1);
    }
    close(ends[1]);
    std::vector<std::uint32_t> times;
    std::uint32_t t = 0;
    while (read(ends[0], &t, sizeof t) == sizeof t) times.push_back(t);
    close(ends[0]);
    int status = 1;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    return times;
}

}  // namespace knc::card::test

#endif
