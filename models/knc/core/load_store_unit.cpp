#include <knc/core/load_store_unit.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace knc::core {

using coherence::line_t;

namespace {

bool is_apic_page(const thread& t, std::uint64_t paddr) {
    return t.apic->globally_enabled() && paddr >> 12 == base::apic_page >> 12;
}

}  // namespace

load_store_unit::load_store_unit(std::uint16_t core, const parameters& p, timeline& time,
                                 cycle_accounting& accounting, isa::code_view& code,
                                 device_port& devices, thread_table& threads, socket& memory)
    : core_(core),
      parameters_(p),
      time_(time),
      accounting_(accounting),
      code_(code),
      devices_(devices),
      threads_(threads),
      memory_(memory) {
    extension_.core = core;
}

void load_store_unit::reach_memory() {
    tlm::tlm_generic_payload request;
    request.set_command(tlm::TLM_READ_COMMAND);
    request.set_address(0);
    tlm::tlm_dmi dmi;
    // A target that denies access still returns the end of memory.
    memory_->get_direct_mem_ptr(request, dmi);
    ram_ = dmi.get_dmi_ptr();
    ram_size_ = dmi.get_end_address() + 1;
}

void load_store_unit::connect(cache::l1d_if& c) {
    l1_ = &c;
    keeps_copies_ = c.keeps_copies();
    line_bits_ = static_cast<unsigned>(__builtin_ctz(c.bytes_of_line()));
}

void load_store_unit::prepare(isa::context& c) const {
    c.access_bytes = 1u << line_bits_;
    c.now = keeps_copies_ ? time_.clock() : nullptr;
}

// ---- accesses

isa::status load_store_unit::use(thread& t, const cache::outcome& r, std::uint8_t*& host) {
    if (r.is_hit()) {
        host = r.line();
        return isa::status::ok;
    }
    t.lines.ready_at(r.retry_at());
    t.lines.known_to_caches = true;
    watch_caches();
    return isa::status::blocked;
}

isa::status load_store_unit::line(thread& t, std::uint64_t paddr, isa::access_kind kind,
                                  std::uint8_t*& host) {
    if (!is_ram(paddr)) {
        host = nullptr;
        return isa::status::ok;
    }
    const bool to_read = kind == isa::access_kind::read || kind == isa::access_kind::walk;
    const bool walk = kind == isa::access_kind::walk || kind == isa::access_kind::walk_update;
    const bool locked = kind == isa::access_kind::update && t.lines.locked;
    const auto charge = walk                              ? cache::charge::walk
                        : locked                          ? cache::charge::locked
                        : kind == isa::access_kind::write ? cache::charge::store
                                                          : cache::charge::load;
    const line_t line = line_of(paddr);
    const isa::status s = use(t,
                              to_read ? l1_->line_for_load(t.index(), line, charge, time_.now())
                                      : l1_->line_for_update(t.index(), line, charge, time_.now()),
                              host);
    if (s == isa::status::blocked && !t.lines.waits_for.store) t.lines.waits_for.data = true;
    return s;
}

isa::status load_store_unit::line_for_store(thread& t, std::uint64_t paddr, unsigned others,
                                            std::uint8_t*& host, bool& waits) {
    waits = false;
    if (!is_ram(paddr)) return line(t, paddr, isa::access_kind::write, host);
    const cache::outcome r = l1_->line_for_store(t.index(), line_of(paddr), others, time_.now());
    waits = r.is_taken();
    if (!waits) return use(t, r, host);
    host = nullptr;
    return isa::status::ok;
}

isa::status load_store_unit::store_line(thread& t, std::uint64_t paddr, const void* data,
                                        bool ordered, std::uint8_t*& host) {
    if (!is_ram(paddr)) return line(t, paddr, isa::access_kind::write, host);
    coherence::line_data bytes;
    std::memcpy(bytes.data(), data, bytes.size());
    const cache::outcome r =
        l1_->streaming_store(t.index(), line_of(paddr), bytes, ordered, time_.now());
    if (!r.is_taken()) return use(t, r, host);
    t.lines.known_to_caches = true;
    if (l1_->stores_wait(t.index())) {
        t.lines.stores_wait = true;
        t.context.stores_wait(true);
    }
    if (!ordered) t.lines.weak_stores = true;
    watch_caches();
    return isa::status::ok;
}

