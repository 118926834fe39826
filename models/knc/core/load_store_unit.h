// Data accesses of the threads, between instructions and caches, devices and local APIC pages.
//
// Models: an attempt that must wait ends with `blocked` and the cycle of the next attempt, or waits
// until the caches wake the thread; buffered stores; weakly ordered stores and their fences; lines
// borrowed by an instruction that reads and writes memory that may not be cached; uncached accesses
// with their order after stores, their tickets and replay. Leaves out: the caches, or ideal memory
// instead of them (knc/cache/l1_if.h), data translations (translation_unit), the fast path
// (isa::context). Source: docs/architecture.md, "The core".
#ifndef KNC_CORE_LOAD_STORE_UNIT_H
#define KNC_CORE_LOAD_STORE_UNIT_H

#include <array>
#include <cstdint>

#include <tlm>

#include <knc/base/access.h>
#include <knc/base/address_map.h>
#include <knc/base/recorder.h>
#include <knc/cache/l1_if.h>
#include <knc/core/cycle_accounting.h>
#include <knc/core/parameters.h>
#include <knc/core/ports.h>
#include <knc/core/thread.h>
#include <knc/core/timeline.h>
#include <knc/isa/code_map.h>

namespace knc::core {

class load_store_unit final : public cache::l1_client_if {
  public:
    using socket = tlm::tlm_initiator_socket<>;

    load_store_unit(std::uint16_t core, const parameters&, timeline&, cycle_accounting&,
                    isa::code_view&, device_port&, thread_table&, socket& memory);
    // The register page of the local APIC of thread `t`.
    void connect_apic(unsigned t, socket& s) { apic_pages_[t] = &s; }
    // The L1 data cache, or ideal memory instead of it.
    void connect(cache::l1d_if&);
    // Devices answer at once, through `d`; nullptr: through the device port.
    void connect(immediate_devices_if* d) { immediate_ = d; }
    // Determines the size of memory, and its host address if it grants direct access.
    void reach_memory();
    // Initialises a new context: with caches, uses of granted lines record the present cycle.
    void prepare(isa::context&) const;

    // Granted lines are copies in a cache, not memory itself.
    bool keeps_copies() const { return keeps_copies_; }
    // The line of the caches that contains the byte.
    cache::line_t line_of(std::uint64_t paddr) const { return paddr >> line_bits_; }
    unsigned bytes_of_line() const { return 1u << line_bits_; }
    bool is_ram(std::uint64_t paddr) const {
        return paddr < ram_size_ && (paddr < base::hole_start || paddr >= base::hole_end);
    }
    bool in_memory(std::uint64_t paddr) const { return paddr < ram_size_; }

    // ---- services for a thread's instruction; see isa::environment
    std::uint8_t* page(std::uint64_t paddr) const {
        return is_ram(paddr) ? ram_ + (paddr & ~std::uint64_t{0xfff}) : nullptr;
    }
    isa::status line(thread&, std::uint64_t paddr, isa::access_kind, std::uint8_t*& host);
    isa::status line_for_store(thread&, std::uint64_t paddr, unsigned others, std::uint8_t*& host,
                               bool& waits);
    isa::status store_line(thread&, std::uint64_t paddr, const void* data, bool ordered,
                           std::uint8_t*& host);
    void buffer_store(thread&, std::uint64_t paddr, unsigned size, const void* data);
    void forward_stores(const thread&, std::uint64_t paddr, unsigned size,
                        std::uint8_t* data) const;
    isa::status drain_stores(thread&);
    isa::status borrow_line(thread&, std::uint64_t paddr, std::uint8_t*& host);
    bool return_borrowed(thread&, std::uint64_t paddr, std::uint8_t*& host);
    isa::status room_to_combine(thread&, std::uint64_t paddr, unsigned others, bool& waits);
    void combine_store(thread&, std::uint64_t paddr, unsigned size, const void* data);
    void peek(std::uint64_t paddr, unsigned size, void* data) const;
    void prefetch(thread&, std::uint64_t paddr, const isa::prefetch_hint&, bool cacheable);
    isa::status evict(thread&, std::uint64_t paddr, isa::cache_level);
    isa::status flush_caches(thread&);
    isa::status device(thread&, address_space, std::uint64_t address, unsigned size, bool write,
                       void* data);
    // Converts an L1's outcome for an access of the present instruction: the line's host address,
    // or blocked.
    isa::status use(thread&, const cache::outcome&, std::uint8_t*& host);

