// The monitor's socket: requests for now and for later, clients that hold the run, clients that do
// not keep the protocol.
#include <platform/monitor_server.h>

#include <cstring>
#include <map>
#include <memory>
#include <thread>

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include <knc/monitor/client.h>

namespace platform {
namespace {

namespace monitor = knc::monitor;

class watched : public testing::Test, msr_target_if {
  protected:
    watched() : directory_(testing::TempDir() + "monitorXXXXXX") {
        EXPECT_NE(mkdtemp(directory_.data()), nullptr);
        path = directory_ + "/s";
        server = std::make_unique<monitor_server>(
            path, shape,
            [this] {
                monitor::snapshot s = monitor::start_of(shape);
                s.cycle = now;
                return s;
            },
            static_cast<msr_target_if&>(*this),
            [this](const std::string& text) { warnings.push_back(text); });
    }
    ~watched() override {
        server.reset();
        rmdir(directory_.c_str());
    }

    // A run of `cycles` that looks for clients in each, as the real one does now and then.
    void run(knc::base::cycle_t cycles) {
        for (; now < cycles; ++now) {
            server->look();
            if (server->next() <= now) server->serve(now);
        }
        server->finish();
    }

    const monitor::platform_shape shape{1, 1, 1'000'000'000, 10};
    std::string path;
    std::vector<std::string> warnings;
    knc::base::cycle_t now = 0;
    std::unique_ptr<monitor_server> server;

  private:
    // msr_target_if
    bool read(std::size_t thread, std::uint32_t number, std::uint64_t& value) override {
        value = registers[{thread, number}];
        return number != 0x1a0;
    }
    bool write(std::size_t thread, std::uint32_t number, std::uint64_t value) override {
        registers[{thread, number}] = value;
        return number != 0x1a0;
    }

    std::map<std::pair<std::size_t, std::uint32_t>, std::uint64_t> registers;
    std::string directory_;
};

TEST_F(watched, a_client_that_holds_the_run_sees_exact_cycles) {
    std::vector<std::uint64_t> seen;
    bool ended = false;
    std::thread client([&] {
        monitor::client c(path);
        monitor::snapshot s = c.read(0, true);
        seen.push_back(s.cycle);
        while (!s.ended) {
            s = c.read(s.cycle + 100, true);
            seen.push_back(s.cycle);
        }
        ended = c.read(0, true).ended;  // nobody is there any more
    });
    server->wait_for_client();
    run(350);
    client.join();
    EXPECT_EQ(seen, (std::vector<std::uint64_t>{0, 100, 200, 300, 350}));
    EXPECT_TRUE(ended);
    EXPECT_TRUE(warnings.empty());
}

TEST_F(watched, each_client_has_its_own_intervals) {
    std::vector<std::uint64_t> ends(2);
    std::vector<std::thread> clients;
    for (std::uint64_t n = 0; n < 2; ++n)
        clients.emplace_back([&, n] {
            monitor::client c(path);
            monitor::snapshot s = c.read(0, true);
            for (std::uint64_t i = 1; i <= 5; ++i) {
                const std::uint64_t wanted = s.cycle + 30 * (n + 1);
                s = c.read(wanted, true);
                EXPECT_EQ(s.cycle, wanted);
            }
            ends[n] = s.cycle;
        });
    server->wait_for_client();
    run(100'000);
    for (std::thread& c : clients) c.join();
    EXPECT_NE(ends[0], 0u);
    EXPECT_NE(ends[1], 0u);
}

TEST_F(watched, registers_are_accessed_while_the_run_is_held) {
    std::thread client([&] {
        monitor::client c(path);
        (void)c.read(20, true);
        EXPECT_TRUE(c.write_msr(2, 0x28, 0x1234));
        EXPECT_EQ(c.read_msr(2, 0x28), 0x1234u);
        EXPECT_EQ(c.read_msr(1, 0x28), 0u);
        EXPECT_FALSE(c.read_msr(2, 0x1a0));
        EXPECT_FALSE(c.write_msr(2, 0x1a0, 1));
        EXPECT_FALSE(c.read_msr(4, 0x28));  // threads are 0 to 3
        EXPECT_EQ(c.read(0, false).cycle, 20u);
    });
    server->wait_for_client();
    run(50);
    client.join();
    EXPECT_TRUE(warnings.empty());
}

TEST_F(watched, a_snapshot_at_a_mark) {
    std::vector<std::uint64_t> seen;
    std::thread client([&] {
        monitor::client c(path);
        seen.push_back(c.read_at_mark(7).cycle);
        seen.push_back(c.read_at_mark(7).cycle);
        seen.push_back(c.read_at_mark(9).cycle);  // never comes
    });
    server->wait_for_client();
    for (; now < 100; ++now) {
        server->look();
        if (now == 20) server->marked(8, 22);
        if (now == 30 || now == 60) server->marked(7, now + 2);
        if (server->next() <= now) server->serve(now);
    }
    server->finish();
    client.join();
    EXPECT_EQ(seen, (std::vector<std::uint64_t>{32, 62, 100}));
}

TEST_F(watched, a_client_that_leaves_does_not_hold_the_run) {
    std::thread client([&] {
        monitor::client c(path);
        (void)c.read(0, true);
    });
    server->wait_for_client();
    run(50);
    client.join();
    EXPECT_EQ(server->next(), knc::base::never);
}

TEST_F(watched, a_request_that_is_none_closes_its_client) {
    sockaddr_un a = {};
    a.sun_family = AF_UNIX;
    std::memcpy(a.sun_path, path.data(), path.size());
    const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    ASSERT_EQ(connect(fd, reinterpret_cast<const sockaddr*>(&a), sizeof a), 0);
    const monitor::request wrong{static_cast<monitor::operation>(77), 1, 0, 0};
    ASSERT_EQ(send(fd, &wrong, sizeof wrong, 0), static_cast<ssize_t>(sizeof wrong));
    server->look();
    EXPECT_EQ(server->next(), knc::base::never);
    ASSERT_EQ(warnings.size(), 1u);
    EXPECT_EQ(warnings[0], "--monitor: a client is closed: no operation 77");
    char byte;
    EXPECT_EQ(recv(fd, &byte, 1, 0), 0);
    close(fd);
}

TEST(client, nobody_is_there) {
    EXPECT_THROW(monitor::client{"/nowhere/s"}, std::runtime_error);
    EXPECT_THROW(monitor::client{std::string(200, 'x')}, std::runtime_error);
}

}  // namespace
}  // namespace platform
