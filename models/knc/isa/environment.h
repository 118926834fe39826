// What a thread needs from the machine around it: physical memory, devices, MSRs that are not its
// own, time. The core implements it; unit tests implement it with plain memory.
//
// No call is on the fast path: the thread reaches a line of RAM by its pointer once line() or
// page() has granted it.
#ifndef KNC_ISA_ENVIRONMENT_H
#define KNC_ISA_ENVIRONMENT_H

#include <cstdint>
#include <cstring>
#include <string>

#include <knc/base/address_map.h>
#include <knc/isa/insn.h>

namespace knc::isa {

// `update`: a read in order to write. Page walks make the last two, which are no data accesses of
// the program. Rights exist for `read`, `write` and `execute` only.
enum class access_kind : std::uint8_t { read, write, execute, update, walk, walk_update };

struct held_translation;
struct page_walk;

// The caches that a prefetch fills or that a line leaves.
enum class cache_level : std::uint8_t { l1, l2, all };

// The request of a prefetch.
struct prefetch_hint {
    cache_level level = cache_level::l1;
    bool exclusive = false;     // in order to write the line
    bool non_temporal = false;  // the line should not stay long
};

struct environment {
    // Host address of the 4 KB page of RAM that holds `paddr`, or nullptr if it is not RAM.
    virtual std::uint8_t* page(std::uint64_t paddr) = 0;

    // Grants the 64-byte line of memory that holds `paddr` for an access of this kind, until the
    // core takes it back (context::forget_line). `host` is where the line is, nullptr if `paddr` is
    // not RAM. status::blocked: the line is requested; the same access, repeated later, hits.
    virtual status line(std::uint64_t paddr, access_kind, std::uint8_t*& host) {
        std::uint8_t* p = page(paddr);
        host = p == nullptr ? nullptr : p + (paddr & 0xfff & ~(base::line_bytes - 1));
        return status::ok;
    }

    // The same for an access that only stores. `waits`: no line is granted, but buffer_store() will
    // take the store, after `others` of the same instruction.
    virtual status line_for_store(std::uint64_t paddr, [[maybe_unused]] unsigned others,
                                  std::uint8_t*& host, bool& waits) {
        waits = false;
        return line(paddr, access_kind::write, host);
    }
    // A store of the whole line at `paddr`, which need not be read from memory. `ordered`: other
    // threads see it in the order of the thread's stores; otherwise at any time until a fence. The
    // store is done unless `host`, the place of the line, is granted for it. Blocked: repeat.
    virtual status store_line(std::uint64_t paddr, const void*, [[maybe_unused]] bool ordered,
                              std::uint8_t*& host) {
        return line(paddr, access_kind::write, host);
    }
    // Takes a store within one line. The environment calls context::stores_wait(true) now and
    // stores_wait(false) when it has performed the last store.
    virtual void buffer_store(std::uint64_t, unsigned, const void*) {}
    // Overwrites what a load found with the thread's own stores that wait.
    virtual void forward_stores(std::uint64_t, unsigned, std::uint8_t*) const {}
    // Blocked: stores of the thread still wait in its buffer.
    virtual status drain_stores() { return status::ok; }

    // As line(), for an instruction that reads and writes memory that may not be cached. Nobody
    // else has the line until the instruction has ended.
    virtual status borrow_line(std::uint64_t paddr, std::uint8_t*& host) {
        return line(paddr, access_kind::update, host);
    }
    // Grants that line again, for the write of the same instruction; false: the instruction did not
    // borrow it.
    virtual bool return_borrowed(std::uint64_t, std::uint8_t*&) { return false; }
    // Stores to memory of type WC. `waits`: a write-combining buffer has room, and combine_store()
    // will take the store after `others` of the same instruction. If not, the store is made as to a
    // device. Blocked: repeat.
    virtual status room_to_combine(std::uint64_t, [[maybe_unused]] unsigned others, bool& waits) {
        waits = false;
        return status::ok;
    }
    virtual void combine_store(std::uint64_t, unsigned, const void*) {}

