#include <knc/core/environment.h>

#include <algorithm>
#include <cstring>

#include <knc/core/fetch_unit.h>
#include <knc/core/load_store_unit.h>
#include <knc/core/system_registers.h>
#include <knc/core/thread.h>
#include <knc/core/translation_unit.h>

namespace knc::core {

std::uint8_t* environment::page(std::uint64_t paddr) {
    return rooms_.memory.page(paddr);
}

isa::status environment::line(std::uint64_t paddr, isa::access_kind kind, std::uint8_t*& host) {
    if (kind == isa::access_kind::execute) return rooms_.fetch.line(thread_, paddr, host);
    return rooms_.memory.line(thread_, paddr, kind, host);
}

isa::status environment::line_for_store(std::uint64_t paddr, unsigned others, std::uint8_t*& host,
                                        bool& waits) {
    return rooms_.memory.line_for_store(thread_, paddr, others, host, waits);
}

isa::status environment::store_line(std::uint64_t paddr, const void* data, bool ordered,
                                    std::uint8_t*& host) {
    return rooms_.memory.store_line(thread_, paddr, data, ordered, host);
}

void environment::buffer_store(std::uint64_t paddr, unsigned size, const void* data) {
    rooms_.memory.buffer_store(thread_, paddr, size, data);
}

void environment::forward_stores(std::uint64_t paddr, unsigned size, std::uint8_t* data) const {
    rooms_.memory.forward_stores(thread_, paddr, size, data);
}

isa::status environment::drain_stores() {
    return rooms_.memory.drain_stores(thread_);
}

isa::status environment::borrow_line(std::uint64_t paddr, std::uint8_t*& host) {
    return rooms_.memory.borrow_line(thread_, paddr, host);
}

bool environment::return_borrowed(std::uint64_t paddr, std::uint8_t*& host) {
    return rooms_.memory.return_borrowed(thread_, paddr, host);
}

isa::status environment::room_to_combine(std::uint64_t paddr, unsigned others, bool& waits) {
    return rooms_.memory.room_to_combine(thread_, paddr, others, waits);
}

void environment::combine_store(std::uint64_t paddr, unsigned size, const void* data) {
    rooms_.memory.combine_store(thread_, paddr, size, data);
}

void environment::peek(std::uint64_t paddr, unsigned size, void* data) {
    rooms_.memory.peek(paddr, size, data);
}

void environment::prefetch(std::uint64_t paddr, const isa::prefetch_hint& hint, bool cacheable) {
    rooms_.memory.prefetch(thread_, paddr, hint, cacheable);
}

isa::status environment::evict(std::uint64_t paddr, isa::cache_level level) {
    return rooms_.memory.evict(thread_, paddr, level);
}

isa::status environment::flush_caches() {
    return rooms_.memory.flush_caches(thread_);
}

isa::status environment::read_device(std::uint64_t paddr, unsigned size, void* data) {
    return rooms_.memory.device(thread_, address_space::memory, paddr, size, false, data);
}

isa::status environment::write_device(std::uint64_t paddr, unsigned size, const void* data) {
    std::uint8_t copy[8] = {};
    std::memcpy(copy, data, std::min<std::size_t>(size, sizeof copy));
    return rooms_.memory.device(thread_, address_space::memory, paddr, size, true, copy);
}

isa::status environment::read_port(std::uint16_t port, unsigned size, void* data) {
    return rooms_.memory.device(thread_, address_space::ports, port, size, false, data);
}

isa::status environment::write_port(std::uint16_t port, unsigned size, const void* data) {
    std::uint8_t copy[8] = {};
    std::memcpy(copy, data, std::min<std::size_t>(size, sizeof copy));
    return rooms_.memory.device(thread_, address_space::ports, port, size, true, copy);
}

isa::status environment::package_register(std::uint32_t number, bool write, std::uint64_t& value) {
    return rooms_.memory.device(thread_, address_space::registers, number, sizeof value, write,
                                &value);
}

bool environment::read_apic_base(std::uint64_t& value) {
    value = system_registers::apic_base(thread_);
    return true;
}

bool environment::write_apic_base(std::uint64_t value) {
    return rooms_.registers.write_apic_base(thread_, value);
}

bool environment::read_msr(std::uint32_t number, std::uint64_t& value) {
    return rooms_.registers.read_msr(thread_, number, value);
}

bool environment::write_msr(std::uint32_t number, std::uint64_t value) {
    return rooms_.registers.write_msr(thread_, number, value);
}

bool environment::rdpmc(std::uint32_t index, std::uint64_t& value) {
    return rooms_.registers.rdpmc(thread_, index, value);
}

std::uint64_t environment::tsc() {
    return rooms_.registers.tsc();
}

void environment::spflt(bool enable) {
    rooms_.registers.spflt(thread_, enable);
}

std::uint32_t environment::apic_id() const {
    return thread_.apic->id();
}

std::uint8_t environment::read_cr8() {
    return thread_.apic->cr8();
}

void environment::write_cr8(std::uint8_t priority) {
    rooms_.registers.write_cr8(thread_, priority);
}

const isa::held_translation* environment::held_page(std::uint64_t la, isa::access_kind kind) {
    return rooms_.translations.held_page(thread_, la, kind);
}

const isa::held_translation* environment::held_region(std::uint64_t la) {
    return rooms_.translations.held_region(thread_, la);
}

void environment::looked_up(std::uint64_t la, isa::access_kind kind, const isa::page_walk& w,
                            bool allowed) {
    rooms_.translations.looked_up(thread_, la, kind, w, allowed);
}

void environment::translations_void(bool keep_global) {
    rooms_.translations.flush(thread_, keep_global);
}

void environment::translation_void(std::uint64_t la) {
    rooms_.translations.flush_page(thread_, la);
}

void environment::code_written(std::uint64_t paddr, unsigned size) {
    rooms_.fetch.code_written(paddr, size);
}

bool environment::holds_code(std::uint64_t paddr) const {
    return rooms_.fetch.holds_code(paddr);
}

void environment::refused(const std::string& text) {
    rooms_.log.warn(text);
}

}  // namespace knc::core
