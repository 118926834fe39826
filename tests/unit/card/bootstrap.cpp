// The bootstrap in the card: which interrupt of the host starts the image, in which cycle, and what
// a reset does.
#include <knc/card/boot_machine.h>
#include <knc/card/card.h>

#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <tlm_utils/simple_initiator_socket.h>

#include "elsewhere.h"
#include "host_side.h"

namespace knc::card {
namespace {

using sc_core::SC_NS;
using sc_core::sc_time;
using test::program;

// A kernel: it writes the time-stamp counter and ESI to memory, ends the run with code 3.
KNC_PROGRAM(kernel, "rdtsc\nmovl %eax, 0x3000\nmovl %esi, 0x3004\nmovl $3, 0xfef00100\n1: jmp 1b");

// The offsets of a bzImage's setup header are those of Linux's boot.rst.
std::string bzimage() {
    std::string b(1024, '\0');
    const auto put = [&](std::size_t at, std::uint64_t v, std::size_t size) {
        std::memcpy(b.data() + at, &v, size);
    };
    put(0x1f1, 1, 1);
    put(0x1fe, 0xaa55, 2);
    put(0x200, 0x66eb, 2);
    std::memcpy(b.data() + 0x202, "HdrS", 4);
    put(0x206, 0x020f, 2);
    put(0x211, 1, 1);
    put(0x22c, 0x7fff'ffff, 4);
    put(0x238, 2047, 4);
    put(0x258, 1 << 20, 8);
    put(0x260, 1 << 20, 4);
    return b + std::string(reinterpret_cast<const char*>(kernel.begin),
                           reinterpret_cast<const char*>(kernel.end));
}

constexpr std::uint64_t rgcr = 0x1'4010, spad5 = 0x1'ab34, post_code = 0x242c, icr7 = 0x1'aa08,
                        icr0 = 0x1'a9d0;
constexpr std::uint32_t image_at = 64 << 20, start = 229 | 1 << 13;
constexpr std::uint32_t waits = '1' | '2' << 8, refused = '4' | '0' << 8, entered = 'F' | 'F' << 8;

struct host final : sc_core::sc_module {
    SC_HAS_PROCESS(host);
    explicit host(sc_core::sc_module_name name) : sc_module(name) { SC_THREAD(run); }
    void run() { script(); }

    void move(std::uint64_t at, void* data, std::size_t size, bool write) {
        tlm::tlm_generic_payload p;
        test::host_side::set(p, at, data, static_cast<unsigned>(size), write);
        EXPECT_EQ(memory->transport_dbg(p), size);
    }
    std::uint32_t word(std::uint64_t at) {
        std::uint32_t v = 0;
        move(at, &v, sizeof v, false);
        return v;
    }
    void load() {
        std::string image = bzimage();
        move(image_at, image.data(), image.size(), true);
        write(spad5, static_cast<std::uint32_t>(image.size()));
    }
    std::uint32_t access(std::uint64_t offset, std::uint32_t value, bool write) {
        tlm::tlm_generic_payload p;
        sc_time delay = sc_core::SC_ZERO_TIME;
        test::host_side::set(p, offset, &value, sizeof value, write);
        registers->b_transport(p, delay);
        EXPECT_EQ(p.get_response_status(), tlm::TLM_OK_RESPONSE);
        return value;
    }
    void write(std::uint64_t offset, std::uint32_t v) { access(offset, v, true); }
    std::uint32_t read(std::uint64_t offset) { return access(offset, 0, false); }

    tlm_utils::simple_initiator_socket<host> registers{"registers"}, memory{"memory"};
    std::function<void()> script;
    bool load_at_start = false;

  private:
    void start_of_simulation() override {
        std::string image = bzimage();
        if (load_at_start) move(image_at, image.data(), image.size(), true);
    }
};

parameters two_tiles() {
    parameters p;
    p.boot_core = 1;
    p.clock_hz = 1'000'000'000;
    return p;
}

struct system {
    explicit system(const parameters& p, const run_control& control = {})
        : c("card", p, control), h("host") {
        h.memory.bind(c.host);
        h.registers.bind(c.mmio);
    }
    card c;
    host h;
};

// What the kernel has kept: its time and ESI. The interrupt is written at 5000 ns, 1 GHz.
std::vector<std::uint32_t> boots(const parameters& p, base::cycle_t quantum) {
    run_control control;
    control.quantum = quantum;
    system s(p, control);
    s.h.script = [&] {
        s.h.load();
        EXPECT_EQ(s.h.read(post_code), waits);
        sc_core::wait(5'000, SC_NS);
        s.h.write(icr7 + 4, 4);
        s.h.write(icr7, start);
        sc_core::wait(149, SC_NS);
        EXPECT_EQ(s.h.read(post_code), waits);
        sc_core::wait(2, SC_NS);
        EXPECT_EQ(s.h.read(post_code), entered);
    };
    sc_core::sc_start();
    EXPECT_EQ(s.c.result().reason, stop_reason::firmware);
    EXPECT_EQ(s.c.result().code, 3u);
    EXPECT_EQ(s.c[0].cpu().instructions(), 0u);
    return {s.h.word(0x3000), s.h.word(0x3004)};
}

// The image is entered in cycle 5000 + 50 (device) + 100 (message). RDTSC reads a time before the
// first line of code can have come from memory twice.
TEST(bootstrap, starts_the_image_in_the_cycle_in_which_the_interrupt_arrives) {
    const auto one = test::times_elsewhere(boots, two_tiles(), 1),
               many = test::times_elsewhere(boots, two_tiles(), 10'000);
    ASSERT_EQ(one.size(), 2u);
    EXPECT_GT(one[0], 5'150u);
    EXPECT_LT(one[0], 5'150u + 600);
    EXPECT_EQ(one[1], 0x90000u);  // boot_params
    EXPECT_EQ(many, one);
}

TEST(bootstrap, gives_up_and_waits_again) {
    system s(two_tiles());
    s.h.script = [&] {
        const auto send = [&](std::uint64_t icr, std::uint32_t destination, std::uint32_t command) {
            s.h.write(icr + 4, destination);
            s.h.write(icr, command);
            sc_core::wait(1'000, SC_NS);
            return s.h.read(post_code);
        };
        EXPECT_EQ(send(icr7, 4, start), refused);
        EXPECT_EQ(s.h.word(0x90000), 0u);  // nothing was written
        s.h.load();
        EXPECT_EQ(send(icr7, 0, start), refused);      // thread 0 of the other core
        EXPECT_EQ(send(icr7, 4, start + 1), refused);  // another vector
        // An NMI; it is the bootstrap's, and the kernel does not meet it.
        EXPECT_EQ(send(icr7, 4, start | 4 << 8), refused);
        EXPECT_EQ(send(icr7, 4, start & ~(1u << 13)), refused);  // not sent
        EXPECT_EQ(s.c.instructions(), 0u);
        EXPECT_EQ(send(icr0, 0xffff, start), entered);  // any register; to all
    };
    sc_core::sc_start();
    EXPECT_EQ(s.c.result().code, 3u);
}

// Whatever the image was doing; an interrupt in flight is lost.
TEST(bootstrap, waits_after_a_reset) {
    system s(two_tiles());
    s.h.script = [&] {
        s.h.load();
        s.h.write(icr7 + 4, 4);
        s.h.write(icr7, start);
        s.h.write(rgcr, 1);  // takes effect 100 cycles before the interrupt would arrive
        sc_core::wait(1'000, SC_NS);
        EXPECT_EQ(s.c.resets(), 1u);
        EXPECT_EQ(s.h.read(post_code), waits);
        EXPECT_EQ(s.c.instructions(), 0u);
        EXPECT_EQ(s.h.read(spad5), 0u);
        s.h.load();
        s.h.write(icr7 + 4, 4);
        s.h.write(icr7, start);
    };
    sc_core::sc_start();
    EXPECT_EQ(s.c.result().code, 3u);
}

// A card whose owner says where it begins is not in its bootstrap: the interrupt is an interrupt.
TEST(bootstrap, is_not_there_on_a_card_with_an_entry) {
    system s(two_tiles());
    s.c.boot(image_at + 1024, 0, 0);
    s.h.script = [&] { sc_core::wait(1'000, SC_NS); };
    s.h.load_at_start = true;
    sc_core::sc_start();
    EXPECT_EQ(s.c.result().code, 3u);
    EXPECT_EQ(s.h.word(0x3004), 0u);
    EXPECT_EQ(s.h.word(0x100000), 0u);
}

// What the loaders' tables say of a card.
TEST(machine_of, has_acpi_and_its_ports_in_profile_compat_only) {
    parameters p = two_tiles();
    boot::machine m = machine_of(p);
    EXPECT_EQ(m.threads, 8u);
    EXPECT_EQ(m.boot_apic_id, 4u);
    EXPECT_EQ(m.memory_size, 256u << 20);
    EXPECT_FALSE(m.acpi);
    p.profile = isa::profile::compat;
    m = machine_of(p);
    EXPECT_TRUE(m.acpi);
    EXPECT_EQ(m.uart_port, 0x3f8);
    EXPECT_EQ(m.sleep_port, 0x600);
    EXPECT_EQ(m.reset_port, 0xf4);
    EXPECT_TRUE(m.clock);
    p.testdev_enable = false;  // the ports are test devices
    m = machine_of(p);
    EXPECT_TRUE(m.acpi);
    EXPECT_EQ(m.uart_port | m.sleep_port | m.reset_port, 0);
    EXPECT_FALSE(m.clock);
}

}  // namespace
}  // namespace knc::card
