// One hardware thread in any mode, with descriptor and page tables that map linear addresses to the
// same physical ones. Every MSR can be read and written; the time-stamp counter is never the same.
#ifndef KNC_TESTS_ISA_FLAT_MACHINE_H
#define KNC_TESTS_ISA_FLAT_MACHINE_H

#include <cstdint>
#include <set>
#include <utility>

#include <support/isa_machine.h>

namespace knc::isa::test {

enum class world : std::uint8_t {
    real,         // 16-bit code, real mode
    protected16,  // protected mode without paging
    protected32,
    paged32,  // two-level paging, 4 KB pages
    pae32,    // three-level paging
    long64
};
inline constexpr world all_worlds[] = {world::real,    world::protected16, world::protected32,
                                       world::paged32, world::pae32,       world::long64};

class flat_machine final : public isa_machine {
  public:
    static constexpr std::uint64_t ram_size = 1 << 20, gdt_at = 0x2000, idt_at = 0x3000,
                                   tss_at = 0x4000, ldt_at = 0x5000, code_at = 0x8000,
                                   tables_at = 0x10000, tables_size = 0x6000, handler_at = 0x18000,
                                   stack_at = 0x20000, stack3_at = 0x28000, data_at = 0x30000;
    enum selector : std::uint16_t {
        code64 = 0x08,
        data0 = 0x10,
        code32 = 0x18,
        data3 = 0x20,
        user64 = 0x28,
        user32 = 0x30,
        task = 0x38,  // 16 bytes
        code16 = 0x48,
        data16 = 0x50,
        local = 0x58,       // local descriptor table, 16 bytes
        conforming = 0x68,  // 32-bit code
        expand_down = 0x70,
        call_gate = 0x78,  // 16 bytes, for ring 3
        gdt_end = 0x88
    };

    explicit flat_machine(profile);

    // The tables, all other memory 0, and the state of ring `cpl` (0 or 3; real mode has 0) about
    // to execute code_at, caches on. Nothing is left of what ran before.
    void enter(world, unsigned cpl = 0);

    // Each line of RAM has to be waited for when it is first asked for, and again when it is first
    // to be written.
    bool lines_come_late = false;
    status line(std::uint64_t paddr, access_kind kind, std::uint8_t*& host) override {
        const bool to_write = kind == access_kind::write || kind == access_kind::update;
        const bool new_here = lines_come_late && there_.emplace(paddr >> 6, to_write).second;
        return new_here ? status::blocked : isa_machine::line(paddr, kind, host);
    }
    bool read_msr(std::uint32_t, std::uint64_t& value) override {
        value = 0;
        return true;
    }
    bool write_msr(std::uint32_t, std::uint64_t) override { return true; }
    std::uint64_t tsc() override { return ++now; }

  private:
    void fill_descriptors(bool long_mode);
    void fill_page_tables(world);
    segment segment_of(std::uint16_t sel);

    std::set<std::pair<std::uint64_t, bool>> there_;  // numbers of lines; to be written
};

}  // namespace knc::isa::test

#endif
