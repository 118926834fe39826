// A host that places a 64-bit program in its card's memory, and looks into it.
#ifndef KNC_TESTS_UNIT_CARD_HOST_SIDE_H
#define KNC_TESTS_UNIT_CARD_HOST_SIDE_H

#include <cstdint>

#include <gtest/gtest.h>
#include <systemc>
#include <tlm>
#include <tlm_utils/simple_initiator_socket.h>

#include <knc/cache/l2.h>

#include "rig.h"

namespace knc::card::test {

// The state of a line in the L2 of a tile.
inline coherence::l2_state state_of(tile& t, coherence::line_t line) {
    return dynamic_cast<cache::l2&>(*t.l2).logic().state(line);
}

class host_side : public sc_core::sc_module {
  public:
    // Bound to the card's socket `host`.
    tlm_utils::simple_initiator_socket<host_side> card{"card"};

    // Thread 0 starts in `p` at 0x1000 when it is booted at `entry`; its page tables map 2 MB one
    // to one, page_entry() more.
    host_side(sc_core::sc_module_name name, const program& p) : sc_module(name), program_(p) {}
    static constexpr std::uint32_t entry = 0x7000;

    void move(std::uint64_t at, void* data, unsigned size, bool write) {
        tlm::tlm_generic_payload p;
        set(p, at, data, size, write);
        EXPECT_EQ(card->transport_dbg(p), size);
    }
    void put(std::uint64_t at, std::uint64_t v) { move(at, &v, sizeof v, true); }
    std::uint32_t read(std::uint64_t at) {
        std::uint32_t v = 0;
        move(at, &v, sizeof v, false);
        return v;
    }
    // Maps linear 2 MB * n on.
    void page_entry(unsigned n, std::uint64_t physical) { put(0xb000 + 8 * n, physical | 0x83); }

    static void set(tlm::tlm_generic_payload& p, std::uint64_t at, void* data, unsigned size,
                    bool write) {
        p.set_command(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
        p.set_address(at);
        p.set_data_ptr(static_cast<unsigned char*>(data));
        p.set_data_length(size);
        p.set_streaming_width(size);
    }

  protected:
    void start_of_simulation() override {
        put(0x8008, 0x0020'9b00'0000'ffff);               // 64-bit code
        put(0x8080, std::uint64_t{0x8000} << 16 | 0x0f);  // GDTR
        put(0x9000, 0xa003);
        put(0xa000, 0xb003);
        page_entry(0, 0);
        load(0x1000, program_);
        load(entry, to_long_mode);
    }

  private:
    void load(std::uint64_t at, const program& p) {
        move(at, const_cast<unsigned char*>(p.begin), static_cast<unsigned>(p.end - p.begin), true);
    }

    const program& program_;
};

}  // namespace knc::card::test

#endif
