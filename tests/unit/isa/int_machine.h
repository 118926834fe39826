// One hardware thread on plain memory, for tests of instructions.
//
// Linear and physical addresses are equal: 64-bit mode runs on an identity map of the first
// gigabyte in 2 MB pages, the other modes without paging. RAM is what add_ram() was given; the rest
// answers as a device that reads as all ones.
#ifndef KNC_TESTS_ISA_INT_MACHINE_H
#define KNC_TESTS_ISA_INT_MACHINE_H

#include <cstdint>
#include <initializer_list>
#include <map>
#include <string>
#include <vector>

#include <knc/isa/context.h>
#include <knc/isa/decoder.h>

namespace knc::isa::test {

class machine final : public environment {
  public:
    // CPL 0 in 64-bit mode, flat 32-bit or flat-by-limit 16-bit (real) mode, with RAM from 0 to
    // `low_ram` and RIP and RSP in it.
    static constexpr std::uint64_t low_ram = 0x40000, code_at = 0x8000, stack_at = 0x20000;

    explicit machine(code_mode m, profile p = profile::knc);

    context c;
    base::event_row events{};
    std::vector<std::string> refusals;
    std::vector<bool> spflt_calls;

    // The region [at, at + bytes.size()) is RAM with its contents in `bytes`, which must outlive
    // the machine; both multiples of 4 KB.
    void add_ram(std::uint64_t at, std::vector<std::uint8_t>& bytes);
    void user(unsigned cpl);  // further instructions run at this privilege

    std::uint8_t* at(std::uint64_t address) { return page(address) + (address & 0xfff); }
    template <class T>
    T peek(std::uint64_t address) {
        T v;
        std::memcpy(&v, at(address), sizeof v);
        return v;
    }
    template <class T>
    void poke(std::uint64_t address, T v) {
        std::memcpy(at(address), &v, sizeof v);
    }

    // Executes the instruction in `bytes` at RIP, a repeated string instruction to its end. After
    // anything but status::ok RIP is that of the instruction again.
    status run(std::initializer_list<std::uint8_t> bytes) {
        return run(bytes.begin(), bytes.size());
    }
    status run(const std::uint8_t* bytes, std::size_t size);
    // As run(), but one call of the handler.
    status step(const std::uint8_t* bytes, std::size_t size);

    std::uint8_t* page(std::uint64_t paddr) override;
    status read_device(std::uint64_t, unsigned size, void* data) override;
    status write_device(std::uint64_t, unsigned, const void*) override { return device; }
    status device = status::ok;  // how device accesses end

    bool read_msr(std::uint32_t, std::uint64_t&) override { return false; }
    bool write_msr(std::uint32_t, std::uint64_t) override { return false; }
    bool rdpmc(std::uint32_t, std::uint64_t&) override { return false; }
    std::uint64_t tsc() override { return 0; }
    void spflt(bool enable) override { spflt_calls.push_back(enable); }
    std::uint32_t apic_id() const override { return 0; }
    void code_written(std::uint64_t, unsigned) override {}
    bool holds_code(std::uint64_t) const override { return false; }
    std::uint8_t read_cr8() override { return 0; }
    void write_cr8(std::uint8_t) override {}
    void refused(const std::string& text) override { refusals.push_back(text); }

  private:
    void map_first_gigabyte();

    std::vector<std::uint8_t> low_;
    std::map<std::uint64_t, std::uint8_t*> pages_;
};

}  // namespace knc::isa::test

#endif
