// The server of gdb and its packets, above four threads that only pretend to execute.
//
// A line of the input is one packet, which gets its frame here; one that begins with ! goes as it
// is, so a frame may be wrong, and Ctrl-C come at any place. All of it is there before the server
// looks; then the client has closed its side. There is one thread, so that a case is quick and the
// same each time: send() lets the client read where the socket is full. An input that begins with 2
// is sent by a second client as well.
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include <platform/gdb_registers.h>
#include <platform/gdb_server.h>
#include <support/isa_machine.h>

#include "target.h"

namespace {

namespace isa = knc::isa;
using item = platform::gdb_packet_reader::item;
using kind = platform::gdb_packet_reader::kind;

constexpr std::size_t memory_bytes = 0x4000;

struct hardware_thread final : isa::test::isa_machine {
    hardware_thread() : isa_machine(isa::profile::knc, memory_bytes) { reset(); }
    // To make a thread takes longer than most cases.
    void reset() {
        c.s = {};
        c.s.r[isa::rip] = 0x100;
        c.update_mode();
        std::memset(ram.data(), 0, ram.size());
        clear_logs();
        msrs.clear();
        retired = 0;
        asked = false;
    }

    std::uint64_t retired = 0;
    bool asked = false;
};

// The last thread waits for its SIPI. Registers and their limits are the card's own.
class machine final : public platform::gdb_target_if {
  public:
    std::size_t threads() const override { return all_.size(); }
    bool exists(std::size_t t) const override { return t + 1 != all_.size(); }
    std::string name(std::size_t t) const override { return "0." + std::to_string(t); }
    std::string state(std::size_t t) const override {
        return runs(t) ? "running" : "wait-for-SIPI";
    }
    bool runs(std::size_t t) const override { return exists(t); }
    std::uint64_t rip(std::size_t t) const override { return platform::linear_rip(all_.at(t).c.s); }
    std::uint64_t retired(std::size_t t) const override { return all_.at(t).retired; }
    const platform::gdb_register_set& registers() const override {
        return platform::gdb_register_set::of(platform::gdb_code::x86_64);
    }
    std::string read_register(std::size_t t, std::size_t n) const override {
        return registers().read(all_.at(t).c.s, n);
    }
    bool write_register(std::size_t t, std::size_t n, std::string_view bytes) override {
        if (n != registers().ip()) return registers().write(all_.at(t).c, n, bytes);
        const auto la = registers().ip_of(bytes);
        fuzz::require(la.has_value(), "RIP has eight bytes");
        all_.at(t).c.s.r[isa::rip] = *la - all_.at(t).c.s.seg[isa::cs].base;
        return true;
    }
    std::string read_memory(std::size_t t, std::uint64_t la, std::size_t size) override {
        if (la >= memory_bytes) return {};
        size = std::min<std::size_t>(size, memory_bytes - la);
        std::string bytes;
        for (std::size_t n = 0; n < size; ++n)
            bytes += static_cast<char>(all_.at(t).get<std::uint8_t>(la + n));
        return bytes;
    }
    bool write_memory(std::size_t t, std::uint64_t la, std::string_view bytes) override {
        if (la > memory_bytes || bytes.size() > memory_bytes - la) return false;
        for (const char c : bytes) all_.at(t).put(la++, c);
        return true;
    }
    bool read_msr(std::size_t t, std::uint32_t n, std::uint64_t& value) override {
        return all_.at(t).read_msr(n, value);
    }
    bool write_msr(std::size_t t, std::uint32_t n, std::uint64_t value) override {
        return all_.at(t).write_msr(n, value);
    }
    std::string counts(std::size_t t) override {
        return "INSTRUCTIONS_EXECUTED " + std::to_string(all_.at(t).retired) + "\n";
    }
    std::uint64_t cycle(std::size_t t) const override { return all_.at(t).retired; }
    void ask(std::size_t t, bool on) override { all_.at(t).asked = on; }
    void watch(const std::vector<platform::gdb_watch>& w) override {
        for (const platform::gdb_watch& each : w)
            fuzz::require(each.size != 0 && each.size <= 0x10000, "data of a size that can be");
        watched_ = w;
    }
    std::optional<platform::gdb_hit> take_hit(std::size_t) override {
        return std::exchange(hit_, std::nullopt);
    }
    void end() override {}

