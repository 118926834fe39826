// The MSR socket: its protocol, many clients, and clients that do not keep it.
#include <platform/msr_server.h>

#include <cerrno>
#include <cstring>
#include <map>
#include <memory>

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include <platform/input_error.h>

namespace platform {
namespace {

// Number 0x1a0 does not exist; others keep what is written, per thread.
struct registers final : msr_target_if {
    std::map<std::pair<std::size_t, std::uint32_t>, std::uint64_t> values;
    bool read(std::size_t thread, std::uint32_t number, std::uint64_t& value) override {
        value = values[{thread, number}];
        return number != 0x1a0;
    }
    bool write(std::size_t thread, std::uint32_t number, std::uint64_t value) override {
        if (number == 0x1a0) return false;
        values[{thread, number}] = value;
        return true;
    }
};

class connection {
  public:
    explicit connection(const std::string& path) : fd_(socket(AF_UNIX, SOCK_STREAM, 0)) {
        sockaddr_un a = {};
        a.sun_family = AF_UNIX;
        std::memcpy(a.sun_path, path.data(), path.size());
        EXPECT_EQ(connect(fd_, reinterpret_cast<const sockaddr*>(&a), sizeof a), 0);
    }
    ~connection() { close(fd_); }
    connection(const connection&) = delete;
    connection& operator=(const connection&) = delete;

    void send(const void* data, std::size_t size) const {
        EXPECT_EQ(::send(fd_, data, size, 0), static_cast<ssize_t>(size));
    }
    void ask(std::uint32_t operation, std::uint32_t number = 0, std::uint64_t value = 0) const {
        const knc_msr_request r{operation, number, value};
        send(&r, sizeof r);
    }
    // -1: nothing has come; 0: the server has closed the connection; else the size of an answer.
    ssize_t receive() { return recv(fd_, &answer, sizeof answer, MSG_DONTWAIT); }
    void shut() const { shutdown(fd_, SHUT_WR); }

    knc_msr_answer answer{};

  private:
    const int fd_;
};

class served : public testing::Test {
  protected:
    served() : directory_(testing::TempDir() + "msrXXXXXX") {
        EXPECT_NE(mkdtemp(directory_.data()), nullptr);
        path = directory_ + "/s";
        server = std::make_unique<msr_server>(
            path, 8, [this](const std::string& text) { warnings.push_back(text); });
    }
    ~served() override {
        server.reset();
        rmdir(directory_.c_str());
    }

    void expect_answer(connection& c, std::uint32_t error, std::uint64_t value) const {
        ASSERT_EQ(c.receive(), static_cast<ssize_t>(sizeof c.answer));
        EXPECT_EQ(c.answer.error, error);
        EXPECT_EQ(c.answer.value, value);
    }

    std::string path;
    std::vector<std::string> warnings;
    std::unique_ptr<msr_server> server;
    registers target;

