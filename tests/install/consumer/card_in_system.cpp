// The card in a foreign system: a host of our own puts a program into its memory, lets it run,
// reads what it left behind and how it ended; and looks at the card's registers meanwhile.
#include <cstdint>
#include <iterator>

#include <systemc>

#include <knc/card/card.h>

#include "program_host.h"

namespace {

constexpr std::uint32_t program_at = 0x100000, result_at = 0x180000;

// 32-bit code: [result_at] = EAX + EBX; [exit register] = 7; HLT.
const unsigned char program[] = {
    0x01, 0xD8,                                                  // add eax, ebx
    0xA3, 0x00, 0x00, 0x18, 0x00,                                // mov [0x180000], eax
    0xC7, 0x05, 0x00, 0x01, 0xF0, 0xFE, 0x07, 0x00, 0x00, 0x00,  // mov dword [0xFEF00100], 7
    0xF4                                                         // hlt
};

// The host's view of the card's registers, at the start of the run.
struct bar4 : bus_master {
    SC_HAS_PROCESS(bar4);
    explicit bar4(sc_core::sc_module_name name) : bus_master(name) { SC_THREAD(run); }
    void run() {
        constexpr std::uint64_t post_code = 0x242C, scratchpad2 = 0x1AB28, enables = 0x1900C;
        std::uint64_t v = 0;
        expect(read(post_code, v, 4) == tlm::TLM_OK_RESPONSE && v == 0x3231, "POST code 12");
        expect(read(scratchpad2, v, 4) == tlm::TLM_OK_RESPONSE && v == 0x04000001,
               "thread 0 waits for an image at 64 MB");
        expect(write(enables, 0xF, 4) == tlm::TLM_OK_RESPONSE, "doorbells enabled");
        expect(read(enables, v, 4) == tlm::TLM_OK_RESPONSE && v == 0xF, "and read back");
        done = true;
    }
    bool done = false;
};

}  // namespace

int sc_main(int, char**) {
    knc::card::parameters p;
    p.tiles = 1;
    knc::card::card card{"card", p, knc::card::run_control{}};
    program_host h{"host", program_at, std::begin(program), std::end(program)};
    h.socket.bind(card.host);
    bar4 registers{"registers"};
    registers.socket.bind(card.mmio);
    sc_core::sc_signal<bool> interrupt;
    card.host_interrupt.bind(interrupt);
    card.boot(program_at, 40, 2);
    sc_core::sc_start();

    expect(h.word(result_at) == 42, "40 + 2");
    expect(card.result().reason == knc::card::stop_reason::firmware, "ended by the program");
    expect(card.result().code == 7, "with its code");
    // The store that ends the run has reached the device, not yet its answer the core.
    expect(card.instructions() == 2, "ADD and MOV retired");
    expect(registers.done, "registers looked at");
    expect(!interrupt.read(), "no doorbell rang");
    return failures == 0 ? 0 : 1;
}
