// What a core's threads and its caches have to do with each other.

#include <knc/core/core.h>

#include <algorithm>
#include <cstring>

namespace knc::core {

using coherence::line_t;

namespace {

line_t line_of(std::uint64_t paddr) {
    return paddr / coherence::line_bytes;
}

// The line is one of the first `count`.
bool among(const std::array<line_t, 2>& lines, std::size_t count, line_t line) {
    const auto end = lines.begin() + count;
    return std::find(lines.begin(), end, line) != end;
}

}  // namespace

// ---- of a thread: its accesses

// The answer of the caches to an access of the present instruction.
isa::status thread::use(const cache::lookup& r, std::uint8_t*& host) {
    if (r.line != nullptr) {
        host = r.line;
        return isa::status::ok;
    }
    line_ready = r.ready;
    known_to_caches = true;
    core_.look_at_caches();
    return isa::status::blocked;
}

isa::status thread::line(std::uint64_t paddr, isa::access_kind kind, std::uint8_t*& host) {
    if (!is_ram(paddr)) {
        host = nullptr;
        return isa::status::ok;
    }
    cache::hierarchy* caches = core_.caches_;
    if (caches == nullptr) {
        host = core_.ram_ + (paddr & ~std::uint64_t{coherence::line_bytes - 1});
        return isa::status::ok;
    }
    if (kind == isa::access_kind::execute)
        return use(caches->code(index_, line_of(paddr), core_.time_.now(), context.code_cacheable),
                   host);
    const bool to_read = kind == isa::access_kind::read || kind == isa::access_kind::walk;
    const bool walk = kind == isa::access_kind::walk || kind == isa::access_kind::walk_update;
    const auto charge = walk                              ? cache::charge::none
                        : kind == isa::access_kind::write ? cache::charge::store
                                                          : cache::charge::load;
    return use(caches->data(index_, line_of(paddr), !to_read, core_.time_.now(), charge), host);
}

isa::status thread::line_for_store(std::uint64_t paddr, unsigned others, std::uint8_t*& host,
                                   bool& waits) {
    waits = false;
    if (core_.caches_ == nullptr || !is_ram(paddr))
        return line(paddr, isa::access_kind::write, host);
    const cache::lookup r = core_.caches_->store(index_, line_of(paddr), others, core_.time_.now());
    waits = r.line == nullptr && r.ready == core_.time_.now();
    if (!waits) return use(r, host);
    host = nullptr;
    return isa::status::ok;
}

void thread::buffer_store(std::uint64_t paddr, unsigned size, const void* data) {
    core_.caches_->buffer(index_, paddr, size, data, core_.time_.now());
    stores_wait = known_to_caches = true;
    context.stores_wait(true);
    core_.look_at_caches();
}

void thread::forward_stores(std::uint64_t paddr, unsigned size, std::uint8_t* data) const {
    core_.caches_->forward(index_, paddr, size, data);
}

isa::status thread::drain_stores() {
    if (!stores_wait || core_.caches_->drained(index_)) return isa::status::ok;
    line_ready = base::never;
    return isa::status::blocked;
}

isa::status thread::fence() {
    if (drain_stores() != isa::status::ok) return isa::status::blocked;
    if (!weak_writes) return isa::status::ok;
    weak_writes = !core_.caches_->fenced(index_, core_.time_.now());
    core_.look_at_caches();
    if (!weak_writes) return isa::status::ok;
    line_ready = base::never;
    return isa::status::blocked;
}

isa::status thread::borrow_line(std::uint64_t paddr, std::uint8_t*& host) {
    host = nullptr;
    if (!is_ram(paddr)) return isa::status::ok;
    if (fence() != isa::status::ok) return isa::status::blocked;
    const isa::status st = use(
        core_.caches_->data(index_, line_of(paddr), true, core_.time_.now(), cache::charge::none),
        host);
    if (st == isa::status::ok && !among(borrowed_, borrowed_count_, line_of(paddr)) &&
        borrowed_count_ < borrowed_.size()) {
        borrowed_[borrowed_count_++] = line_of(paddr);
        known_to_caches = true;
    }
    return st;
}

bool thread::return_borrowed(std::uint64_t paddr, std::uint8_t*& host) {
    if (!among(borrowed_, borrowed_count_, line_of(paddr))) return false;
    host = core_.caches_->data(index_, line_of(paddr), true, core_.time_.now(), cache::charge::none)
               .line;
    return host != nullptr;
}

void thread::give_back() {
    for (; borrowed_count_ != 0; --borrowed_count_)
        core_.caches_->evict(borrowed_[borrowed_count_ - 1], core_.time_.now());
}

isa::status thread::room_to_combine(std::uint64_t paddr, unsigned others, bool& waits) {
    waits = false;
    if (!core_.caches_->combines() || !is_ram(paddr)) return isa::status::ok;
    waits = core_.caches_->room_to_combine(index_, line_of(paddr), others, core_.time_.now());
    core_.look_at_caches();
    if (waits) return isa::status::ok;
    line_ready = base::never;
    return isa::status::blocked;
}

void thread::combine_store(std::uint64_t paddr, unsigned size, const void* data) {
    core_.caches_->combine(index_, paddr, size, data, core_.time_.now());
    weak_writes = true;
    core_.look_at_caches();
}

void thread::peek(std::uint64_t paddr, unsigned size, void* data) {
    if (!is_ram(paddr)) return;
    tlm::tlm_generic_payload p;
    p.set_command(tlm::TLM_READ_COMMAND);
    p.set_address(paddr);
    p.set_data_ptr(static_cast<unsigned char*>(data));
    p.set_data_length(size);
    p.set_streaming_width(size);
    core_.memory->transport_dbg(p);
}

void thread::prefetch(std::uint64_t paddr, const isa::prefetch_hint& hint, bool cacheable) {
    if (core_.caches_ == nullptr) return;
    cache::prefetch_request r;
    r.to_l1 = hint.level == isa::cache_level::l1;
    r.exclusive = hint.exclusive;
    r.non_temporal = hint.non_temporal;
    r.counted = !hint.non_temporal;
    core_.caches_->prefetch(index_, line_of(paddr), r, cacheable && is_ram(paddr),
                            core_.time_.now());
    core_.look_at_caches();
}

isa::status thread::evict(std::uint64_t paddr, isa::cache_level level) {
    if (core_.caches_ == nullptr || !is_ram(paddr)) return isa::status::ok;
    // A write of no byte, which leaves no copy anywhere.
    std::uint8_t nothing = 0;
    if (level == isa::cache_level::all)
        return device(address_space::memory, paddr, 0, true, &nothing);
    if (level == isa::cache_level::l1)
        core_.caches_->evict_l1(line_of(paddr), core_.time_.now());
    else
        core_.caches_->evict(line_of(paddr), core_.time_.now());
    core_.look_at_caches();
    return isa::status::ok;
}

isa::status thread::flush_caches() {
    if (core_.caches_ == nullptr) return isa::status::ok;
    const bool done = core_.caches_->flush(index_, core_.time_.now());
    core_.look_at_caches();
    if (done) return isa::status::ok;
    line_ready = base::never;
    return isa::status::blocked;
}

// ---- of the core: what the caches tell it

void core::connect(cache::hierarchy& caches) {
    caches_ = &caches;
    for (auto& t : threads_) t->context.copies = time_.clock();
}

void core::receive(const coherence::message& m, base::cycle_t clock) {
    caches_->receive(m, clock);
    next_known_ = false;
    time_.due_at(clock);
}

// Something was asked of the caches in this clock: they may have become busy.
void core::look_at_caches() {
    time_.due_at(std::max(time_.now() + 1, caches_->next_event()));
    if (caches_->sent()) time_.leave();
}

// What the caches have to do in this clock.
void core::run_caches() {
    if (caches_->next_event() > time_.now()) return;
    caches_->run(time_.now());
    if (caches_->sent()) time_.leave();
    eventful_ = true;
}

// Writes of the thread that wait to be combined wait no longer, and the thread not for them.
void core::send_combined(thread& t) {
    if (!t.weak_writes) return;
    caches_->send_combined(t.index(), time_.now());
    look_at_caches();
}

// The present instruction of `t` has ended.
void core::release_lines(thread& t) {
    t.known_to_caches = false;
    caches_->completed(t.index(), time_.now());
    t.give_back();
    look_at_caches();
}

void core::data_not_writable(line_t line, const std::uint8_t* host) {
    for (auto& t : threads_) t->context.forget_writes_to(line * coherence::line_bytes, host);
}

void core::data_lost(line_t line, const std::uint8_t* host) {
    for (auto& t : threads_) t->context.forget_line(line * coherence::line_bytes, host);
}

void core::code_lost(line_t line) {
    for (auto& t : threads_)
        if (t->fetch_line == line) t->fetch_chunk = ~0ull;
}

void core::wake(unsigned thread, base::cycle_t clock) {
    knc::core::thread& t = *threads_[thread];
    if (!t.waits_for_line) return;
    t.waits_for_line = false;
    accounting_.resume(thread, clock);
}

void core::stores_performed(unsigned thread) {
    threads_[thread]->stores_wait = false;
    threads_[thread]->context.stores_wait(false);
}

void core::stored(std::uint64_t paddr, unsigned size) {
    if (code_map_.holds_code(paddr)) code_map_.written(paddr, size);
}

bool core::holds_code(line_t line) const {
    return code_map_.holds_code(line * coherence::line_bytes);
}

void core::uncached_done(unsigned thread, std::uint32_t ticket,
                         const std::array<std::uint8_t, 8>& data, base::cycle_t clock) {
    knc::core::thread& t = *threads_[thread];
    if (!t.device_done(ticket, data)) return;
    accounting_.resume(thread, clock);
}

// Up to `size` bytes of code at `paddr` within a page, as far as they can be had in this clock.
unsigned core::code_bytes(std::uint64_t paddr, unsigned size, std::uint8_t* bytes) const {
    if (caches_ == nullptr) {
        std::memcpy(bytes, ram_ + paddr, size);
        return size;
    }
    unsigned done = 0;
    while (done < size) {
        const std::uint8_t* line = caches_->code_at_hand(line_of(paddr + done), time_.now());
        if (line == nullptr) break;
        const auto at = static_cast<unsigned>((paddr + done) % coherence::line_bytes);
        const unsigned part =
            std::min(size - done, static_cast<unsigned>(coherence::line_bytes) - at);
        std::memcpy(bytes + done, line + at, part);
        done += part;
    }
    return done;
}

// The lines of an instruction at linear address `la`, from `from` to its last byte, are in the L1
// code cache. False: the thread waits for one.
bool core::code_arrives(thread& t, std::uint64_t la, std::uint64_t from, std::uint64_t last) {
    constexpr std::uint64_t page_mask = 0xfff;
    // Mostly they are in one line, which is there.
    const line_t first = line_of(t.fetch_paddr + (from - la));
    if (((from ^ last) & ~std::uint64_t{coherence::line_bytes - 1}) == 0 &&
        ((la ^ last) & ~page_mask) == 0 && caches_->use_code(t.index(), first, time_.now())) {
        t.fetch_line = first;
        return true;
    }
    for (std::uint64_t at = from; at <= last; at = (at | (coherence::line_bytes - 1)) + 1) {
        const bool here = at >> 12 == la >> 12;
        const std::uint64_t paddr =
            here ? t.fetch_paddr + (at - la) : t.fetch_rest + (at & page_mask);
        std::uint8_t* host = nullptr;
        if (t.line(paddr, isa::access_kind::execute, host) != isa::status::ok) {
            t.context.failure = isa::status::blocked;
            return false;
        }
        t.fetch_line = line_of(paddr);
    }
    return true;
}

}  // namespace knc::core
