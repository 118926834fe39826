// The server of gdb: requests and their answers, stops and steps, clients that keep no protocol.
#include <platform/gdb_server.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <map>
#include <random>
#include <thread>

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include <platform/gdb_registers.h>

namespace platform {
namespace {

// Four threads; each is at an address of its own and has 16 bytes of memory, at 0x1000.
class machine final : public gdb_target_if {
  public:
    std::size_t threads() const override { return 4; }
    bool exists(std::size_t t) const override { return t != 3; }
    std::string name(std::size_t t) const override { return "0." + std::to_string(t); }
    std::string state(std::size_t) const override { return "running"; }
    bool runs(std::size_t t) const override { return t != 3; }
    std::uint64_t rip(std::size_t t) const override { return at[t]; }
    std::uint64_t retired(std::size_t t) const override { return done[t]; }
    const gdb_register_set& registers() const override {
        return gdb_register_set::of(gdb_code::x86_64);
    }
    std::string read_register(std::size_t t, std::size_t n) const override {
        std::string bytes(registers().bytes(n), '\0');
        if (n == registers().ip()) std::memcpy(bytes.data(), &at[t], 8);
        return bytes;
    }
    bool write_register(std::size_t t, std::size_t n, std::string_view bytes) override {
        if (n != registers().ip()) return false;
        std::memcpy(&at[t], bytes.data(), 8);
        return true;
    }
    std::string read_memory(std::size_t, std::uint64_t la, std::size_t size) override {
        if (la - 0x1000 >= 16) return {};
        return memory.substr(la - 0x1000, size);
    }
    bool write_memory(std::size_t, std::uint64_t la, std::string_view bytes) override {
        if (la - 0x1000 >= 16 || la - 0x1000 + bytes.size() > 16) return false;
        memory.replace(la - 0x1000, bytes.size(), bytes);
        return true;
    }
    bool read_msr(std::size_t, std::uint32_t n, std::uint64_t& value) override {
        value = 0x55;
        return n == 0x20;
    }
    bool write_msr(std::size_t, std::uint32_t n, std::uint64_t value) override {
        written = value;
        return n == 0x20;
    }
    std::string counts(std::size_t) override { return "INSTRUCTIONS 7\n"; }
    std::uint64_t cycle(std::size_t) const override { return 99; }
    void ask(std::size_t t, bool on) override { asked[t] = on; }
    void watch(const std::vector<gdb_watch>& w) override { watched = w; }
    std::optional<gdb_hit> take_hit(std::size_t) override {
        return std::exchange(hit, std::nullopt);
    }
    void end() override { ended = true; }

