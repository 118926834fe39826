// One hardware thread with descriptor tables, page tables and devices, for tests of the system
// architecture.
#ifndef KNC_TESTS_ISA_SYS_MACHINE_H
#define KNC_TESTS_ISA_SYS_MACHINE_H

#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <knc/isa/context.h>

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

// Descriptors.
std::uint64_t descriptor_of(std::uint32_t base, std::uint32_t limit, unsigned access,
                            unsigned flags);
std::uint64_t gate_of(unsigned type, unsigned dpl, std::uint16_t selector, std::uint64_t offset,
                      unsigned ist = 0);

class sys_machine final : public environment {
  public:
    explicit sys_machine(profile p = profile::knc);

    context c;
    base::event_row events{};

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

    template <class T>
    T get(std::uint64_t paddr) {
        T v;
        std::memcpy(&v, ram_.data() + paddr, sizeof v);
        return v;
    }
    template <class T>
    void put(std::uint64_t paddr, T v) {
        std::memcpy(ram_.data() + paddr, &v, sizeof v);
    }

    // Executes the instruction in `bytes` as if it stood at RIP. After anything but status::ok RIP
    // is that of the instruction again.
    status run(std::initializer_list<std::uint8_t> bytes);
    std::uint32_t flags_of(std::initializer_list<std::uint8_t> bytes);  // insn_flag

    // ---- the environment
    std::set<std::uint64_t> code_pages;  // page numbers
    std::vector<std::pair<std::uint64_t, unsigned>> code_writes;
    struct device_access {
        bool write;
        std::uint64_t paddr;
        unsigned size;
        std::uint64_t data;
    };
    std::vector<device_access> device_log;
    unsigned device_blocks = 0;  // so many device and port accesses end with status::blocked first
    std::uint64_t device_value = 0;
    std::vector<device_access> port_log;  // paddr: the port
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
    unsigned line_blocks = 0;   // so many calls of line() do
    struct lookup {
        std::uint64_t la;
        access_kind kind;
        bool allowed;
    };
    std::vector<lookup> lookups;  // in the page tables
    std::map<std::uint32_t, std::uint64_t> msrs;
    std::uint64_t now = 0;
    std::uint8_t priority = 0;
    std::uint32_t id = 0;

    std::uint8_t* page(std::uint64_t paddr) override;
    status line(std::uint64_t paddr, access_kind, std::uint8_t*& host) override;
    void prefetch(std::uint64_t paddr, const prefetch_hint&, bool cacheable) override;
    status evict(std::uint64_t paddr, cache_level) override;
    status flush_caches() override;
    void looked_up(std::uint64_t la, access_kind kind, const page_walk&, bool allowed) override {
        lookups.push_back({la, kind, allowed});
    }
    status read_device(std::uint64_t paddr, unsigned size, void* data) override;
    status write_device(std::uint64_t paddr, unsigned size, const void* data) override;
    status read_port(std::uint16_t, unsigned size, void* data) override;
    status write_port(std::uint16_t, unsigned size, const void* data) override;
    bool read_msr(std::uint32_t number, std::uint64_t& value) override;
    bool write_msr(std::uint32_t number, std::uint64_t value) override;
    bool rdpmc(std::uint32_t index, std::uint64_t& value) override;
    std::uint64_t tsc() override { return now; }
    void spflt(bool) override {}
    std::uint32_t apic_id() const override { return id; }
    void code_written(std::uint64_t paddr, unsigned size) override {
        code_writes.emplace_back(paddr, size);
    }
    bool holds_code(std::uint64_t paddr) const override {
        return code_pages.count(paddr >> 12) != 0;
    }
    std::uint8_t read_cr8() override { return priority; }
    void write_cr8(std::uint8_t p) override { priority = p; }
    void refused(const std::string&) override {}

  private:
    status log(std::vector<device_access>&, std::uint64_t at, unsigned size, void* read,
               const void* written);

    std::vector<std::uint8_t> ram_;
};

}  // namespace knc::isa::test

#endif
