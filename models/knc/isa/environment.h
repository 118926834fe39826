// What a thread needs from the machine around it: physical memory, devices, MSRs that are not its
// own, time. The core implements it; unit tests implement it with plain memory.
//
// All calls are off the fast path: memory that is plain RAM is reached through pointers once page()
// has given them.
#ifndef KNC_ISA_ENVIRONMENT_H
#define KNC_ISA_ENVIRONMENT_H

#include <cstdint>
#include <cstring>
#include <string>

#include <knc/isa/insn.h>

namespace knc::isa {

// `update`: a read in order to write. The last two are made by page walks, which are no data
// accesses of the program. Rights are asked for `read`, `write` and `execute` only.
enum class access_kind : std::uint8_t { read, write, execute, update, walk, walk_update };

struct held_translation;
struct page_walk;

// Where a line is to be brought, or is to leave.
enum class cache_level : std::uint8_t { l1, l2, all };

// What a prefetch asks for.
struct prefetch_hint {
    cache_level level = cache_level::l1;
    bool exclusive = false;     // in order to write the line
    bool non_temporal = false;  // the line is not to stay long
};

struct environment {
    // Host address of the 4 KB page of RAM that holds `paddr`, or nullptr if it is not RAM.
    virtual std::uint8_t* page(std::uint64_t paddr) = 0;

    // The 64-byte line of memory that holds `paddr`, for an access of this kind, until the core
    // forgets it (context::forget_line): `host` is where it is, nullptr if `paddr` is not RAM.
    // status::blocked: it is under way, and the same access, repeated later, will find it.
    virtual status line(std::uint64_t paddr, access_kind, std::uint8_t*& host) {
        std::uint8_t* p = page(paddr);
        host = p == nullptr ? nullptr : p + (paddr & 0xfc0);
        return status::ok;
    }

    // The same for an access that only stores. `waits`: no line is handed out, but buffer_store()
    // will take the store, after `others` of the same instruction.
    virtual status line_for_store(std::uint64_t paddr, [[maybe_unused]] unsigned others,
                                  std::uint8_t*& host, bool& waits) {
        waits = false;
        return line(paddr, access_kind::write, host);
    }
    // Takes a store within one line. From then on, until the machine has performed it,
    // context::stores_wait() is to hold.
    virtual void buffer_store(std::uint64_t, unsigned, const void*) {}
    // Brings what a load found up to date with the thread's own stores that wait.
    virtual void forward_stores(std::uint64_t, unsigned, std::uint8_t*) const {}
    // Blocked: stores of the thread still wait in its buffer.
    virtual status drain_stores() { return status::ok; }

    // The line of memory that may not be cached, for an instruction that reads and writes it: the
    // environment sees to it that nobody else has it until the instruction has ended. As line().
    virtual status borrow_line(std::uint64_t paddr, std::uint8_t*& host) {
        return line(paddr, access_kind::update, host);
    }
    // That line again, to be written by the same instruction; false: the instruction did not borrow
    // it.
    virtual bool return_borrowed(std::uint64_t, std::uint8_t*&) { return false; }
    // Stores to memory of type WC. Whether combine_store() will take one after `others` of the same
    // instruction, in `waits`; if not, it is made as to a device. Blocked: repeat.
    virtual status room_to_combine(std::uint64_t, [[maybe_unused]] unsigned others, bool& waits) {
        waits = false;
        return status::ok;
    }
    virtual void combine_store(std::uint64_t, unsigned, const void*) {}

    // Reads memory as it is, wherever it is, without the machine noticing; `data` keeps its value
    // where `paddr` is not RAM. Within one line.
    virtual void peek(std::uint64_t paddr, unsigned size, void* data) {
        if (const std::uint8_t* p = page(paddr)) std::memcpy(data, p + (paddr & 0xfff), size);
    }

    // A device (uncached) access by this thread, `size` 1, 2, 4 or 8 and naturally aligned or not
    // as the guest made it. status::ok with the data transferred, or status::blocked: the access is
    // under way and the same access, repeated later, will end it. Never a fault: an address nobody
    // answers at reads as all ones, and writes to it are dropped.
    virtual status read_device(std::uint64_t paddr, unsigned size, void* data) = 0;
    virtual status write_device(std::uint64_t paddr, unsigned size, const void* data) = 0;

    // The same for the ports of profile compat: `size` 1, 2 or 4. An environment without ports has
    // none that answers.
    virtual status read_port(std::uint16_t, unsigned size, void* data) {
        std::memset(data, 0xff, size);
        return status::ok;
    }
    virtual status write_port(std::uint16_t, unsigned, const void*) { return status::ok; }

    // MSRs that are not in isa::state. False: #GP(0).
    virtual bool read_msr(std::uint32_t number, std::uint64_t& value) = 0;
    virtual bool write_msr(std::uint32_t number, std::uint64_t value) = 0;
    virtual bool rdpmc(std::uint32_t index, std::uint64_t& value) = 0;  // false: #GP(0)
    virtual std::uint64_t tsc() = 0;
    virtual void spflt(bool enable) = 0;

    // CPUID facts that depend on the machine: initial APIC ID and the number of threads.
    virtual std::uint32_t apic_id() const = 0;

    // Guest code wrote to the page of code at `paddr`; see code_map.
    virtual void code_written(std::uint64_t paddr, unsigned size) = 0;
    // Whether the line at `paddr` has decoded code in it, so that writes to it must be looked at.
    virtual bool holds_code(std::uint64_t paddr) const = 0;

    // ---- caches; none of this has an effect on memory that is always coherent

    // The thread asks for the line at `paddr`. `cacheable`: as memory type; nothing says that RAM
    // is there. Nothing waits for it.
    virtual void prefetch([[maybe_unused]] std::uint64_t paddr, const prefetch_hint&,
                          [[maybe_unused]] bool cacheable) {}
    // The line at `paddr` is to leave the core's caches of this level, written back if modified.
    // all: every cache of the machine, as CLFLUSH asks. Blocked: repeat.
    virtual status evict([[maybe_unused]] std::uint64_t paddr, cache_level) { return status::ok; }
    // All lines are to leave the core's caches, written back if modified. Blocked: repeat.
    virtual status flush_caches() { return status::ok; }

    // The thread's interrupt controller: CR8 is its task priority.
    virtual std::uint8_t read_cr8() = 0;
    virtual void write_cr8(std::uint8_t priority) = 0;

    // What the machine's TLBs hold for the thread, nullptr if nothing: the page of `la`, to be used
    // for accesses of this kind without a look at the page tables; and the page of `la`, or the
    // page table with its entry, that a walk for it begins with. An environment without TLBs holds
    // nothing. Valid until the next of the calls that follow.
    virtual const held_translation* held_page(std::uint64_t, access_kind) { return nullptr; }
    virtual const held_translation* held_region(std::uint64_t) { return nullptr; }
    // A walk for `la` is complete: it came to `walk` and, if that is a page, the access is
    // `allowed`, its accessed and dirty bits are set. What it costs, and what is held of it, is the
    // business of the machine's TLBs.
    virtual void looked_up(std::uint64_t, access_kind, const page_walk&, bool) {}
    // The thread's translations are void: all but global ones if `keep_global`, or those of the
    // page at `la`.
    virtual void translations_void([[maybe_unused]] bool keep_global) {}
    virtual void translation_void([[maybe_unused]] std::uint64_t la) {}

    // An instruction was refused (#UD by profile): one line for the log.
    virtual void refused(const std::string& text) = 0;

  protected:
    ~environment() = default;
};

}  // namespace knc::isa

#endif
