// One tile on a flat memory, driven clock by clock without a scheduler, and small 32-bit programs
// for it, assembled into the test.
#ifndef KNC_TESTS_UNIT_CARD_RIG_H
#define KNC_TESTS_UNIT_CARD_RIG_H

#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <knc/card/tile.h>
#include <knc/memory/ram.h>

// A program of 32-bit (64-bit) code, placed anywhere: it may use relative addresses and constants
// only.
#define KNC_PROGRAM(name, text) KNC_ASSEMBLE(name, ".code32", text)
#define KNC_PROGRAM64(name, text) KNC_ASSEMBLE(name, ".code64", text)
#define KNC_ASSEMBLE(name, mode, text)                                       \
    asm(".pushsection .rodata\n" mode "\n" #name "_begin:\n" text "\n" #name \
        "_end:\n.code64\n.popsection\n");                                    \
    extern "C" const unsigned char name##_begin[], name##_end[];             \
    [[maybe_unused]] static const program name {                             \
        name##_begin, name##_end                                             \
    }

namespace knc::card::test {

struct program {
    const unsigned char* begin;
    const unsigned char* end;
};

// From flat 32-bit mode to 64-bit code at 0x1000, over the tables rig::start64() lays out.
KNC_PROGRAM(to_long_mode,
            "lgdt 0x8080\nmovl $0x20, %eax\nmovl %eax, %cr4\nmovl $0x9000, %eax\nmovl %eax, %cr3\n"
            "movl $0xC0000080, %ecx\nmovl $0x100, %eax\nxorl %edx, %edx\nwrmsr\n"
            "movl $0x80000001, %eax\nmovl %eax, %cr0\nljmp $8, $0x1000");

class rig : private core::device_if,
            private core::immediate_devices_if,
            private core::diagnostics_if {
  public:
    explicit rig(const parameters& p = {}) : rig("rig", p) {}
    explicit rig(const char* name, const parameters& p = {})
        : clock(p.clock_hz),
          code(memory_size),
          memory((std::string(name) + "_memory").c_str(), memory_size),
          unit((std::string(name) + "_tile").c_str(), 0, p, clock, code) {
        unit.bind_memory(memory.target);
        unit.devices.bind(*this);
        unit.diagnostics.bind(*this);
    }
    // From now on, instructions are executed without time (knc/core/functional_unit.h). Devices
    // answer at once, with zeros.
    void fast_forward(base::cycle_t turn = 1000) {
        elaborate();
        unit.hold();
        EXPECT_TRUE(unit.drained());
        unit.enter_functional({memory.data(), *this, goal, turn});
    }
    // Ends elaboration: after all rigs of a test are made, before anything runs.
    void elaborate() {
        if (sc_core::sc_get_status() < sc_core::SC_RUNNING)
            sc_core::sc_start(sc_core::SC_ZERO_TIME);
    }

    void load(std::uint32_t address, const program& p) {
        std::memcpy(memory.data() + address, p.begin, static_cast<std::size_t>(p.end - p.begin));
    }
    // Starts `thread` in `p`, loaded at `address`, with interrupts off.
    void start(std::size_t thread, std::uint32_t address, const program& p) {
        elaborate();
        load(address, p);
        if (unit.apic(thread).waiting_for_startup()) {
            // As if a start-up message had brought it here.
            std::uint8_t vector = 0;
            apic::interrupt_message m;
            m.mode = apic::delivery_mode::startup;
            unit.apic(thread).receive(m, unit.cpu().now());
            unit.apic(thread).take_startup(vector);
        }
        unit.cpu().boot(thread, address, 0, 0);
    }
    // Starts `thread` in the 64-bit program `p` at 0x1000, memory below 2 MB mapped one to one.
    void start64(std::size_t thread, const program& p) {
        const auto put = [this](std::uint32_t at, std::uint64_t v) {
            std::memcpy(memory.data() + at, &v, sizeof v);
        };
        put(0x8008, 0x0020'9b00'0000'0000);               // 64-bit code
        put(0x8080, std::uint64_t{0x8000} << 16 | 0x0f);  // GDTR: limit 15, base 0x8000
        put(0x9000, 0xa003);
        put(0xa000, 0xb003);
        put(0xb000, 0x0083);
        load(0x1000, p);
        start(thread, 0x7000, to_long_mode);
    }
    void run(base::cycle_t until) {
        while (unit.cpu().now() < until) unit.cpu().run(until);
        unit.cpu().settle();
    }
    std::uint64_t count(std::size_t thread, base::event e) const {
        return unit.cpu().counts().total(thread, e);
    }
    template <class T>
    T read(std::uint32_t address) {
        T v;
        std::memcpy(&v, memory.data() + address, sizeof v);
        return v;
    }

    // The response to a device access of the tile.
    void answer(const core::device_request& r, base::cycle_t at) {
        unit.cpu().device_answers->device_done(r, at);
    }

    static constexpr std::uint64_t memory_size = 16u << 20;

    base::clock clock;
    isa::code_map code;
    memory::ram memory;
    tile unit;
    std::vector<core::device_request> posted;
    std::vector<std::string> remarks;
    core::functional_goal goal;

  private:
    void post(const core::device_request& r) override { posted.push_back(r); }
    void access(core::device_request& r, base::cycle_t now) override {
        r.issued = now;
        posted.push_back(r);
    }
    void warn(const std::string& text) override { remarks.push_back(text); }
    void model_error(const std::string& text) override { ADD_FAILURE() << text; }
    void unsupported(const std::string& text) override { ADD_FAILURE() << text; }
};

}  // namespace knc::card::test

#endif
