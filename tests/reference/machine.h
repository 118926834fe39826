// A core that is stepped clock by clock, to compare the model's with.
//
// One call is one clock: every thread counts its clocks down, one of the free ones issues, and what
// is true of the clock is counted in it. Every instruction is decoded and paired anew each time it
// is issued, no translation is remembered but in its TLBs, and every walk begins at the root.
// Shared with the model: what instructions do (isa), the table of issue rules, the local APICs,
// parameters. After docs/pipeline.md, docs/pmu.md and docs/architecture.md.
// Leaves out: INIT and start-up messages, breakpoints that are met, devices (an access to one waits
// for ever).
#ifndef KNC_TESTS_REFERENCE_MACHINE_H
#define KNC_TESTS_REFERENCE_MACHINE_H

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <knc/apic/local_apic.h>
#include <knc/base/event.h>
#include <knc/card/parameters.h>
#include <knc/core/issue_rules.h>
#include <knc/core/thread.h>
#include <knc/isa/context.h>
#include <knc/isa/event_delivery.h>

#include "buffers.h"
#include "counters.h"

namespace knc::reference {

class machine;

enum class activity : std::uint8_t { executing, microcode, waiting };
// Clocks to come that are spent on one thing.
struct stretch {
    activity what;
    base::cycle_t clocks;
    bool delay = false;  // of DELAY, which an event ends
};

struct pending_event {
    isa::event_kind kind = isa::event_kind::exception;
    isa::fault what;
    std::uint64_t next_ip = 0;
};

class thread final : public isa::environment, public apic::bus {
  public:
    thread(machine&, unsigned index, const card::parameters&);

    const unsigned index;
    machine& owner;
    isa::context c;
    core::run_state state = core::run_state::wait_for_sipi;
    base::privilege at = base::supervisor;  // level its events are counted at
    branch_buffer branches;
    std::unique_ptr<apic::local_apic> local_apic;
    std::deque<base::cycle_t> pmis;  // on their way to it: clocks of arrival

    // The clock under way.
    bool executing = false, microcode = false, stalled = false;
    bool free = false;  // may issue

    // The clocks to come.
    std::deque<stretch> ahead;
    unsigned decoder_busy = 0;      // clocks in which its decoder cannot issue
    std::optional<isa::insn> late;  // acts in the last clock of `ahead`
    bool late_counted = false;
    std::optional<pending_event> event;  // to be entered at the next issue

    std::array<base::cycle_t, 8> x87_ready{};      // clock each physical register has its value in
    std::array<base::cycle_t, 64> vector_ready{};  // likewise, by bit of isa::register_set
    std::uint32_t written = 0;                     // general registers that the last issue wrote
    base::cycle_t waits = 0;         // for walks and the local APIC, of the instruction under way
    bool reached_apic = false;       // by the instruction under way
    std::uint64_t translated = 0;    // linear address of the last translation for data
    bool in_string = false;          // between two elements of a REP string instruction
    std::uint64_t block = ~0ull;     // aligned block of code in the prefetch buffer
    bool taken = false;              // the branch under way
    bool resumed = false;            // RF was set when the instruction under way issued
    bool code_voided = false;        // by a store of the instruction under way
    unsigned conflict = 0;           // clocks the pair under way loses to one bank
    base::cycle_t code_walk = 0;     // clocks of a walk that has to pass before the fetch
    std::set<std::uint64_t> walked;  // pages that the present fetch has walked for
    std::uint64_t retired = 0;

    base::event_row& counts();
    // Translates the next access anew, whatever the context remembers.
    void forget_translation();
    bool takes_part() const { return state == core::run_state::running; }

    // isa::environment
    std::uint8_t* page(std::uint64_t paddr) override;
    isa::status read_device(std::uint64_t paddr, unsigned size, void* data) override;
    isa::status write_device(std::uint64_t paddr, unsigned size, const void* data) override;
    isa::status read_port(std::uint16_t, unsigned, void*) override { return isa::status::blocked; }
    isa::status write_port(std::uint16_t, unsigned, const void*) override {
        return isa::status::blocked;
    }
    bool read_msr(std::uint32_t number, std::uint64_t& value) override;
    bool write_msr(std::uint32_t number, std::uint64_t value) override;
    bool rdpmc(std::uint32_t index, std::uint64_t& value) override;
    std::uint64_t tsc() override;
    void spflt(bool enable) override;
    std::uint32_t apic_id() const override { return local_apic->id(); }
    void code_written(std::uint64_t paddr, unsigned size) override;
    bool holds_code(std::uint64_t paddr) const override;
    std::uint8_t read_cr8() override { return local_apic->cr8(); }
    void write_cr8(std::uint8_t priority) override;
    const isa::held_translation* held_page(std::uint64_t la, isa::access_kind) override;
    void looked_up(std::uint64_t la, isa::access_kind, const isa::page_walk&,
                   bool allowed) override;
    void translations_void(bool keep_global) override;
    void translation_void(std::uint64_t la) override;
    void refused(const std::string&) override {}

