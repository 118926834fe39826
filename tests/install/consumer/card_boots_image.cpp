// A host that boots its card as the card's own driver does: it copies a kernel's bzImage to the
// address that the bootstrap announces, and its command line and initrd to their places, and starts
// it by an interrupt command.
//
//   card_boots_image BZIMAGE [COMMAND LINE [INITRD [EXPECTED CONSOLE]]]
//
// Everything goes through the card's two windows of PCI Express: its memory (BAR0) and its
// registers (BAR4). Before the image, the host offers one that is broken.
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

#include <systemc>

#include <knc/card/card.h>

#include "bus_master.h"

namespace {

// Offsets in BAR4. Scratchpad 2 announces, scratchpad 5 takes the size of the image.
constexpr std::uint64_t post_code = 0x242C, scratchpad2 = 0x1AB28, scratchpad5 = 0x1AB34,
                        command7 = 0x1AA08;
constexpr std::uint32_t start_vector = 229, send = 1u << 13;
// POST codes: two characters.
constexpr std::uint64_t waiting = '1' | '2' << 8, no_image = '4' | '0' << 8,
                        finished = 'F' | 'F' << 8;
// Fields of an image's setup header.
constexpr std::uint64_t initrd_address = 0x218, initrd_size = 0x21C;

struct request {
    std::string image, command_line, initrd, expected;
};

// BAR0.
struct card_memory : bus_master {
    using bus_master::bus_master;
    void copy(std::uint64_t to, const std::string& bytes) {
        constexpr std::size_t most = 1 << 16;
        for (std::size_t at = 0; at < bytes.size(); at += most) {
            std::string part = bytes.substr(at, most);
            tlm::tlm_generic_payload p;
            p.set_command(tlm::TLM_WRITE_COMMAND);
            p.set_address(to + at);
            p.set_data_ptr(reinterpret_cast<unsigned char*>(&part[0]));
            p.set_data_length(static_cast<unsigned>(part.size()));
            p.set_streaming_width(static_cast<unsigned>(part.size()));
            sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
            socket->b_transport(p, delay);
            wait(delay);
            expect(p.get_response_status() == tlm::TLM_OK_RESPONSE, "memory is written");
        }
    }
};

// BAR4, and the driver.
struct driver : bus_master {
    SC_HAS_PROCESS(driver);
    driver(sc_core::sc_module_name name, card_memory& m, const request& r, const std::string& text)
        : bus_master(name), memory_(m), request_(r), console_(text) {
        SC_THREAD(run);
    }
    bool started = false;

  private:
    std::uint64_t get(std::uint64_t offset) {
        std::uint64_t v = 0;
        expect(read(offset, v, 4) == tlm::TLM_OK_RESPONSE, "a register is read");
        return v;
    }
    void put(std::uint64_t offset, std::uint64_t v) {
        expect(write(offset, v, 4) == tlm::TLM_OK_RESPONSE, "a register is written");
    }
    // The POST code changes from `before`, or 10 us pass, which is longer than an interrupt takes.
    std::uint64_t interrupt(std::uint64_t apic_id, std::uint32_t vector, std::uint64_t before) {
        put(command7 + 4, apic_id);
        put(command7, vector | send);
        for (int n = 0; n < 100 && get(post_code) == before; ++n)
            wait(sc_core::sc_time(100, sc_core::SC_NS));
        return get(post_code);
    }

    void run() {
        const std::uint64_t announced = get(scratchpad2);
        expect((announced & 1) != 0, "the bootstrap is ready");
        const std::uint64_t address = announced & 0xFFFFF000, apic_id = announced >> 1 & 0x1FF;
        expect(get(post_code) == waiting, "POST code 12");

        // Nothing is there yet: the bootstrap says so and waits again.
        expect(interrupt(apic_id, start_vector, waiting) == no_image, "POST code 40");

        const std::string& image = request_.image;
        memory_.copy(address, image);
        put(scratchpad5, image.size());
        memory_.copy(address + image.size(), request_.command_line + '\0');
        if (!request_.initrd.empty()) {
            memory_.copy(2 * address, request_.initrd);
            memory_.copy(address + initrd_address, number(2 * address));
            memory_.copy(address + initrd_size, number(request_.initrd.size()));
        }
        // Neither another vector nor another thread's interrupt starts it.
        expect(interrupt(apic_id, start_vector + 1, no_image) == no_image, "another vector");
        expect(interrupt(apic_id + 1, start_vector, no_image) == no_image, "another thread");
        expect(console_.empty(), "nothing has run");
        started = interrupt(apic_id, start_vector, no_image) == finished;
    }
    static std::string number(std::uint64_t v) {
        const auto n = static_cast<std::uint32_t>(v);
        return {reinterpret_cast<const char*>(&n), sizeof n};
    }

    card_memory& memory_;
    const request& request_;
    const std::string& console_;
};

bool read_file(const char* path, std::string& to) {
    std::ifstream in{path, std::ios::binary};
    to.assign(std::istreambuf_iterator<char>{in}, {});
    if (!in.bad() && in.is_open()) return true;
    std::cerr << path << ": cannot be read\n";
    return false;
}

}  // namespace

int sc_main(int argc, char** argv) {
    request r;
    if (argc < 2 || argc > 5) {
        std::cerr << "usage: card_boots_image BZIMAGE [COMMAND LINE [INITRD [EXPECTED]]]\n";
        return 2;
    }
    if (!read_file(argv[1], r.image)) return 2;
    if (argc > 2) r.command_line = argv[2];
    if (argc > 3 && !read_file(argv[3], r.initrd)) return 2;
    if (argc > 4 && !read_file(argv[4], r.expected)) return 2;

    std::string console;
    knc::card::run_control control;
    control.console = [&console](char c) {
        console += c;
        std::cout << c << std::flush;
    };
    knc::card::parameters p;
    p.boot_core = 1;
    knc::card::card card{"card", p, control};
    card_memory memory{"memory"};
    memory.socket.bind(card.aperture);
    driver host{"host", memory, r, console};
    host.socket.bind(card.mmio);
    // Not used: loaders and debuggers access the card here.
    struct unused : bus_master {
        using bus_master::bus_master;
    } debugger{"debugger"};
    debugger.socket.bind(card.host);
    sc_core::sc_start();

    expect(host.started, "the image was started, POST code FF");
    expect(card.result().reason == knc::card::stop_reason::firmware, "ended by the kernel");
    expect(card.result().code == 0, "with code 0");
    if (argc > 4) expect(console == r.expected, "the console shows what it should");
    return failures == 0 ? 0 : 1;
}