    std::uint64_t at[4] = {0x100, 0x200, 0x300, 0}, done[4] = {};
    bool asked[4] = {}, ended = false;
    std::string memory = "0123456789abcdef";
    std::uint64_t written = 0;
    std::vector<gdb_watch> watched;
    std::optional<gdb_hit> hit;
};

class gdb : public testing::Test {
  protected:
    gdb() : directory_(testing::TempDir() + "gdbXXXXXX") {
        EXPECT_NE(mkdtemp(directory_.data()), nullptr);
        path_ = directory_ + "/s";
        server.emplace(path_, card);
        client = connected();
    }
    int connected() const {
        sockaddr_un address = {};
        address.sun_family = AF_UNIX;
        std::memcpy(address.sun_path, path_.data(), path_.size());
        const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
        EXPECT_EQ(connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
        return fd;
    }
    ~gdb() override {
        if (client >= 0) close(client);
        server.reset();
        rmdir(directory_.c_str());
    }
    // The client sends all of it; the server serves until the threads go on, or for ever, so the
    // last one has to let them go. Returns the answers, without acknowledgements.
    std::vector<std::string> answers(const std::vector<std::string>& packets) {
        for (const std::string& p : packets) send_bytes(frame_packet(escape_packet(p)));
        server->look();
        server->attend();
        return received();
    }
    void send_bytes(std::string_view bytes) {
        EXPECT_EQ(send(client, bytes.data(), bytes.size(), MSG_NOSIGNAL),
                  static_cast<ssize_t>(bytes.size()));
    }
    std::vector<std::string> received() {
        std::string bytes(0x10000, '\0');
        const ssize_t n = recv(client, bytes.data(), bytes.size(), MSG_DONTWAIT);
        gdb_packet_reader reader;
        if (n > 0) reader.add({bytes.data(), static_cast<std::size_t>(n)});
        std::vector<std::string> list;
        for (auto i = reader.next(); i.what != gdb_packet_reader::kind::none; i = reader.next())
            if (i.what == gdb_packet_reader::kind::packet) list.push_back(i.content);
        return list;
    }
    // Thread `t` has executed an instruction and is at `la`. While the server waits there, the
    // packets that have been sent are served.
    void issue(std::size_t t, std::uint64_t la) {
        ++card.done[t];
        card.at[t] = la;
        if (card.asked[t]) server->before_instruction(t);
    }
    void queue(const std::string& packet) { send_bytes(frame_packet(escape_packet(packet))); }

    machine card;
    std::optional<gdb_server> server;
    int client = -1;

  private:
    std::string directory_, path_;
};

using list = std::vector<std::string>;

TEST_F(gdb, describes_threads_registers_and_memory) {
    EXPECT_EQ(
        answers({"?",       "qC",           "qfThreadInfo", "qsThreadInfo", "qThreadExtraInfo,2",
                 "T4",      "T5",           "Hg2",          "p10",          "m1002,3",
                 "m2000,4", "M1000,2:5859", "X1002,1:}",    "m1000,4",      "M100f,2:0000",
                 "Hg9",     "p999",         "P0=00",        "m10",          "nonsense",
                 "",        "vCont;c"}),
        (list{"T05thread:1;",
              "QC1",
              "m1,2,3",
              "l",
              to_hex("0.1 running"),
              "OK",
              "E03",
              "OK",
              "0002000000000000",
              to_hex("234"),
              "E0e",
              "OK",
              "OK",
              to_hex("XY}3"),
              "E0e",
              "E03",
              "E16",
              "E16",
              "E16",
              "",
              ""}));
}

TEST_F(gdb, the_description_comes_in_parts) {
    const std::string& whole = card.registers().description();
    const list parts = answers({"qXfer:features:read:target.xml:0,10",
                                "qXfer:features:read:target.xml:10,ffffffff",
                                "qXfer:features:read:target.xml:ffffff,10",
                                "qXfer:features:read:other.xml:0,10", "vCont;c"});
    ASSERT_EQ(parts.size(), 4u);
    EXPECT_EQ(parts[0], 'm' + whole.substr(0, 0x10));
    // The longest part leaves room for escapes.
    EXPECT_EQ(parts[1].substr(1), whole.substr(0x10, gdb_packet_bytes / 2 - 1));
    EXPECT_EQ(parts[2], "l");
    EXPECT_EQ(parts[3], "E00");
}

TEST_F(gdb, stops_at_breakpoints_once_and_goes_on) {
    answers({"Z0,210,1", "Z1,220,1", "vCont;c"});
    EXPECT_TRUE(card.asked[0] && card.asked[1] && card.asked[2]);
    issue(1, 0x204);
    EXPECT_EQ(received(), list{});
    queue("vCont;c");
    issue(1, 0x210);
    EXPECT_EQ(received(), list{"T05swbreak:;thread:2;"});
    server->before_instruction(1);  // the attempt had to wait
    EXPECT_EQ(received(), list{});
    queue("z1,220,1");
    queue("vCont;c");
    issue(2, 0x220);
    EXPECT_EQ(received(), (list{"T05hwbreak:;thread:3;", "OK"}));
    issue(0, 0x220);
    EXPECT_EQ(received(), list{});
}

TEST_F(gdb, steps_one_thread_and_ranges) {
    answers({"vCont;s:2;c"});
    EXPECT_TRUE(!card.asked[0] && card.asked[1] && !card.asked[2]);
    server->before_instruction(1);  // still the instruction at which the step began
    EXPECT_EQ(received(), list{});
    queue("vCont;r201,210:2;c");
    issue(1, 0x201);
    EXPECT_EQ(received(), list{"T05thread:2;"});
    issue(1, 0x20f);
    EXPECT_EQ(received(), list{});
    queue("vCont;c");
    issue(1, 0x210);
    EXPECT_EQ(received(), list{"T05thread:2;"});
}

// gdb lifts a breakpoint to step a thread over it, and believes that the others stand meanwhile.
// The stop of another one comes after the step has been shown as over: with RIP in the middle of an
// instruction, so that gdb takes it for no breakpoint.
TEST_F(gdb, no_thread_passes_a_breakpoint_that_another_one_steps_over) {
    answers({"Z0,210,1", "vCont;c"});
    queue("z0,210,1");
    queue("vCont;s:1");
    issue(0, 0x210);
    EXPECT_EQ(received(), (list{"T05swbreak:;thread:1;", "OK"}));
    queue("p10");  // while the step seems over
    queue("Z0,210,1");
    queue("vCont;c");
    queue("p10");  // at the stop of thread 2
    queue("Hg1");
    queue("p10");
    queue("vCont;c");
    issue(1, 0x210);
    EXPECT_EQ(received(), (list{"T05thread:1;", "1102000000000000", "OK", "T05swbreak:;thread:2;",
                                "1002000000000000", "OK", "1002000000000000"}));
    // Thread 1 executes its instruction at last, and has passed its breakpoint.
    server->before_instruction(0);
    EXPECT_EQ(received(), list{});
}

TEST_F(gdb, watched_data_stop_the_thread_that_accessed_them) {
    EXPECT_EQ(answers({"Z2,1000,8", "Z3,1000,0", "Z4,1000,20000", "Z5,0,1", "vCont;c"}),
              (list{"OK", "E16", "E16", ""}));
    ASSERT_EQ(card.watched.size(), 1u);
    card.hit = gdb_hit{gdb_watch::kind::write, 0x1004};
    queue("z2,1000,8");
    queue("vCont;c");
    issue(2, 0x304);
    EXPECT_EQ(received(), (list{"T05watch:1004;thread:3;", "OK"}));
    EXPECT_TRUE(card.watched.empty() && !card.asked[2]);
}

TEST_F(gdb, own_commands) {
    const auto command = [](const std::string& text) { return "qRcmd," + to_hex(text); };
    EXPECT_EQ(
        answers({command("counts"), command("cycle"), command("msr 0x20"), command("msr 32 0x77"),
                 command("msr 0x21"), command("msr -1"), "qRcmd,zz", "vCont;c"}),
        (list{to_hex("INSTRUCTIONS 7\n"), to_hex("99\n"), to_hex("MSR 0x20 = 0x55\n"),
              to_hex("MSR 0x20 = 0x77\n"),
              to_hex("MSR 0x21: #GP(0), or the thread is between the two instructions of a "
                     "pair\n"),
              to_hex("msr wants: N [VALUE]\n"), "E16"}));
    EXPECT_EQ(card.written, 0x77u);
}

TEST_F(gdb, ctrl_c_stops) {
    answers({"vCont;c"});
    EXPECT_FALSE(server->look());
    send_bytes("\x03");
    queue("vCont;c");
    EXPECT_TRUE(server->look());
    server->attend();
    EXPECT_EQ(received(), list{"T02thread:1;"});
}

// Whether the threads run or the first client has them, and in however many parts its question
// comes. gdb would show the text behind the dot.
TEST_F(gdb, a_second_client_is_told_why_it_is_turned_away) {
    const std::string refusal = "+$E.another gdb is connected#";
    const auto answer_of = [](int fd) {
        char bytes[100];
        const ssize_t n = recv(fd, bytes, sizeof bytes, 0);
        return std::string(bytes, static_cast<std::size_t>(std::max<ssize_t>(n, 0)));
    };
    answers({"vCont;c"});
    const int second = connected();
    EXPECT_FALSE(server->look());
    char byte = 0;
    EXPECT_EQ(recv(second, &byte, 1, MSG_DONTWAIT), -1);  // gdb would discard what comes now
    EXPECT_EQ(send(second, "+", 1, MSG_NOSIGNAL), 1);
    EXPECT_FALSE(server->look());
    EXPECT_EQ(send(second, "$qSupported#37", 14, MSG_NOSIGNAL), 14);
    EXPECT_FALSE(server->look());
    EXPECT_EQ(answer_of(second).substr(0, refusal.size()), refusal);
    EXPECT_FALSE(server->look());
    EXPECT_EQ(send(second, "+", 1, MSG_NOSIGNAL), 1);  // gdb has read it
    EXPECT_FALSE(server->look());
    EXPECT_EQ(recv(second, &byte, 1, 0), 0);
    close(second);

    const int third = connected();
    EXPECT_EQ(send(third, "+$qSupported#37", 15, MSG_NOSIGNAL), 15);
    std::string answer;
    std::thread waits{[&] {
        answer = answer_of(third);
        queue("vCont;c");  // of the first client, which lets the threads go on
    }};
    send_bytes("\x03");
    EXPECT_TRUE(server->look());
    server->attend();
    waits.join();
    EXPECT_EQ(answer.substr(0, refusal.size()), refusal);
    close(third);
    EXPECT_EQ(received(), list{"T02thread:1;"});
}

// Connections that ask for nothing cost no more than a few descriptors.
TEST_F(gdb, many_silent_clients) {
    answers({"vCont;c"});
    std::vector<int> silent;
    for (int n = 0; n < 20; ++n) {
        silent.push_back(connected());
        server->look();
    }
    char byte = 0;
    EXPECT_EQ(recv(silent.front(), &byte, 1, MSG_DONTWAIT), 0);  // closed
    EXPECT_EQ(recv(silent.back(), &byte, 1, MSG_DONTWAIT), -1);  // waits
    for (const int fd : silent) close(fd);
    EXPECT_FALSE(server->look());
    send_bytes("\x03");
    queue("vCont;c");
    EXPECT_TRUE(server->look());
    server->attend();
    EXPECT_EQ(received(), list{"T02thread:1;"});
}

TEST(gdb_choice, place_and_options) {
    const gdb_choice plain = parse_gdb("out/gdb");
    EXPECT_TRUE(plain.place == "out/gdb" && !plain.wait && plain.code == gdb_code::x86_64);
    for (const char* const text : {"1234,wait,i386", "1234,i386,wait"}) {
        const gdb_choice both = parse_gdb(text);
        EXPECT_TRUE(both.place == "1234" && both.wait && both.code == gdb_code::i386) << text;
    }
    EXPECT_EQ(parse_gdb("s,i8086").code, gdb_code::i8086);
    EXPECT_EQ(parse_gdb("a,b").place, "a,b");
}

TEST_F(gdb, detach_and_kill_leave_no_stop_behind) {
    answers({"Z0,210,1", "D"});
    EXPECT_TRUE(!card.asked[1] && !card.ended);
    char byte = 0;
    EXPECT_EQ(recv(client, &byte, 1, 0), 0);  // the server has closed the connection
}

TEST_F(gdb, kill_ends_the_run) {
    answers({"vKill;1"});
    EXPECT_TRUE(card.ended);
}

// A client that sends anything at all and vanishes: the server is ready for the next one.
TEST_F(gdb, random_requests_and_a_client_that_vanishes) {
    static const char* const begins[] = {"?",
                                         "g",
                                         "p",
                                         "P",
                                         "m",
                                         "M",
                                         "X",
                                         "Z0,",
                                         "Z2,",
                                         "z3,",
                                         "H",
                                         "T",
                                         "vCont;",
                                         "vCont?",
                                         "qXfer",
                                         "qRcmd,",
                                         "qC",
                                         "c",
                                         "s",
                                         "q",
                                         "Q",
                                         "qXfer:features:read:",
                                         "qXfer:threads:read::",
                                         "vMustReplyEmpty"};
    static const char alphabet[] = "0123456789abcdef,:;=-$#*}scrtgmXZ \x03\x01\xff";
    constexpr unsigned seed = 4711;
    std::mt19937 random{seed};
    std::string bytes;
    for (int n = 0; n < 3000; ++n) {
        std::string packet = begins[random() % std::size(begins)];
        for (auto k = random() % 40; k != 0; --k)
            packet += alphabet[random() % (sizeof alphabet - 1)];
        std::string framed = frame_packet(escape_packet(packet));
        if (random() % 10 == 0) framed[random() % framed.size()] = static_cast<char>(random());
        bytes += framed;
    }
    std::printf("seed %u\n", seed);
    std::atomic<bool> closed{false};
    std::thread sender{[&] {
        char answers[0x1000];
        for (std::size_t at = 0; at < bytes.size(); at += 500) {
            const std::string part = bytes.substr(at, 500);
            if (send(client, part.data(), part.size(), MSG_NOSIGNAL) < 0) break;
            while (recv(client, answers, sizeof answers, MSG_DONTWAIT) > 0) {
            }
        }
        shutdown(client, SHUT_WR);
        while (recv(client, answers, sizeof answers, 0) > 0) {
        }
        closed = true;
    }};
    // Whatever it asks for, the threads execute, until the server has closed the connection.
    server->wait_for_client();
    while (!closed) {
        if (server->look()) server->attend();
        issue(random() % 3, random() % 0x400);
    }
    sender.join();
    EXPECT_FALSE(card.asked[0] || card.asked[1] || card.asked[2]);
    EXPECT_TRUE(card.watched.empty());
}

}  // namespace
}  // namespace platform
