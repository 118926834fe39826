// A hardware thread as instruction handlers see it: state, memory, and how an instruction ended.
//
// Models: effective and linear addresses, segment and page checks, data events. Two small
// direct-mapped tables keep the lines granted to the thread and its page translations. An access to
// a granted line takes the fast path: one compare.
// Leaves out: cache and TLB timing (knc/core and knc/cache).
// Source: Intel SDM vol. 3, chapters 3-5.
#ifndef KNC_ISA_CONTEXT_H
#define KNC_ISA_CONTEXT_H

#include <cstdint>
#include <cstring>
#include <string>

#include <knc/base/address_map.h>
#include <knc/base/event.h>
#include <knc/isa/access_counts.h>
#include <knc/isa/breakpoints.h>
#include <knc/isa/environment.h>
#include <knc/isa/insn.h>
#include <knc/isa/monitoring.h>
#include <knc/isa/profile.h>
#include <knc/isa/state.h>

namespace knc::isa {

enum exception_vector : std::uint8_t {
    vector_de = 0,
    vector_db = 1,
    vector_nmi = 2,
    vector_bp = 3,
    vector_of = 4,
    vector_br = 5,
    vector_ud = 6,
    vector_nm = 7,
    vector_df = 8,
    vector_ts = 10,
    vector_np = 11,
    vector_ss = 12,
    vector_gp = 13,
    vector_pf = 14,
    vector_mf = 16,
    vector_ac = 17,
    vector_mc = 18
};

// An exception to be delivered.
struct fault {
    std::uint8_t vector = 0;
    bool has_error = false;
    bool unsupported = false;  // no fault of the guest: the model does not execute this
                               // (context.message says what)
    bool trap = false;  // RIP saved is that of the next instruction (#DB single step, INT3, INTO)
    std::uint32_t error = 0;
    std::uint32_t dr6 = 0;      // conditions that delivery of #DB reports in DR6
    std::uint64_t address = 0;  // CR2 of a page fault
};

// A #DB trap for these conditions of DR6.
inline fault debug_trap(std::uint32_t conditions) {
    fault f;
    f.vector = vector_db;
    f.trap = true;
    f.dr6 = conditions;
    return f;
}

// Bytes of one line or less that a vector instruction accesses: bit n of `which` is the byte at
// la + n; 0: none.
struct vector_bytes {
    std::uint64_t la = 0, which = 0;
};

// A translation, as paging found it.
struct translation {
    std::uint64_t paddr = 0;  // of the byte asked for
    bool writable =
        false;  // a write by the same privilege would be allowed now and the dirty bit is set
    bool cacheable = false;  // as memory type; a device is never cached
    bool combining = false;  // stores may be combined (WC)
};

struct context {
    context(environment& e, isa::profile p) : env(e), instruction_set(p) {}

    state s;
    environment& env;
    isa::profile instruction_set;
    std::uint32_t signature = default_signature;  // CPUID leaf 1 EAX; reset() is to get the same
    bool announce_sse = false;                    // see cpuid_thread
    std::uint8_t perfmon_version = 0;             // likewise
    bool debug_store = false;                     // likewise
    monitoring cache_monitoring;                  // likewise

    // Counts of the privilege level the present instruction was issued at (base::ledger).
    base::event_row& events() { return *events_; }
    void count_in(base::event_row& row) { events_ = accesses_ = &row; }
    // These two bracket an instruction that makes several data accesses, or an event entry. Its
    // accesses count when it has ended; an attempt that must be repeated counts none.
    void begin_accesses() { accesses_ = &uncommitted_; }
    void end_accesses(bool committed);

    // Why the last access or instruction did not end with status::ok.
    status failure = status::ok;
    isa::fault fault;
    std::string message;

