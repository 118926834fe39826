// What one hardware thread of isa::context has around it, for tests: RAM, devices, ports, MSRs, and
// logs of what the thread asks for.
//
// Leaves out: caches, TLBs and time. A device or a line answers at once or when a test says so.
#ifndef KNC_TESTS_SUPPORT_ISA_ENVIRONMENT_H
#define KNC_TESTS_SUPPORT_ISA_ENVIRONMENT_H

#include <cstdint>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <knc/isa/environment.h>
#include <support/guarded_memory.h>

namespace knc::isa::test {

class isa_environment : public environment {
  public:
    // RAM from 0 to `ram_bytes`, a multiple of 4 KB.
    explicit isa_environment(std::size_t ram_bytes) : ram(ram_bytes) {}

    // ---- memory
    knc::test::guarded_memory ram;
    // The region [at, at + bytes.size()) is RAM too, with its contents in `bytes`, which must
    // outlive the environment; both are multiples of 4 KB.
    void add_ram(std::uint64_t at, std::vector<std::uint8_t>& bytes);
    std::uint8_t* at(std::uint64_t paddr) { return page(paddr) + (paddr & 0xfff); }
    template <class T>
    T get(std::uint64_t paddr) {
        T v;
        std::memcpy(&v, at(paddr), sizeof v);
        return v;
    }
    template <class T>
    void put(std::uint64_t paddr, T v) {
        std::memcpy(at(paddr), &v, sizeof v);
    }

    // ---- how accesses end. The next `blocks` of them have to wait (status::blocked), `answers` of
    // those behind them are served, and all further ones have to wait.
    unsigned line_blocks = 0, line_answers = ~0u;      // calls of line()
    unsigned device_blocks = 0, device_answers = ~0u;  // ports heed only the blocks
    std::uint64_t device_value = ~std::uint64_t{0};    // what devices and ports read as

    // ---- what the thread has asked for
    struct device_access {
        bool write;
        std::uint64_t paddr;
        unsigned size;
        std::uint64_t data;  // of a write; of a vector its first eight bytes
    };
    std::vector<device_access> device_log;
    std::vector<device_access> port_log;  // paddr: the port
    std::vector<std::pair<std::uint64_t, unsigned>> code_writes;
    std::vector<bool> spflt_calls;
    std::vector<std::string> refusals;
    void clear_logs();

    // ---- the state of the machine outside the thread
    std::set<std::uint64_t> code_pages;  // page numbers
    std::map<std::uint32_t, std::uint64_t> msrs;
    std::uint64_t now = 0;
    std::uint8_t priority = 0;
    std::uint32_t id = 0;

    // ---- isa::environment
    std::uint8_t* page(std::uint64_t paddr) override;
    status line(std::uint64_t paddr, access_kind, std::uint8_t*& host) override;
    status read_device(std::uint64_t paddr, unsigned size, void* data) override;
    status write_device(std::uint64_t paddr, unsigned size, const void* data) override;
    status read_port(std::uint16_t, unsigned size, void* data) override;
    status write_port(std::uint16_t, unsigned size, const void* data) override;
    bool read_msr(std::uint32_t number, std::uint64_t& value) override;
    bool write_msr(std::uint32_t number, std::uint64_t value) override;
    bool rdpmc(std::uint32_t index, std::uint64_t& value) override;
    std::uint64_t tsc() override { return now; }
    void spflt(bool enable) override { spflt_calls.push_back(enable); }
    std::uint32_t apic_id() const override { return id; }
    void code_written(std::uint64_t paddr, unsigned size) override {
        code_writes.emplace_back(paddr, size);
    }
    bool holds_code(std::uint64_t paddr) const override {
        return code_pages.count(paddr >> 12) != 0;
    }
    std::uint8_t read_cr8() override { return priority; }
    void write_cr8(std::uint8_t p) override { priority = p; }
    void refused(const std::string& text) override { refusals.push_back(text); }

  protected:
    ~isa_environment() = default;

  private:
    status log_read(std::vector<device_access>&, std::uint64_t at, unsigned size, void* data);
    status log_write(std::vector<device_access>&, std::uint64_t at, unsigned size,
                     const void* data);

    std::map<std::uint64_t, std::uint8_t*> pages_;  // those of add_ram
};

}  // namespace knc::isa::test

#endif