    // Reads the present value of memory within one line, without side effects. `data` keeps its
    // value if `paddr` is not RAM.
    virtual void peek(std::uint64_t paddr, unsigned size, void* data) {
        if (const std::uint8_t* p = page(paddr)) std::memcpy(data, p + (paddr & 0xfff), size);
    }

    // A device (uncached) access by this thread, `size` 1, 2, 4 or 8, or up to 64 within a line for
    // a vector, aligned as the guest made it.
    // status::ok: the data are transferred. status::blocked: the access is in flight; the same
    // access, repeated later, completes it. Never a fault: an address without a device reads as all
    // ones, and a write to it is dropped.
    virtual status read_device(std::uint64_t paddr, unsigned size, void* data) = 0;
    virtual status write_device(std::uint64_t paddr, unsigned size, const void* data) = 0;

    // The same for the ports of profile compat: `size` 1, 2 or 4. In an environment without ports
    // no port answers.
    virtual status read_port(std::uint16_t, unsigned size, void* data) {
        std::memset(data, 0xff, size);
        return status::ok;
    }
    virtual status write_port(std::uint16_t, unsigned, const void*) { return status::ok; }

    // An MSR of the whole package (knc/isa/monitoring.h), as read_device().
    virtual status package_register(std::uint32_t, [[maybe_unused]] bool write, std::uint64_t&) {
        return status::ok;
    }

    // IA32_APIC_BASE of the thread's local APIC. False: #GP(0).
    virtual bool read_apic_base(std::uint64_t& value) { return read_msr(0x1b, value); }
    virtual bool write_apic_base(std::uint64_t value) { return write_msr(0x1b, value); }
    // MSRs without a row in knc/isa/msr.h. False: #GP(0).
    virtual bool read_msr(std::uint32_t number, std::uint64_t& value) = 0;
    virtual bool write_msr(std::uint32_t number, std::uint64_t value) = 0;
    virtual bool rdpmc(std::uint32_t index, std::uint64_t& value) = 0;  // false: #GP(0)
    virtual std::uint64_t tsc() = 0;
    virtual void spflt(bool enable) = 0;

    // CPUID facts that depend on the machine: initial APIC ID and the number of threads.
    virtual std::uint32_t apic_id() const = 0;

    // Guest code wrote to the page of code at `paddr`; see code_map.
    virtual void code_written(std::uint64_t paddr, unsigned size) = 0;
    // Whether the line at `paddr` holds decoded code, so that the thread must report writes to it.
    virtual bool holds_code(std::uint64_t paddr) const = 0;

    // ---- caches; without caches none of this has an effect

    // Requests the line at `paddr`; the thread does not wait for it. `cacheable`: by its memory
    // type. The address need not be RAM.
    virtual void prefetch([[maybe_unused]] std::uint64_t paddr, const prefetch_hint&,
                          [[maybe_unused]] bool cacheable) {}
    // Writes back the line at `paddr`, if modified, and removes it from the core's caches of this
    // level; all: from every cache of the machine, as CLFLUSH does. Blocked: repeat.
    virtual status evict([[maybe_unused]] std::uint64_t paddr, cache_level) { return status::ok; }
    // Writes back all modified lines and empties the core's caches. Blocked: repeat.
    virtual status flush_caches() { return status::ok; }

    // The thread's interrupt controller: CR8 is its task priority.
    virtual std::uint8_t read_cr8() = 0;
    virtual void write_cr8(std::uint8_t priority) = 0;

    // Translations that the machine's TLBs hold for the thread; nullptr: none. held_page(): the
    // page of `la`, for accesses of this kind without a walk. held_region(): the page of `la`, or
    // the page table with its entry, with which a walk begins. Both are valid until the next of the
    // calls that follow. An environment without TLBs holds nothing.
    virtual const held_translation* held_page(std::uint64_t, access_kind) { return nullptr; }
    virtual const held_translation* held_region(std::uint64_t) { return nullptr; }
    // A walk for `la` is complete, with the result `walk`. The last parameter: the result is a
    // page, the access is allowed, and the walk has set accessed and dirty bits. The machine's TLBs
    // decide what the walk costs and what they hold of it.
    virtual void looked_up(std::uint64_t, access_kind, const page_walk&, bool) {}
    // The thread's translations are void: all, except global ones if `keep_global`; or those of the
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