    std::uint32_t delay = 0;  // operand of DELAY, in cycles
    bool branch_taken =
        false;  // the last conditional branch was taken, perhaps to the next instruction
    bool interrupt_shadow =
        false;  // MOV SS / POP SS / STI just executed: no interrupt before the next instruction
    bool debug_shadow = false;  // the shadow is not that of STI: it hides breakpoints, steps too
    bool nmi_blocked = false;   // from NMI delivery to the next IRET
    bool unstepped = false;     // it has entered a handler by itself: no single-step trap after it
    // The core has more to do than count the instruction: one of the next two is not 0, or the
    // environment requires it.
    bool unusual = false;
    std::uint32_t uncached = 0;          // lines of uncacheable RAM that the instruction accessed
    std::uint32_t debug_conditions = 0;  // DR6 bits it met: a #DB trap is due when it has executed
    // Conditions that MOV SS or POP SS met: the next instruction reports them, or its own #DB does.
    std::uint32_t held_conditions = 0;
    breakpoints watched;  // derived from the debug registers by flush_translations()
    // Derived (see update_mode): bit n says that a read or write through segment n needs no limit
    // or type check. All of them in 64-bit mode, else those with a limit of 4 GB; a code segment
    // is never in `unchecked_writes` outside 64-bit mode.
    std::uint8_t unchecked_reads = 0, unchecked_writes = 0;
    std::uint64_t ip_mask = 0xffff'ffff;  // derived: 32 or 64 bits of RIP

    // Of a line of the caches, a power of two of at most 64: an access to several lines is made
    // line by line. Less than 64 only if accesses are counted (count_accesses_in()).
    std::uint32_t access_bytes = base::line_bytes;
    // Not nullptr: what line() hands out are copies in caches. Memory that may not be copied is
    // then accessed as devices are, and each use of a line writes the present cycle, at this
    // address, after the bytes of the line.
    const std::uint64_t* now = nullptr;
    // Where the context says that the access under way is a vector instruction's. The core gives
    // a place in its ledger, where the caches find it.
    bool* vector_access = &own_vector_access_;
    // What the last vector instruction with an access has accessed; the core resets it.
    vector_bytes vector_accessed;
    // From now on, accesses are counted in `c` too, and none takes the fast path.
    void count_accesses_in(access_counts& c);
    bool counts_accesses() const { return access_counts_ != nullptr; }
    // The lowest CPL whose events are those of a user.
    std::uint8_t lowest_user = 1;
    // Stores of this thread wait to be performed: see environment::buffer_store().
    void stores_wait(bool);

    // An access to `size` ports has been made.
    void count_ports(std::uint16_t first, unsigned size, bool write) {
        if (access_counts_ != nullptr) access_counts_->ports(s, first, size, write);
    }

    // ---- registers
    template <class T>
    T get(std::uint8_t offset) const {
        T v;
        std::memcpy(&v, reinterpret_cast<const std::uint8_t*>(s.r.data()) + offset, sizeof v);
        return v;
    }
    // A 32-bit write clears the upper half, as in 64-bit mode; 8- and 16-bit writes keep the rest.
    template <class T>
    void set(std::uint8_t offset, T v) {
        auto* p = reinterpret_cast<std::uint8_t*>(s.r.data()) + offset;
        if constexpr (sizeof v == 4) {
            const std::uint64_t wide = v;
            std::memcpy(p, &wide, sizeof wide);
        } else {
            std::memcpy(p, &v, sizeof v);
        }
    }

