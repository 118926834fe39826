// What gdb debugs, as the server of its protocol sees it: the hardware threads of a card.
//
// Threads are numbered core * 4 + thread of the core. No call but the writes changes anything that
// software or a report can see. Leaves out: the card (platform/gdb_card.h).
#ifndef KNC_PLATFORM_GDB_TARGET_H
#define KNC_PLATFORM_GDB_TARGET_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <platform/gdb_registers.h>

namespace platform {

// Data whose accesses stop a thread after the instruction that made one.
struct gdb_watch {
    enum class kind : std::uint8_t { write, read, access } of = kind::write;
    std::uint64_t address = 0, size = 0;

    bool operator==(const gdb_watch& o) const {
        return of == o.of && address == o.address && size == o.size;
    }
};

// An access that has met a watch.
struct gdb_hit {
    gdb_watch::kind of;
    std::uint64_t address;  // of the first byte watched that was accessed
};

struct gdb_target_if {
    virtual ~gdb_target_if() = default;

    virtual std::size_t threads() const = 0;
    // It has run, or will without another one's doing.
    virtual bool exists(std::size_t thread) const = 0;
    virtual std::string name(std::size_t thread) const = 0;
    virtual std::string state(std::size_t thread) const = 0;
    // It executes instructions, so a stop of all threads may be shown as its own.
    virtual bool runs(std::size_t thread) const = 0;
    // The linear address of its instruction; the instructions it has retired.
    virtual std::uint64_t rip(std::size_t thread) const = 0;
    virtual std::uint64_t retired(std::size_t thread) const = 0;

    // By their numbers in this set.
    virtual const gdb_register_set& registers() const = 0;
    virtual std::string read_register(std::size_t thread, std::size_t number) const = 0;
    virtual bool write_register(std::size_t thread, std::size_t number, std::string_view) = 0;

    // The bytes at linear address `la`, up to the first that is not memory.
    virtual std::string read_memory(std::size_t thread, std::uint64_t la, std::size_t size) = 0;
    // False where not all of it is memory; nothing is written then.
    virtual bool write_memory(std::size_t thread, std::uint64_t la, std::string_view) = 0;

    // False: #GP(0).
    virtual bool read_msr(std::size_t thread, std::uint32_t number, std::uint64_t& value) = 0;
    virtual bool write_msr(std::size_t thread, std::uint32_t number, std::uint64_t value) = 0;
    // One line for each event that the thread has counted.
    virtual std::string counts(std::size_t thread) = 0;
    virtual std::uint64_t cycle(std::size_t thread) const = 0;

    // The server is asked before each instruction of the thread, or no more.
    virtual void ask(std::size_t thread, bool on) = 0;
    virtual void watch(const std::vector<gdb_watch>&) = 0;
    // What the thread has met since the last call.
    virtual std::optional<gdb_hit> take_hit(std::size_t thread) = 0;

    // The waveform begins or ends here, or where all cores have come to one cycle. False: the run
    // writes none.
    virtual bool trace(bool) { return false; }
    // The run ends.
    virtual void end() = 0;
};

}  // namespace platform

#endif