void load_store_unit::buffer_store(thread& t, std::uint64_t paddr, unsigned size,
                                   const void* data) {
    l1_->buffer_store(t.index(), paddr, size, data, time_.now());
    t.lines.stores_wait = t.lines.known_to_caches = true;
    t.context.stores_wait(true);
    watch_caches();
}

void load_store_unit::forward_stores(const thread& t, std::uint64_t paddr, unsigned size,
                                     std::uint8_t* data) const {
    l1_->forward_stores(t.index(), paddr, size, data);
}

isa::status load_store_unit::drain_stores(thread& t) {
    if (!t.lines.stores_wait || l1_->drained(t.index())) return isa::status::ok;
    t.lines.ready_at(base::never);
    return isa::status::blocked;
}

isa::status load_store_unit::fence(thread& t) {
    if (drain_stores(t) != isa::status::ok) return isa::status::blocked;
    if (!t.lines.weak_stores) return isa::status::ok;
    t.lines.weak_stores = !l1_->fenced(t.index(), time_.now());
    watch_caches();
    if (!t.lines.weak_stores) return isa::status::ok;
    t.lines.ready_at(base::never);
    return isa::status::blocked;
}

isa::status load_store_unit::borrow_line(thread& t, std::uint64_t paddr, std::uint8_t*& host) {
    host = nullptr;
    if (!is_ram(paddr)) return isa::status::ok;
    if (fence(t) != isa::status::ok) return isa::status::blocked;
    const line_t line = line_of(paddr);
    const isa::status st =
        use(t, l1_->line_for_update(t.index(), line, cache::charge::none, time_.now()), host);
    if (st == isa::status::ok && t.lines.borrow(line)) t.lines.known_to_caches = true;
    return st;
}

bool load_store_unit::return_borrowed(thread& t, std::uint64_t paddr, std::uint8_t*& host) {
    const line_t line = line_of(paddr);
    if (!t.lines.has_borrowed(line)) return false;
    host = l1_->line_for_update(t.index(), line, cache::charge::none, time_.now()).line();
    return host != nullptr;
}

isa::status load_store_unit::room_to_combine(thread& t, std::uint64_t paddr, unsigned others,
                                             bool& waits) {
    waits = false;
    if (!l1_->combines() || !is_ram(paddr)) return isa::status::ok;
    waits = l1_->room_to_combine(t.index(), line_of(paddr), others, time_.now());
    watch_caches();
    if (waits) return isa::status::ok;
    t.lines.ready_at(base::never);
    return isa::status::blocked;
}

void load_store_unit::combine_store(thread& t, std::uint64_t paddr, unsigned size,
                                    const void* data) {
    l1_->combine_store(t.index(), paddr, size, data, time_.now());
    t.lines.weak_stores = true;
    watch_caches();
}

void load_store_unit::peek(std::uint64_t paddr, unsigned size, void* data) const {
    if (!is_ram(paddr)) return;
    tlm::tlm_generic_payload p;
    p.set_command(tlm::TLM_READ_COMMAND);
    p.set_address(paddr);
    p.set_data_ptr(static_cast<unsigned char*>(data));
    p.set_data_length(size);
    p.set_streaming_width(size);
    memory_->transport_dbg(p);
}

// ---- cache control

void load_store_unit::prefetch(thread& t, std::uint64_t paddr, const isa::prefetch_hint& hint,
                               bool cacheable) {
    cache::prefetch_request r;
    r.to_l1 = hint.level == isa::cache_level::l1;
    r.exclusive = hint.exclusive;
    r.non_temporal = hint.non_temporal;
    r.counted = !hint.non_temporal;
    l1_->prefetch(t.index(), line_of(paddr), r, cacheable && is_ram(paddr), time_.now());
    watch_caches();
}