    // A thread executes an instruction, of one byte, which accesses the byte at its number.
    void step(std::size_t t) {
        ++all_.at(t).retired;
        ++all_.at(t).c.s.r[isa::rip];
        for (const platform::gdb_watch& w : watched_)
            if (all_.at(t).retired - w.address < w.size)
                hit_ = platform::gdb_hit{w.of, all_.at(t).retired};
    }
    void reset() {
        for (hardware_thread& t : all_) t.reset();
        watched_.clear();
        hit_.reset();
    }
    bool asked(std::size_t t) const { return all_.at(t).asked; }
    bool at_rest() const {
        return watched_.empty() && std::none_of(all_.begin(), all_.end(),
                                                [](const hardware_thread& t) { return t.asked; });
    }

  private:
    std::array<hardware_thread, 4> all_;
    std::vector<platform::gdb_watch> watched_;
    std::optional<platform::gdb_hit> hit_;
};

std::string stream_of(const std::string& text) {
    std::string bytes;
    std::string_view rest{text};
    while (!rest.empty()) {
        const std::string_view line = platform::take_until(rest, '\n');
        if (!line.empty() && line.front() == '!')
            bytes += line.substr(1);
        else
            bytes += platform::frame_packet(platform::escape_packet(line));
    }
    return bytes;
}

std::vector<item> items_of(const std::string& bytes, std::size_t part) {
    platform::gdb_packet_reader reader;
    std::vector<item> all;
    for (std::size_t at = 0; at < bytes.size(); at += part) {
        reader.add(std::string_view{bytes}.substr(at, part));
        for (item i = reader.next(); i.what != kind::none; i = reader.next()) all.push_back(i);
    }
    return all;
}

// However the bytes are parted on their way, the packets are the same.
void check_parts(const std::string& bytes) {
    const std::vector<item> whole = items_of(bytes, bytes.size() + 1);
    for (const std::size_t part : {1, 2, 7, 64}) {
        const std::vector<item> same = items_of(bytes, part);
        fuzz::require(same.size() == whole.size(), "parts make the same packets");
        for (std::size_t n = 0; n < whole.size(); ++n)
            fuzz::require(whole[n].what == same[n].what && whole[n].content == same[n].content,
                          "parts make the same packets");
    }
}

class client {
  public:
    explicit client(const std::string& path) : fd_(socket(AF_UNIX, SOCK_STREAM, 0)) {
        sockaddr_un address = {};
        address.sun_family = AF_UNIX;
        std::memcpy(address.sun_path, path.data(), path.size());
        fuzz::require(
            connect(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0,
            "the server listens");
    }
    ~client() { close(fd_); }

    void send_all(const std::string& bytes) {
        const ssize_t sent = send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        fuzz::require(sent == static_cast<ssize_t>(bytes.size()), "the socket takes the input");
        shutdown(fd_, SHUT_WR);
    }
    // What is there.
    void read_all() {
        char bytes[0x4000];
        for (ssize_t n; (n = recv(fd_, bytes, sizeof bytes, MSG_DONTWAIT)) > 0;)
            answers_.append(bytes, static_cast<std::size_t>(n));
    }
    const std::string& answers() const { return answers_; }

  private:
    int fd_;
    std::string answers_;
};

client* present = nullptr;

// The server looks, and the threads take turns, as long as a run might.
void execute(platform::gdb_server& server, machine& card) {
    constexpr int turns = 60;
    for (int n = 0; n < turns; ++n) {
        if (server.look()) server.attend();
        const std::size_t thread = static_cast<std::size_t>(n) % 3;
        if (card.asked(thread)) server.before_instruction(thread);
        card.step(thread);
    }
    server.look();
    fuzz::require(card.at_rest(), "a client that has gone leaves nothing behind");
    server.finish(3, true);
}

// In no file system (unix(7), abstract names): a directory would take most of the time.
std::string socket_path() {
    static const std::string path =
        std::string(1, '\0') + "knc_fuzz_gdb_" + std::to_string(getpid());
    return path;
}

}  // namespace

// Instead of the library's.
extern "C" ssize_t send(int fd, const void* data, std::size_t size, int flags) {
    const auto call = [&] { return syscall(SYS_sendto, fd, data, size, flags, nullptr, 0); };
    ssize_t n = call();
    if (n < 0 && errno == EAGAIN && present != nullptr) {
        present->read_all();
        n = call();
    }
    return n;
}

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string bytes = stream_of(fuzz::text_of(data, size));
    check_parts(bytes);
    static machine card;
    card.reset();
    platform::gdb_server server{socket_path(), card};
    client c{socket_path()};
    c.send_all(bytes);
    std::optional<client> second;
    if (size != 0 && data[0] == '2') second.emplace(socket_path()).send_all(bytes);
    present = &c;
    execute(server, card);
    present = nullptr;
    c.read_all();
    for (const item& i : items_of(c.answers(), c.answers().size() + 1))
        fuzz::require(i.what != kind::bad, "the server keeps the protocol");
    return 0;
}
