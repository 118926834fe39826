// One hardware thread of a core: architectural context, where it fetches, what it is doing.
//
// Models: run state, readiness in clocks, the occupancy that duration events are counted from, the
// replay of device accesses when an instruction is executed again.
#ifndef KNC_CORE_THREAD_H
#define KNC_CORE_THREAD_H

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include <knc/apic/local_apic.h>
#include <knc/base/clock.h>
#include <knc/base/event.h>
#include <knc/cache/hierarchy.h>
#include <knc/core/branch_predictor.h>
#include <knc/core/ports.h>
#include <knc/core/skid.h>
#include <knc/isa/context.h>
#include <knc/isa/decode_cache.h>
#include <knc/isa/event_delivery.h>

namespace knc::core {

class core;

enum class run_state : std::uint8_t { running, halted, wait_for_sipi, shutdown };

// The privilege level to which the events of a thread in state `s` belong.
inline base::privilege privilege_of(const isa::state& s) {
    return s.cpl == 0 ? base::supervisor : base::user;
}

// A rise of the PMU's line on its way to the local APIC.
struct pmi_edge {
    base::cycle_t overflow;  // the clock that caused it
    base::cycle_t arrives;
    std::uint64_t retired;  // instructions the thread had retired by the end of that clock
};

class thread final : public isa::environment {
  public:
    thread(core& c, std::uint8_t index, isa::profile p, const branch_parameters&);

    isa::context context;
    run_state state = run_state::wait_for_sipi;

    // Where code is fetched: linear page + mode the decoded page belongs to.
    std::uint64_t code_tag = no_code;
    isa::decode_cache::page* code = nullptr;
    std::uint64_t code_page = 0;  // physical page number of `code`
    // The decoded page `tag` belongs to becomes the present one, if it was so lately.
    void enter_code_page(std::uint64_t tag) {
        const code_front& f = recent_code_[tag >> 12 & (recent_pages - 1)];
        if (f.tag != tag || f.generation != code_generation_) return;
        code_tag = tag;
        code = f.page;
        code_page = f.number;
        context.code_cacheable = f.cacheable;
    }
    void set_code_page(std::uint64_t tag, isa::decode_cache::page* p, std::uint64_t number) {
        recent_code_[tag >> 12 & (recent_pages - 1)] = {tag, p, number, code_generation_,
                                                        context.code_cacheable};
        enter_code_page(tag);
    }
    std::uint64_t fetch_chunk = ~0ull;     // aligned block of linear addresses fetched last
    coherence::line_t fetch_line = ~0ull;  // of memory, with that block, if there are caches
    // Where the instruction fetched last is in memory: its first byte, and the beginning of the
    // next page for one that goes on there.
    std::uint64_t fetch_paddr = 0, fetch_rest = 0;
    // The instruction at `la` that goes on in the next page, if it was decoded lately.
    isa::insn* find_crossing(std::uint64_t la, std::uint64_t tag) {
        crossing& x = crossings_[la >> 12 & (recent_pages - 1)];
        if (x.la != la || x.tag != tag || x.generation != code_generation_) return nullptr;
        fetch_rest = x.rest;
        return &x.code;
    }
    // It goes on at `fetch_rest`.
    isa::insn* add_crossing(std::uint64_t la, std::uint64_t tag, const isa::insn& i) {
        crossing& x = crossings_[la >> 12 & (recent_pages - 1)];
        x = {la, tag, code_generation_, fetch_rest, i};
        return &x.code;
    }
    isa::insn unremembered;  // an instruction that is decoded each time
    // Pages whose walk the present fetch has waited for: not walked for again.
    std::array<std::uint64_t, 2> walked{no_code, no_code};

    // An instruction that acts when it completes, between issue and completion.
    bool late = false;
    isa::insn late_insn;
    base::cycle_t late_at = base::never;  // its last clock