    // ---- around an instruction
    // Returns blocked while stores of the thread are buffered or weakly ordered ones are in flight.
    isa::status fence(thread&);
    // The attempt is blocked; the instruction issued before it in the same cycle has `busy` cycles
    // left.
    void wait(thread&, base::cycle_t busy);
    // The instruction has ended: releases the lines that it pinned or borrowed.
    void release(thread& t) {
        if (__builtin_expect(t.lines.known_to_caches, 0)) give_up_lines(t);
    }
    // Sends the write-combining buffers; the thread does not wait for them.
    void send_combined(thread&);
    // The cycles that the instruction, or event entry, spent on memory that may not be cached.
    base::cycle_t take_uncached_cycles(thread&) const;
    base::cycle_t uncached_cycles(const thread&) const;
    // The response to a device request.
    bool device_done(unsigned t, std::uint32_t ticket, const device_data& data, base::cycle_t at);

    // The attempt of the thread's present instruction is given up: it waits for no line, and pins
    // none. A device that it waits for still answers.
    void abandon(thread&);
    // Sends what the thread has stored. Returns whether all of it is performed, and no device has
    // to answer.
    bool settled(thread&);

    // ---- time
    base::cycle_t next_event() const { return l1_->next_event(); }
    // Lets the caches process what is due in this cycle. Returns whether there was anything.
    bool process_due_events();
    // The caches received a request in this cycle, so their next event may have changed.
    void watch_caches();
    // From now on, a waveform shows what the caches have in each cycle.
    void sample_caches() { caches_sampled_ = true; }

    // From now on, `r` learns of writes to the registers of local APICs.
    void record(base::recorder_if& r) { recorder_ = &r; }

    // ---- cache::l1_client_if
    void data_not_writable(coherence::line_t, const std::uint8_t* host, unsigned threads) override;
    void data_lost(coherence::line_t, const std::uint8_t* host, unsigned threads) override;
    void code_lost(coherence::line_t) override;
    void wake(unsigned thread, base::cycle_t cycle) override;
    void stores_performed(unsigned thread) override;
    void stored(std::uint64_t paddr, unsigned size) override;
    bool holds_code(coherence::line_t) const override;
    void uncached_done(unsigned thread, std::uint32_t ticket, const cache::uncached_data&,
                       base::cycle_t cycle) override;
    void store_delayed(unsigned thread, cache::store_delay) override;
    void bus_busy(base::cycle_t from, base::cycle_t until) override;
    bool rests_until(base::cycle_t cycle) const override {
        return !caches_sampled_ && time_.activity_known() && time_.activity() >= cycle;
    }
    void event_due(base::cycle_t cycle) override;

  private:
    void access_apic(thread&, device_request&);
    void record_apic(const thread&, const device_request&) const;
    void give_up_lines(thread&);

    const std::uint16_t core_;
    const parameters& parameters_;
    timeline& time_;
    cycle_accounting& accounting_;
    isa::code_view& code_;
    device_port& devices_;
    thread_table& threads_;
    socket& memory_;
    std::array<socket*, base::threads_per_core> apic_pages_{};
    base::recorder_if* recorder_ = nullptr;
    immediate_devices_if* immediate_ = nullptr;
    cache::l1d_if* l1_ = nullptr;
    bool keeps_copies_ = false;
    bool caches_sampled_ = false;
    unsigned line_bits_ = base::line_bits;
    base::cycle_t bus_free_ = 0;  // of a Pentium: its caches do not use the bus from then on
    std::uint8_t* ram_ = nullptr;
    std::uint64_t ram_size_ = 0;
    base::access extension_;
};

}  // namespace knc::core

#endif