isa::status load_store_unit::evict(thread& t, std::uint64_t paddr, isa::cache_level level) {
    if (!is_ram(paddr)) return isa::status::ok;
    if (!keeps_copies_) {
        if (level != isa::cache_level::l1) l1_->evict(line_of(paddr), time_.now());
        return isa::status::ok;
    }
    // A write of no bytes, which invalidates every copy.
    std::uint8_t nothing = 0;
    if (level == isa::cache_level::all)
        return device(t, address_space::memory, paddr, 0, true, &nothing);
    if (level == isa::cache_level::l1)
        l1_->evict_from_l1(line_of(paddr), time_.now());
    else
        l1_->evict(line_of(paddr), time_.now());
    watch_caches();
    return isa::status::ok;
}

isa::status load_store_unit::flush_caches(thread& t) {
    // The answer of the shared cache comes after the tile's own lines have left.
    if (!t.devices.has_answers()) {
        const bool done = l1_->flush(t.index(), time_.now());
        watch_caches();
        if (!done) {
            t.lines.ready_at(base::never);
            return isa::status::blocked;
        }
    }
    if (!parameters_.shared_cache) return isa::status::ok;
    std::uint64_t nothing = 0;
    return device(t, address_space::shared_cache, 0, sizeof nothing, true, &nothing);
}

// ---- devices

isa::status load_store_unit::device(thread& t, address_space space, std::uint64_t address,
                                    unsigned size, bool write, void* data) {
    t.context.unusual = true;
    if (const device_request* made = t.devices.replay()) {
        if (!write) std::memcpy(data, made->data.data(), size);
        return isa::status::ok;
    }
    // An uncached access must follow earlier stores.
    if (fence(t) != isa::status::ok) return isa::status::blocked;
    device_request r;
    r.space = space;
    r.core = core_;
    r.thread = static_cast<std::uint8_t>(t.index());
    r.write = write;
    r.size = size;
    r.address = address;
    r.issued = time_.now();
    if (write) std::memcpy(r.data.data(), data, size);
    if (space == address_space::memory && is_apic_page(t, address)) {
        access_apic(t, r);
        if (!write) std::memcpy(data, r.data.data(), size);
        accounting_.add_stall(t.index(), parameters_.apic_cycles);
        t.devices.made(r);
        return isa::status::ok;
    }
    if (immediate_ != nullptr) {
        immediate_->access(r, time_.now());
        if (!write) std::memcpy(data, r.data.data(), size);
        t.devices.made(r);
        time_.leave();
        return isa::status::ok;
    }
    // A fetch ahead may have left the cycle of its line.
    t.lines.ready_at(base::never);
    t.devices.post(r);
    if (!write && space == address_space::memory) t.lines.waits_for.data = true;
    if (space == address_space::memory && keeps_copies_ && is_ram(address)) {
        l1_->uncached(t.index(), r.ticket, write, address, size, r.data.data(), time_.now());
        watch_caches();
        return isa::status::blocked;
    }
    t.lines.waits_for.device = std::max(time_.now(), bus_free_);
    time_.leave();
    devices_->post(r);
    return isa::status::blocked;
}

