// A second host process: it boots a Linux kernel's bzImage on a card of its own, as the card's
// driver does (docs/sbox.md, "Bootstrap").
//
// Leaves out: an initrd, and waiting for doorbells; tests/install/consumer/card_boots_image.cpp
// has more of the driver's steps.
#ifndef SOC_IMAGE_HOST_H
#define SOC_IMAGE_HOST_H

#include <cstdint>
#include <string>
#include <utility>

#include <systemc>

#include "host.h"
#include "transcript.h"

class image_host : public sc_core::sc_module {
  public:
    slot card{"card2", "slot_"};
    bool started = false;

    SC_HAS_PROCESS(image_host);
    image_host(sc_core::sc_module_name name, std::string image, std::string command_line)
        : sc_module(name), image_(std::move(image)), command_line_(std::move(command_line)) {
        SC_THREAD(run);
    }

  private:
    // Offsets in BAR4. Scratchpad 2 announces, scratchpad 5 takes the size of the image.
    static constexpr std::uint64_t post_code = 0x242C, scratchpad2 = 0x1AB28, scratchpad5 = 0x1AB34,
                                   command7 = 0x1AA08;
    static constexpr std::uint64_t start_vector = 229, send = 1 << 13, finished = 'F' | 'F' << 8;

    void run() {
        const std::uint64_t announced = get(scratchpad2);
        expect((announced & 1) != 0, "the bootstrap is ready");
        const std::uint64_t address = announced & 0xFFFFF000, apic_id = announced >> 1 & 0x1FF;
        // With the 0 at its end, the command line lies behind the image.
        const std::string all = image_ + command_line_ + '\0';
        expect(card.memory.write_block(address, all.data(), all.size()),
               "the host writes the card's memory");
        put(scratchpad5, image_.size());
        say(name(), "has copied an image to " + card.name);
        put(command7 + 4, apic_id);
        put(command7, start_vector | send);
        sc_core::wait(10, sc_core::SC_US);  // longer than an interrupt takes
        const std::uint64_t code = get(post_code);
        started = code == finished;
        say(name(), card.name + " shows the POST code " + static_cast<char>(code) +
                        static_cast<char>(code >> 8));
    }
    std::uint64_t get(std::uint64_t offset) {
        std::uint64_t v = 0;
        expect(card.registers.read(offset, v, 4), "the host reads a register");
        return v;
    }
    void put(std::uint64_t offset, std::uint64_t v) {
        expect(card.registers.write(offset, v, 4), "the host writes a register");
    }

    const std::string image_, command_line_;
};

#endif