    base::cycle_t walk_cycles = 0;  // of a code page walk that has to pass before the fetch
    bool in_string = false;         // between two elements of a REP string instruction
    branch_predictor branches;
    std::uint64_t retired = 0;
    // Who wants to see each instruction the thread executes.
    static constexpr std::uint8_t observe_profile = 1, observe_handler = 2;
    std::uint8_t observed = 0;
    skid_meter skid;
    std::deque<pmi_edge> pmi_edges;
    // When a line the thread waits for will be there; base::never: the caches will say.
    base::cycle_t line_ready = base::never;
    bool waits_for_line = false;
    bool stores_wait = false;  // in the store buffer
    // Writes of the thread that are ordered with others by fence() only may be under way.
    bool weak_writes = false;
    // Blocked: stores of the thread still wait, or writes that only a fence orders are under way.
    isa::status fence();
    // Lines borrow_line() has given to the instruction that has ended leave the caches.
    void give_back();
    // The caches keep something of the present instruction's: a hold, an account of its misses.
    bool known_to_caches = false;
    bool counted = false;  // the late instruction's own event was raised ahead of its effect
    // An event whose delivery waits for memory, or for that of another.
    struct {
        bool waiting = false;
        isa::event_kind kind = isa::event_kind::exception;
        isa::fault what;
        std::uint64_t next_ip = 0;
    } delivery;
    const char* shutdown_reason = "";

    apic::local_apic* apic = nullptr;

    void reset_fetch() {
        fetch_chunk = ~0ull;
        walked.fill(no_code);
        forget_decoded();
    }
    // What was decoded may be void; what is in the prefetch buffer is not.
    void forget_decoded() {
        code_tag = no_code;
        ++code_generation_;
    }
    // The code TLB has dropped the page at `la`.
    void forget_code_page(std::uint64_t la);
    static constexpr std::uint64_t no_code = ~0ull;

    // The device access posted with `ticket` has been answered; false if nothing waits for it (INIT
    // came in between).
    bool device_done(std::uint32_t ticket, const std::array<std::uint8_t, 8>& data);
    bool waits_for_device() const { return outstanding_.ticket != 0; }
    // Accesses of the present instruction have taken place: it must complete before anything else
    // happens, or they would be made twice.
    bool has_answers() const { return !answered_.empty(); }
    // The instruction retired or faulted: its accesses are not to be replayed.
    void forget_device_accesses() {
        answered_.clear();
        replayed_ = 0;
        outstanding_.ticket = 0;
    }
    // The instruction is executed again from its start.
    void replay_device_accesses() { replayed_ = 0; }

    bool is_ram(std::uint64_t paddr) const;

    // isa::environment
    std::uint8_t* page(std::uint64_t paddr) override;
    isa::status line(std::uint64_t paddr, isa::access_kind, std::uint8_t*& host) override;
    isa::status line_for_store(std::uint64_t paddr, unsigned others, std::uint8_t*& host,
                               bool& waits) override;
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
    bool read_msr(std::uint32_t number, std::uint64_t& value) override;
    bool write_msr(std::uint32_t number, std::uint64_t value) override;
    bool rdpmc(std::uint32_t index, std::uint64_t& value) override;
    std::uint64_t tsc() override;
    void spflt(bool enable) override;
    std::uint32_t apic_id() const override;
    void code_written(std::uint64_t paddr, unsigned size) override;
    bool holds_code(std::uint64_t paddr) const override;
    std::uint8_t read_cr8() override;
    void write_cr8(std::uint8_t priority) override;
    const isa::held_translation* held_page(std::uint64_t la, isa::access_kind) override;
    const isa::held_translation* held_region(std::uint64_t la) override;
    void looked_up(std::uint64_t la, isa::access_kind, const isa::page_walk&,
                   bool allowed) override;
    void translations_void(bool keep_global) override;
    void translation_void(std::uint64_t la) override;
    void refused(const std::string& text) override;

    std::uint8_t index() const { return index_; }

  private:
    isa::status device(address_space, std::uint64_t address, unsigned size, bool write, void* data);
    bool local_apic_page(std::uint64_t paddr) const;
    isa::status use(const cache::lookup&, std::uint8_t*& host);

    static constexpr std::size_t recent_pages = 16;
    struct code_front {
        std::uint64_t tag = no_code;
        isa::decode_cache::page* page = nullptr;
        std::uint64_t number = 0;
        std::uint64_t generation = 0;
        bool cacheable = true;
    };
    struct crossing {
        std::uint64_t la = 0, tag = no_code, generation = 0, rest = 0;
        isa::insn code;
    };

    core& core_;
    std::uint8_t index_;
    std::uint64_t code_generation_ = 1;
    std::array<code_front, recent_pages> recent_code_;
    std::array<crossing, recent_pages> crossings_;
    std::uint32_t ticket_ = 0;
    device_request outstanding_;            // ticket 0: none
    std::vector<device_request> answered_;  // of the present instruction, in order
    std::size_t replayed_ = 0;
    std::array<coherence::line_t, 2> borrowed_{};
    std::size_t borrowed_count_ = 0;
};

}  // namespace knc::core

#endif