void load_store_unit::access_apic(thread& t, device_request& r) {
    tlm::tlm_generic_payload p;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    extension_.thread = r.thread;
    extension_.cpl = t.context.s.cpl;
    extension_.cycle = time_.now();
    p.set_command(r.write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
    p.set_address(r.address & 0xfff);
    p.set_data_ptr(r.data.data());
    p.set_data_length(r.size);
    p.set_streaming_width(r.size);
    p.set_extension(&extension_);
    if (recorder_ != nullptr && r.write) record_apic(t, r);
    (*apic_pages_[t.index()])->b_transport(p, delay);
    p.clear_extension(&extension_);
    if (!r.write && !p.is_response_ok()) r.data.fill(0);
    time_.leave();
    time_.look_at(time_.now() + 1);
}

void load_store_unit::record_apic(const thread& t, const device_request& r) const {
    std::uint32_t value = 0;
    std::memcpy(&value, r.data.data(), sizeof value);
    recorder_->apic_written(t.number(core_), r.address & 0xfff, value, t.apic->isr().highest(),
                            time_.now());
}

bool load_store_unit::device_done(unsigned n, std::uint32_t ticket, const device_data& data,
                                  base::cycle_t at) {
    if (!threads_[n]->devices.answer(ticket, data)) return false;
    accounting_.resume(n, at);
    return true;
}

// ---- around an instruction

void load_store_unit::wait(thread& t, base::cycle_t busy) {
    accounting_.wait(t.index(), busy, t.lines.begin_wait(t.devices.waiting()));
}

void load_store_unit::give_up_lines(thread& t) {
    t.lines.known_to_caches = false;
    l1_->completed(t.index(), time_.now());
    t.lines.give_back([this](line_t line) { l1_->evict(line, time_.now()); });
    watch_caches();
}

void load_store_unit::abandon(thread& t) {
    t.lines.stop_waiting();
    give_up_lines(t);
}

bool load_store_unit::settled(thread& t) {
    const bool performed = fence(t) == isa::status::ok;
    t.lines.stop_waiting();
    return performed && !t.devices.waiting();
}

void load_store_unit::send_combined(thread& t) {
    if (!t.lines.weak_stores) return;
    l1_->send_combined(t.index(), time_.now());
    watch_caches();
}

base::cycle_t load_store_unit::uncached_cycles(const thread& t) const {
    return base::cycle_t{parameters_.uncached_cycles} * t.context.uncached;
}

base::cycle_t load_store_unit::take_uncached_cycles(thread& t) const {
    const base::cycle_t n = uncached_cycles(t);
    t.context.uncached = 0;
    return n;
}

// ---- time

void load_store_unit::watch_caches() {
    time_.due_at(std::max(time_.now() + 1, l1_->next_event()));
    if (l1_->sent()) time_.leave();
}

bool load_store_unit::process_due_events() {
    if (l1_->next_event() > time_.now()) return false;
    l1_->process_due_events(time_.now());
    if (l1_->sent()) time_.leave();
    return true;
}

// ---- notifications of the caches

void load_store_unit::data_not_writable(line_t line, const std::uint8_t* host, unsigned threads) {
    for (auto& t : threads_)
        if ((threads >> t->index() & 1) != 0) t->context.forget_writes_to(line << line_bits_, host);
}

void load_store_unit::data_lost(line_t line, const std::uint8_t* host, unsigned threads) {
    for (auto& t : threads_)
        if ((threads >> t->index() & 1) != 0) t->context.forget_line(line << line_bits_, host);
}

void load_store_unit::code_lost(line_t line) {
    for (auto& t : threads_) t->code.line_lost(line);
}

void load_store_unit::wake(unsigned n, base::cycle_t cycle) {
    if (threads_[n]->lines.wake(cycle)) accounting_.resume(n, cycle);
}

void load_store_unit::stores_performed(unsigned n) {
    threads_[n]->lines.stores_wait = false;
    threads_[n]->context.stores_wait(false);
}

void load_store_unit::stored(std::uint64_t paddr, unsigned size) {
    if (code_.holds_code(paddr)) code_.written(paddr, size);
}

bool load_store_unit::holds_code(line_t line) const {
    return code_.holds_code(line << line_bits_);
}

void load_store_unit::uncached_done(unsigned n, std::uint32_t ticket,
                                    const cache::uncached_data& data, base::cycle_t cycle) {
    device_done(n, ticket, data, cycle);
}

void load_store_unit::store_delayed(unsigned n, cache::store_delay why) {
    threads_[n]->lines.waits_for.store = why;
}

void load_store_unit::bus_busy(base::cycle_t from, base::cycle_t until) {
    bus_free_ = until;
    accounting_.count_during(0, base::p55c_bus, from, until);
}

void load_store_unit::event_due(base::cycle_t cycle) {
    time_.due_at(cycle);
    time_.disturb();
}

}  // namespace knc::core