  private:
    std::string directory_;
};

TEST_F(served, threads_and_selection_need_no_access) {
    connection c(path);
    c.ask(knc_msr_threads);
    c.ask(knc_msr_select, 7);
    c.ask(knc_msr_select, 8);
    EXPECT_FALSE(server->look());
    expect_answer(c, 0, 8);
    expect_answer(c, 0, 0);
    expect_answer(c, ENXIO, 0);  // threads are 0 to 7
}

TEST_F(served, accesses_wait_until_they_are_served) {
    connection c(path);
    c.ask(knc_msr_select, 2);
    c.ask(knc_msr_write, 0x28, 0x1234);
    c.ask(knc_msr_read, 0x28);
    EXPECT_TRUE(server->look());
    expect_answer(c, 0, 0);
    EXPECT_EQ(c.receive(), -1);
    EXPECT_TRUE(target.values.empty());
    server->serve(target);
    expect_answer(c, 0, 0);
    EXPECT_EQ((target.values[{2, 0x28}]), 0x1234u);
    EXPECT_TRUE(server->look());  // the request that was behind it
    server->serve(target);
    expect_answer(c, 0, 0x1234);
    EXPECT_FALSE(server->look());
}

TEST_F(served, a_refused_access_is_an_error_and_the_client_stays) {
    connection c(path);
    c.ask(knc_msr_select, 0);
    for (const std::uint32_t operation : {knc_msr_read, knc_msr_write}) {
        c.ask(operation, 0x1a0, 5);
        EXPECT_TRUE(server->look());
        server->serve(target);
    }
    expect_answer(c, 0, 0);
    expect_answer(c, EIO, 0);
    expect_answer(c, EIO, 0);
    EXPECT_TRUE(warnings.empty());
}

TEST_F(served, a_selection_may_allow_only_one_of_both) {
    connection c(path);
    c.ask(knc_msr_select, 1, knc_msr_may_read);
    c.ask(knc_msr_write, 0x28, 5);
    EXPECT_FALSE(server->look());
    expect_answer(c, 0, 0);
    expect_answer(c, EBADF, 0);
    c.ask(knc_msr_read, 0x28);
    EXPECT_TRUE(server->look());
    server->serve(target);
    expect_answer(c, 0, 0);
    c.ask(knc_msr_select, 1, knc_msr_may_write);
    c.ask(knc_msr_read, 0x28);
    EXPECT_FALSE(server->look());
    expect_answer(c, 0, 0);
    expect_answer(c, EBADF, 0);
    EXPECT_TRUE(warnings.empty());
}

TEST_F(served, a_connection_has_a_position) {
    connection a(path), b(path);
    a.ask(knc_msr_tell);
    a.ask(knc_msr_seek, 0, 0xC000'0080);
    a.ask(knc_msr_tell);
    b.ask(knc_msr_tell);
    EXPECT_FALSE(server->look());
    expect_answer(a, 0, 0);
    expect_answer(a, 0, 0);
    expect_answer(a, 0, 0xC000'0080);
    expect_answer(b, 0, 0);
}

TEST_F(served, clients_have_threads_of_their_own) {
    std::vector<std::unique_ptr<connection>> all;
    for (unsigned n = 0; n < 40; ++n) {
        all.push_back(std::make_unique<connection>(path));
        all[n]->ask(knc_msr_select, n % 8);
        all[n]->ask(knc_msr_write, n, 100 + n);
    }
    EXPECT_TRUE(server->look());
    server->serve(target);
    EXPECT_EQ(target.values.size(), 40u);
    for (unsigned n = 0; n < 40; ++n) {
        EXPECT_EQ((target.values[{n % 8, n}]), 100 + n);
        expect_answer(*all[n], 0, 0);
        expect_answer(*all[n], 0, 0);
    }
}

TEST_F(served, a_request_may_come_in_pieces) {
    connection c(path);
    const knc_msr_request r{knc_msr_threads, 0, 0};
    c.send(&r, 5);
    EXPECT_FALSE(server->look());
    EXPECT_EQ(c.receive(), -1);
    c.send(reinterpret_cast<const char*>(&r) + 5, sizeof r - 5);
    EXPECT_FALSE(server->look());
    expect_answer(c, 0, 8);
}

TEST_F(served, malformed_requests_close_the_client_with_one_warning) {
    connection unknown(path), without_thread(path), cut(path), well(path);
    unknown.ask(6);
    unknown.ask(7);
    without_thread.ask(knc_msr_read, 0x20);
    cut.send("abc", 3);
    cut.shut();
    EXPECT_FALSE(server->look());
    EXPECT_FALSE(server->look());
    // A close with unread data resets the connection: -1 with ECONNRESET.
    EXPECT_LE(unknown.receive(), 0);
    EXPECT_NE(errno, EAGAIN);
    EXPECT_EQ(without_thread.receive(), 0);
    EXPECT_EQ(cut.receive(), 0);
    EXPECT_EQ(warnings, (std::vector<std::string>{
                            "--msr: a client is closed: no operation 6",
                            "--msr: a client is closed: an access without a thread",
                            "--msr: a client is closed: a request of 3 bytes, 16 are wanted"}));
    well.ask(knc_msr_threads);
    EXPECT_FALSE(server->look());
    expect_answer(well, 0, 8);
}

TEST_F(served, a_client_may_go_before_its_access_is_performed) {
    auto gone = std::make_unique<connection>(path);
    gone->ask(knc_msr_select, 1);
    EXPECT_FALSE(server->look());
    gone->ask(knc_msr_write, 0x20, 1);
    gone.reset();
    EXPECT_TRUE(server->look());
    server->serve(target);
    EXPECT_EQ((target.values[{1, 0x20}]), 1u);  // it had been sent
    EXPECT_FALSE(server->look());
    server->serve(target);
    EXPECT_TRUE(warnings.empty());
}

TEST_F(served, the_end_of_the_run_is_the_end_of_the_connection) {
    connection c(path);
    EXPECT_FALSE(server->look());
    server.reset();
    EXPECT_EQ(c.receive(), 0);
    EXPECT_NE(access(path.c_str(), F_OK), 0);
}

TEST(msr_server, a_path_that_cannot_be_a_socket_is_refused) {
    EXPECT_THROW(msr_server("/nowhere/s", 8, {}), input_error);
    EXPECT_THROW(msr_server(std::string(200, 'x'), 8, {}), input_error);
}

}  // namespace
}  // namespace platform
