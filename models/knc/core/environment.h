// The environment of one thread's instructions (isa::environment).
//
// Models nothing itself: passes each call to the room of the core that implements it.
#ifndef KNC_CORE_ENVIRONMENT_H
#define KNC_CORE_ENVIRONMENT_H

#include <cstdint>
#include <string>

#include <knc/isa/environment.h>

namespace knc::core {

class fetch_unit;
class load_store_unit;
class system_registers;
class thread;
class translation_unit;
class diagnostics_port;

struct environment_rooms {
    load_store_unit& memory;
    translation_unit& translations;
    system_registers& registers;
    fetch_unit& fetch;
    diagnostics_port& log;
};

class environment final : public isa::environment {
  public:
    environment(const environment_rooms& rooms, thread& t) : rooms_(rooms), thread_(t) {}

    // Memory and devices.
    std::uint8_t* page(std::uint64_t paddr) override;
    isa::status line(std::uint64_t paddr, isa::access_kind, std::uint8_t*& host) override;
    isa::status line_for_store(std::uint64_t paddr, unsigned others, std::uint8_t*& host,
                               bool& waits) override;
    isa::status store_line(std::uint64_t paddr, const void* data, bool ordered,
                           std::uint8_t*& host) override;
    void buffer_store(std::uint64_t paddr, unsigned size, const void* data) override;
    void forward_stores(std::uint64_t paddr, unsigned size, std::uint8_t* data) const override;
    isa::status drain_stores() override;
    isa::status borrow_line(std::uint64_t paddr, std::uint8_t*& host) override;
    bool return_borrowed(std::uint64_t paddr, std::uint8_t*& host) override;
    isa::status room_to_combine(std::uint64_t paddr, unsigned others, bool& waits) override;
    void combine_store(std::uint64_t paddr, unsigned size, const void* data) override;
    void peek(std::uint64_t paddr, unsigned size, void* data) override;
    void prefetch(std::uint64_t paddr, const isa::prefetch_hint&, bool cacheable) override;
    isa::status evict(std::uint64_t paddr, isa::cache_level) override;
    isa::status flush_caches() override;
    isa::status read_device(std::uint64_t paddr, unsigned size, void* data) override;
    isa::status write_device(std::uint64_t paddr, unsigned size, const void* data) override;
    isa::status read_port(std::uint16_t port, unsigned size, void* data) override;
    isa::status write_port(std::uint16_t port, unsigned size, const void* data) override;
    isa::status package_register(std::uint32_t number, bool write, std::uint64_t& value) override;

    // Registers outside the context.
    bool read_apic_base(std::uint64_t& value) override;
    bool write_apic_base(std::uint64_t value) override;
    bool read_msr(std::uint32_t number, std::uint64_t& value) override;
    bool write_msr(std::uint32_t number, std::uint64_t value) override;
    bool rdpmc(std::uint32_t index, std::uint64_t& value) override;
    std::uint64_t tsc() override;
    void spflt(bool enable) override;
    std::uint32_t apic_id() const override;
    std::uint8_t read_cr8() override;
    void write_cr8(std::uint8_t priority) override;

    // Translations.
    const isa::held_translation* held_page(std::uint64_t la, isa::access_kind) override;
    const isa::held_translation* held_region(std::uint64_t la) override;
    void looked_up(std::uint64_t la, isa::access_kind, const isa::page_walk&,
                   bool allowed) override;
    void translations_void(bool keep_global) override;
    void translation_void(std::uint64_t la) override;

    // Decoded code, and the log.
    void code_written(std::uint64_t paddr, unsigned size) override;
    bool holds_code(std::uint64_t paddr) const override;
    void refused(const std::string& text) override;

  private:
    const environment_rooms rooms_;
    thread& thread_;
};

}  // namespace knc::core

#endif
