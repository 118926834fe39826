// One hardware thread with descriptor tables and page tables, for tests of the system architecture;
// it notes what it asks of caches and page tables.
#ifndef KNC_TESTS_ISA_SYS_MACHINE_H
#define KNC_TESTS_ISA_SYS_MACHINE_H

#include <cstdint>
#include <vector>

#include <support/isa_descriptors.h>
#include <support/isa_machine.h>

namespace knc::isa::test {

// Where things are in the 4 MB of RAM. Long mode maps it one to one, for user and supervisor.
inline constexpr std::uint64_t ram_size = 4 << 20, gdt_at = 0x2000, idt_at = 0x3000,
                               tss_at = 0x4000, code_at = 0x8000, tables_at = 0x10000,
                               stack_at = 0x80000, stack0_at = 0x90000, ist_at = 0xa0000,
                               handler_at = 0x20000;

// Selectors of the GDT every machine starts with.
enum selector : std::uint16_t {
    code64 = 0x08,        // DPL 0
    data0 = 0x10,         // flat, writable, DPL 0
    code32 = 0x18,        // flat, DPL 0
    data3 = 0x20 | 3,     // flat, writable, DPL 3
    user64 = 0x28 | 3,    // DPL 3
    user32 = 0x30 | 3,    // flat, DPL 3
    tss = 0x38,           // 16 bytes in long mode
    conforming64 = 0x48,  // DPL 0
    conforming32 = 0x50,
    scratch = 0x80,  // for a test to fill; all from here to the limit are zero
    gdt_limit = 0x1ff
};

class sys_machine final : public isa_machine {
  public:
    explicit sys_machine(profile p = profile::knc);

    // ---- modes; each leaves CPL `cpl`, a stack at stack_at and RIP at code_at
    void enter_long_mode(unsigned cpl = 0);
    void enter_protected_mode(unsigned cpl = 0);  // flat, 32-bit, no paging
    void enter_real_mode();
    // As in SYSRET or IRET to another level, for tests that start there.
    void set_cpl(unsigned cpl);

    void set_descriptor(unsigned sel, std::uint64_t value, std::uint64_t high = 0);
    std::uint64_t descriptor_at(unsigned sel) { return get<std::uint64_t>(gdt_at + (sel & ~7u)); }
    // Gates of the present mode's size.
    void set_gate(unsigned vector, std::uint64_t low, std::uint64_t high = 0);
    segment segment_of(std::uint16_t sel);  // as a load of it would make the hidden part

    // What the machine's caches were asked for, in the order of the calls.
    struct cache_request {
        enum class kind : std::uint8_t { prefetch, evict, flush };
        kind what;
        std::uint64_t paddr = 0;
        prefetch_hint hint{};  // its level is that of an eviction too
        bool cacheable = false;
    };
    std::vector<cache_request> cache_log;
    unsigned cache_blocks = 0;  // so many evictions and flushes end with status::blocked first
    struct lookup {
        std::uint64_t la;
        access_kind kind;
        bool allowed;
    };
    std::vector<lookup> lookups;  // in the page tables

    void prefetch(std::uint64_t paddr, const prefetch_hint&, bool cacheable) override;
    status evict(std::uint64_t paddr, cache_level) override;
    status flush_caches() override;
    void looked_up(std::uint64_t la, access_kind kind, const page_walk&, bool allowed) override {
        lookups.push_back({la, kind, allowed});
    }
};

}  // namespace knc::isa::test

#endif