    // apic::bus
    void send(const apic::interrupt_message&, base::cycle_t now) override;
    void eoi_broadcast(std::uint8_t, base::cycle_t) override {}

  private:
    isa::status device(std::uint64_t paddr, unsigned size, bool write, std::uint32_t& value);
    void count_own();
};

struct code_bytes {
    std::array<std::uint8_t, 15> all{};
    unsigned size = 0;
};

class machine final {
  public:
    static constexpr unsigned threads = base::threads_per_core;

    machine(const card::parameters&, std::uint64_t ram_bytes);

    ~machine();
    machine(const machine&) = delete;
    machine& operator=(const machine&) = delete;

    const std::uint64_t ram_bytes;
    std::uint8_t* const ram;
    thread& at(std::size_t n) { return *threads_[n]; }
    // `t` starts at `eip` in flat 32-bit protected mode.
    void boot(std::size_t t, std::uint32_t eip);
    // One clock passes.
    void clock();

    base::cycle_t now() const { return now_; }
    // Whether an event is there in clock now() that ends HLT and DELAY.
    bool wakes(std::size_t t);
    // What issued in the clocks from `clock` on, and shortly before.
    std::string history(base::cycle_t clock) const;
    counters pmu;
    event_counts counts{};

  private:
    friend class thread;

    // machine.cpp: what every clock has
    void begin_clock();
    void begin_clock(thread&);
    static void end_delay(thread&);
    thread* next_thread();
    void end_clock();
    void close_clock();
    void count_durations(thread&);
    void complete(thread&);

    // issue.cpp: what an issue does
    struct fetched {
        bool ready = false;  // else it waits for a translation, or context.failure says why
        isa::insn code;
        std::uint64_t paddr = 0;
        bool in_ram = false;
        code_bytes bytes;
    };
    void issue(thread&);
    fetched fetch(thread&, std::uint64_t ip);
    std::optional<isa::insn> partner(thread&, const fetched& u, std::uint64_t ip);
    bool interlocked(thread&, const isa::insn& u, const isa::insn* v);
    bool lacks_x87_value(thread&, const isa::insn& u);
    void lose_slot(thread&, base::cycle_t clocks, const char* why);
    void write_x87(thread&, const isa::insn&, unsigned top);
    bool lacks_vector_value(thread&, const isa::insn& u, const isa::insn* v);
    void write_vector(thread&, const isa::insn&);
    bool begin_late(thread&, const isa::insn&);
    void execute(thread&, const isa::insn& u, const isa::insn* v);
    isa::status execute_second(thread&, const isa::insn& u, const isa::insn& v,
                               std::uint64_t u_address);
    void ended(thread&, const isa::insn&, unsigned clocks, bool stepped);
    void element_done(thread&, const isa::insn&);
    void not_executed(thread&, std::uint64_t ip, isa::status);
    void request_code(thread&, std::uint64_t la, unsigned length);
    void branch(thread&, const isa::insn&, std::uint64_t ip, bool in_v);
    void look_at(std::uint64_t paddr, unsigned size);

    // events.cpp: what comes in between
    bool take_interrupt(thread&, bool shadow);
    void enter(thread&, const pending_event&);
    void trap(thread&);
    void halt(thread&);
    void shut_down(thread&);
    base::cycle_t all_waits(thread&);

    struct note {
        base::cycle_t clock;
        unsigned thread;
        const char* what;
        std::uint64_t ip;
        isa::code_mode mode;
        code_bytes bytes;
    };
    void remember(const thread&, const char* what, const code_bytes& = {});

    const card::parameters p_;
    base::cycle_t now_ = 0;
    unsigned last_ = threads - 1;  // had the last issue slot
    bool string_goes_on_ = false;  // and did an element of a REP string in it
    unsigned execution_stage_ = 0;
    bool closed_ = false;         // all events of the clock under way are counted
    bool awake_ = false;          // in this clock
    base::cycle_t x87_free_ = 0;  // clock the x87 unit can take another instruction in
    translation_buffers translations_;
    std::vector<note> notes_;
    std::vector<std::uint64_t> code_lines_;  // per page: lines instructions were decoded from
    std::array<std::unique_ptr<thread>, threads> threads_;
};

}  // namespace knc::reference

#endif