    // ---- addresses
    // Offset part of the memory operand, truncated to the address size.
    std::uint64_t offset(const insn& i) const {
        const std::uint64_t a = sum(i);
        return i.address_size == 8 ? a : a & (i.address_size == 4 ? 0xffff'ffffu : 0xffffu);
    }
    // The same with an address size of 64 bits; without `Index`, for an operand that has none.
    template <bool Index = true>
    std::uint64_t sum(const insn& i) const {
        const std::uint64_t a =
            s.r[i.base] + static_cast<std::uint64_t>(static_cast<std::int64_t>(i.disp));
        return Index ? a + (s.r[i.index] << i.scale) : a;
    }

    // ---- data accesses by the program, at its own privilege; false: see `failure`
    template <class T>
    bool load(unsigned seg, std::uint64_t off, T& v) {
        return read_fast(readable_lines_, unchecked_reads, seg, off, v) ||
               read_slow(seg, off, sizeof(T), &v, false);
    }
    template <class T>
    bool store(unsigned seg, std::uint64_t off, T v) {
        const std::uint64_t la = linear(seg, off);
        std::uint8_t* at;
        if (__builtin_expect((unchecked_writes >> seg & 1) != 0 && write_granted<T>(la, at), 1)) {
            std::memcpy(at, &v, sizeof v);
            return true;
        }
        return write_slow(seg, off, sizeof(T), &v);
    }
    // First half of a read-modify-write: as load, but faults if the store to follow would.
    template <class T>
    bool load_for_update(unsigned seg, std::uint64_t off, T& v) {
        return read_fast(writable_lines_, unchecked_writes, seg, off, v) ||
               read_slow(seg, off, sizeof(T), &v, true);
    }
    // ---- the same in 64-bit code and a segment whose base is 0, at linear address `la`. If the
    // access is granted, it counts as made, and `at` is the host address of the T; false otherwise.
    template <class T>
    bool read_granted(std::uint64_t la, std::uint8_t*& at) {
        return access<T>(readable_lines_, base::data_read, la, at);
    }
    template <class T>
    bool write_granted(std::uint64_t la, std::uint8_t*& at) {
        return access<T>(writable_lines_, base::data_write, la, at);
    }
    // To be read and written.
    template <class T>
    bool update_granted(std::uint64_t la, std::uint8_t*& at) {
        if (__builtin_expect(!write_granted<T>(la, at), 0)) return false;
        count_data(base::data_read, 1);
        return true;
    }
    // Whether a store of `size` bytes would be allowed; faults as the store would.
    bool check_write(unsigned seg, std::uint64_t off, unsigned size);
    // Any other size (FXSAVE, descriptors); counted as one access per line touched.
    bool read(unsigned seg, std::uint64_t off, unsigned size, void* data) {
        return read_slow(seg, off, size, data, false);
    }
    bool write(unsigned seg, std::uint64_t off, unsigned size, const void* data) {
        return write_slow(seg, off, size, data);
    }

    // Those of up to 64 bytes within one line whose bit in `which`, not 0, is set; one access.
    bool read_bytes(unsigned seg, std::uint64_t off, unsigned size, void* data,
                    std::uint64_t which);
    bool write_bytes(unsigned seg, std::uint64_t off, unsigned size, const void* data,
                     std::uint64_t which);
    // A whole line, which the caches need not read first. `ordered`: see environment::store_line().
    bool write_line(unsigned seg, std::uint64_t off, const void* data, bool ordered);

    // ---- the line at an address, for the program at its own privilege. The address is translated
    // as for a load; no data access takes place. Blocked: repeat the instruction.
    // Hints: where the program may not read, they end with status::ok and nothing happens.
    status prefetch(unsigned seg, std::uint64_t off, const prefetch_hint&);
    status evict(unsigned seg, std::uint64_t off, cache_level);
    // Out of all caches of the machine; faults as a load of the byte would.
    status flush_line(unsigned seg, std::uint64_t off);

    // ---- accesses by the machine itself to linear addresses at CPL 0 (descriptor tables, TSS,
    // event stacks) or, with `user`, at CPL 3 (the stack of the new privilege level). In long mode
    // an address that is not canonical is #GP(0).
    // `alignment` is what alignment checking asks of a write with `user`.
    bool read_system(std::uint64_t la, unsigned size, void* data, bool user = false);
    bool write_system(std::uint64_t la, unsigned size, const void* data, bool user = false,
                      unsigned alignment = 1);

    // ---- instruction bytes: fetches up to `size` bytes at RIP into `data`, as far as possible
    // without a fault, and returns their number. 0: see `failure`. `paddr` receives the physical
    // address of the first byte, last_fetched that of the last, code_cacheable whether memory of
    // the first may be cached.
    unsigned fetch(std::uint64_t ip, unsigned size, std::uint8_t* data, std::uint64_t& paddr);
    std::uint64_t last_fetched = 0;
    bool code_cacheable = true;
    bool code_limited = false;  // derived: CS does not reach to 4 GB

    // Physical address of linear address `la` for `kind` at privilege `user`, from the machine's
    // TLBs or by a walk, which sets accessed and dirty bits. False: failure and fault (#PF) are
    // set. Debug lookups use probe().
    bool translate(std::uint64_t la, access_kind kind, bool user, translation& t);
    // Physical address by the page tables, without side effects; false if not mapped.
    bool probe(std::uint64_t la, std::uint64_t& paddr);

    // Forgets the translations kept here: all (to be called when something changes on which they or
    // the breakpoints depend), or those of the `bytes` around linear address `la`, a power of two
    // of at least 4 KB. The machine's TLBs keep theirs.
    void flush_translations();
    void flush_translation(std::uint64_t la, std::uint64_t bytes);
    // Takes back the grant to write, or any grant, of the line of physical address `paddr` at host
    // address `line`.
    void forget_writes_to(std::uint64_t paddr, const std::uint8_t* line);
    void forget_line(std::uint64_t paddr, const std::uint8_t* line);

    // Recomputes everything derived from CS, CR0, EFER, CPL and the segments. Call it when any of
    // them has changed.
    void update_mode();

    // ---- exceptions: set `fault` and return status::fault, which the handler returns
    status raise(std::uint8_t vector) { return set_fault(vector, false, 0); }
    status raise(std::uint8_t vector, std::uint32_t error) {
        return set_fault(vector, true, error);
    }
    status ud() { return raise(vector_ud); }
    status gp(std::uint32_t error = 0) { return raise(vector_gp, error); }
    // A #DB fault for these conditions of DR6.
    status debug(std::uint32_t conditions);
    // The instruction meets these conditions of DR6.
    void meet(std::uint32_t conditions) {
        debug_conditions |= conditions;
        unusual = unusual || conditions != 0;
    }
    // The model does not execute this instruction.
    status unsupported(std::string what);

    std::uint64_t linear(unsigned seg, std::uint64_t off) const {
        const std::uint64_t la = s.seg[seg].base + off;
        return s.mode == code_mode::bits64 ? la : la & 0xffff'ffffu;
    }
    // As linear(), with the segment's checks: canonical, limit, type. False: #GP or #SS is set.
    bool checked_linear(unsigned seg, std::uint64_t off, unsigned size, access_kind kind,
                        std::uint64_t& la);

  private:
    // A granted line: `tag` is its line number and the mode, `host` its host address.
    struct granted_line {
        std::uint64_t tag = ~std::uint64_t{0};
        std::uint8_t* host = nullptr;
    };
    // A translation: `tag` is the page number and the privilege.
    struct cached_translation {
        std::uint64_t tag = ~std::uint64_t{0};
        translation of;
    };
    // The part of an access that lies in one line.
    struct piece {
        std::uint64_t la, paddr;
        unsigned offset, size;  // in the access
        std::uint8_t* line;     // its host address; nullptr: a device, or a store that waits
        bool waits;             // in the store buffer, or to be combined with others
        bool writable;
        bool cacheable;
    };
    static constexpr std::uint64_t line_bytes = base::line_bytes, line_mask = line_bytes - 1;
    static constexpr unsigned line_slots = 512, page_slots = 64;
    // The longest access (FXSAVE; with shorter lines, FNSAVE and a task's state) and the most lines
    // it touches.
    static constexpr unsigned longest_access = 512, most_lines = longest_access / line_bytes + 1;
    static unsigned slot(std::uint64_t la) { return la >> base::line_bits & (line_slots - 1); }
    static unsigned page_slot(std::uint64_t la) { return la >> 12 & (page_slots - 1); }
    // The slots that may hold a line of the 2 MB regions of a row. The end of a large page looks at
    // no others.
    static constexpr unsigned region_bits = 21, region_rows = 16;
    static unsigned region_row(std::uint64_t la) { return la >> region_bits & (region_rows - 1); }
    static constexpr unsigned lines_of_page = 0x1000 / base::line_bytes,
                              slots_of_line = line_slots / lines_of_page;
    static std::uint8_t mark_of(const std::uint8_t* host) {
        return static_cast<std::uint8_t>(reinterpret_cast<std::uintptr_t>(host) >> base::line_bits);
    }
    void flush_slots(unsigned row, unsigned word, std::uint64_t first, std::uint64_t bytes);
    // A tag matches only at the privilege and in the mode in which it was made; alignment checks
    // are a mode of their own.
    std::uint64_t tag(std::uint64_t la) const { return (la & ~line_mask) | tag_mode_; }
    std::uint64_t page_tag(std::uint64_t la, bool user) const {
        return (la & ~std::uint64_t{0xfff}) | (user ? 1u : 0u);
    }
    // The line of `la` is in slot(la) or in none, so the tag of its last byte's line is not found
    // there if that is another one.
    template <class T>
    bool contains(const granted_line& f, std::uint64_t la) const {
        return f.tag == tag(la + (sizeof(T) - 1));
    }
    // An access to the T at `la`, which counts as `e`, if one of `lines` has it.
    template <class T>
    bool access(const granted_line (&lines)[line_slots], base::event e, std::uint64_t la,
                std::uint8_t*& at) {
        const granted_line& f = lines[slot(la)];
        if (__builtin_expect(!contains<T>(f, la), 0)) return false;
        count_data(e, 1);
        use(f.host);
        at = f.host + (la & line_mask);
        return true;
    }
    // A read through segment `seg`, if one of `lines` has the T, and bit `seg` of `unchecked` says
    // that no limit or type has to be checked.
    template <class T>
    bool read_fast(const granted_line (&lines)[line_slots], unsigned unchecked, unsigned seg,
                   std::uint64_t off, T& v) {
        std::uint8_t* at;
        if (__builtin_expect((unchecked >> seg & 1) == 0 ||
                                 !access<T>(lines, base::data_read, linear(seg, off), at),
                             0))
            return false;
        std::memcpy(&v, at, sizeof v);
        return true;
    }
    // The thread uses the line granted at `host`.
    void use(std::uint8_t* host) const {
        if (now != nullptr) std::memcpy(host + line_bytes, now, sizeof *now);
    }
    // `lines` lines touched by an access that is committed.
    void count_data(base::event e, std::uint64_t lines) {
        (*accesses_)[e] += lines;
        (*accesses_)[base::data_read_or_write] += lines;
    }

    void forget(std::uint64_t paddr, const std::uint8_t* line, unsigned first_mark);
    void count_uncached(const piece& p, access_kind kind);
    bool read_slow(unsigned seg, std::uint64_t off, unsigned size, void* data, bool update);
    bool write_slow(unsigned seg, std::uint64_t off, unsigned size, const void* data);
    // Moves `size` bytes, at most longest_access, at `la`; `update`: a read that needs the rights
    // of a write.
    bool transfer(std::uint64_t la, unsigned size, void* data, access_kind kind, bool user,
                  bool update, unsigned alignment);
    // Number of pieces; 0: a fault, or an access that must wait. `store`: the access only stores,
    // so the environment may perform it later.
    unsigned locate(std::uint64_t la, unsigned size, access_kind use, bool user, bool store,
                    piece (&pieces)[most_lines]);
    status find_line(piece&, const translation&, access_kind use, bool store, unsigned waiting);
    bool translate_data(std::uint64_t la, access_kind kind, bool user, translation& t);
    bool locate_line(unsigned seg, std::uint64_t off, translation& t);
    status dropped_unless_blocked();
    bool device_transfer(const piece& p, void* data, access_kind kind);
    bool device_runs(const piece& p, std::uint8_t* data, std::uint64_t which, access_kind kind);
    void meet_data(std::uint64_t la, unsigned size, std::uint64_t which, bool write);
    void remember(const piece& p, access_kind kind, bool user);
    bool system_address(std::uint64_t& la, unsigned size);
    bool alignment_ok(std::uint64_t la, unsigned alignment);
    status set_fault(std::uint8_t vector, bool has_error, std::uint32_t error);

    // Bit 0: user; bit 1: alignment checks on; bit 2: stores wait; bit 3: accesses are counted.
    static constexpr std::uint64_t mode_user = 1, mode_aligned = 2, mode_stores_wait = 4,
                                   mode_counted = 8;
    static constexpr std::uint64_t lasting_modes = mode_stores_wait | mode_counted;
    std::uint64_t tag_mode_ = 0;
    bool own_vector_access_ = false;
    access_counts* access_counts_ = nullptr;
    base::event_row* events_ = nullptr;
    base::event_row* accesses_ = nullptr;  // where data accesses count: events_ or uncommitted_
    base::event_row uncommitted_{};
    granted_line readable_lines_[line_slots];
    granted_line writable_lines_[line_slots];
    // Of each line of a page, a part of the host addresses in the slots of such lines, readable and
    // then writable ones: a search for a line that is not granted reads nothing else.
    std::uint8_t marks_[lines_of_page][2 * slots_of_line] = {};
    std::uint64_t region_slots_[region_rows][line_slots / 64] = {};
    cached_translation translations_[page_slots];
};

}  // namespace knc::isa

#endif
