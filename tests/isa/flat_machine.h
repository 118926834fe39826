// One hardware thread on guarded memory, in any mode, with descriptor and page tables that map
// linear addresses to the same physical ones.
#ifndef KNC_TESTS_ISA_FLAT_MACHINE_H
#define KNC_TESTS_ISA_FLAT_MACHINE_H

#include <cstdint>
#include <cstring>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <knc/isa/context.h>
#include <support/guarded_memory.h>

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

class flat_machine final : public environment {
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

    context c;
    base::event_row events{};
    std::vector<std::string> refusals;

    knc::test::guarded_memory ram;
    template <class T>
    void put(std::uint64_t at, T v) {
        std::memcpy(ram.data() + at, &v, sizeof v);
    }

    std::uint8_t* page(std::uint64_t paddr) override {
        return paddr < ram_size ? ram.data() + (paddr & ~std::uint64_t{0xfff}) : nullptr;
    }
    // Each line of RAM has to be waited for when it is first asked for, and again when it is first
    // to be written.
    bool lines_come_late = false;
    status line(std::uint64_t paddr, access_kind kind, std::uint8_t*& host) override {
        const bool to_write = kind == access_kind::write || kind == access_kind::update;
        const bool new_here = lines_come_late && there_.emplace(paddr >> 6, to_write).second;
        return new_here ? status::blocked : environment::line(paddr, kind, host);
    }
    // So many further device accesses are answered; the one after them has to wait.
    unsigned answers = ~0u;
    status read_device(std::uint64_t, unsigned size, void* data) override {
        std::memset(data, 0xff, size);
        return answer();
    }
    status write_device(std::uint64_t, unsigned, const void*) override { return answer(); }
    bool read_msr(std::uint32_t, std::uint64_t& value) override {
        value = 0;
        return true;
    }
    bool write_msr(std::uint32_t, std::uint64_t) override { return true; }
    bool rdpmc(std::uint32_t index, std::uint64_t& value) override {
        value = index;
        return index < 2;
    }
    std::uint64_t tsc() override { return ++tsc_; }
    void spflt(bool) override {}
    std::uint32_t apic_id() const override { return 0; }
    void code_written(std::uint64_t, unsigned) override {}
    bool holds_code(std::uint64_t) const override { return false; }
    std::uint8_t read_cr8() override { return priority_; }
    void write_cr8(std::uint8_t v) override { priority_ = v; }
    void refused(const std::string& text) override { refusals.push_back(text); }

  private:
    status answer() {
        if (answers == 0) return status::blocked;
        --answers;
        return status::ok;
    }
    void fill_descriptors(bool long_mode);
    void fill_page_tables(world);
    segment segment_of(std::uint16_t sel);

    std::set<std::pair<std::uint64_t, bool>> there_;  // numbers of lines; to be written
    std::uint64_t tsc_ = 0;
    std::uint8_t priority_ = 0;
};

}  // namespace knc::isa::test

#endif
