// Micro-kernels: a few instructions, the clocks they take, and every event of the P54C and vector
// units they raise.
//
// The program of a kernel, at 0x1000, is
//
//             setup            what the body needs; ESP is 0x7000
//     9:
//     start:  notl %ebp        pairs with nothing, and its result is used by nothing
//             body             begins a fetch block of 32 bytes
//     stop:   notl %ebp
//             tail
//             hlt
//
// It runs on thread 0 of a tile, which is stepped clock by clock. Ledger and clock are read after
// the clock in which `start` issues and after that in which `stop` issues. The difference, less
// what a NOT takes of its own (2 clocks, a thread's issue interval; one instruction; one clock of
// the E stage), is the kernel's: the clocks by which the body delays what follows it, and the
// events that would not be without it. CODE_READ is exact for the body and `stop` together: an
// empty body raises it once.
//
// What a kernel is expected to raise is a list of event and count. An event of these units that is
// not listed is expected to stay at zero, except CPU_CLK_UNHALTED, which without an entry is
// expected to be the clocks of the kernel.
//
// Kernels in instructions of the vector unit are in files vector_*.cpp, which pass through knc-as.
#ifndef KNC_TESTS_KERNELS_HARNESS_H
#define KNC_TESTS_KERNELS_HARNESS_H

#include <array>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <knc/base/event.h>
#include <unit/card/rig.h>

// A kernel. BITS: 32 or 64; SETUP, BODY, TAIL: assembly text, relocatable; then the arguments of
// class kernel: clocks, counts and conditions. The kernels of a suite are one test.
#define KNC_KERNEL(suite, name, bits, setup, body, tail, ...)                          \
    KNC_KERNEL_TEXT(kernel_##suite##_##name, #bits, setup, body, tail);                \
    static const kernel suite##_##name(                                                \
        #suite, #name,                                                                 \
        {kernel_##suite##_##name##_begin, kernel_##suite##_##name##_end,               \
         kernel_##suite##_##name##_start, kernel_##suite##_##name##_stop, bits == 64}, \
        __VA_ARGS__)

#define KNC_KERNEL_TEXT(name, bits, setup, body, tail)                            \
    asm(".pushsection .rodata\n.code" bits "\n.p2align 6\n" #name                 \
        "_begin:\n"                                                               \
        "movl $0x7000, %esp\n" setup "\n.p2align 5, 0x90\n.skip 30, 0x90\n" #name \
        "_start:\n9:\n"                                                           \
        "notl %ebp\n" body "\n" #name "_stop:\nnotl %ebp\n" tail "\nhlt\n" #name  \
        "_end:\n.code64\n.popsection\n");                                         \
    extern "C" const unsigned char name##_begin[], name##_end[], name##_start[], name##_stop[]

// The linear address of a label of the kernel SUITE.NAME.
#define KNC_AT(suite, name, label) "(" label " - kernel_" #suite "_" #name "_begin + 0x1000)"

namespace knc::kernels {

using counts = std::vector<std::pair<base::event, std::uint64_t>>;

// What kernels are expected to raise is written as a sum of these. Both lists; an event of both
// with the sum of its counts:
counts operator+(counts, const counts&);
// `n` instructions, `v` of which issue to V beside another, in one fetch block with `stop`: each
// issue has its first clock in the E stage.
counts issues(std::uint64_t n, std::uint64_t v);
// Data accesses.
counts reads(std::uint64_t n);
counts writes(std::uint64_t n);
// Clocks of the E stage beyond the first of an issue: the front end stands still in them.
counts held(std::uint64_t clocks);
// An issue, already counted as such, is the first of these clocks of microcode.
counts microcode(std::uint64_t clocks);
// Clocks in which the thread may not issue and has nothing in the E stage.
counts waits(std::uint64_t clocks);
// `n` events of one kind.
inline counts raises(base::event e, std::uint64_t n) {
    return {{e, n}};
}

class machine;

// Under which a kernel is measured, beyond its text.
struct conditions {
    unsigned pass = 1;  // measured: the pass-th time `start` issues
    // An interrupt with vector 0x40 arrives before this clock, counted from the first the body
    // could issue in; -1: none.
    int interrupt_at = -1;
    void (*tune)(card::parameters&) = nullptr;
    void (*prepare)(machine&) = nullptr;  // after the program was loaded
};
conditions in_pass(unsigned pass);
conditions interrupted_at(int clock);
conditions tuned(void (*tune)(card::parameters&));
conditions prepared(void (*prepare)(machine&));

// A tile with descriptor tables, handlers and page tables.
//
// 0x1000-0x2fff: program, 0x3000: handlers, 0x4000-0x5fff: free for data, 0x8000: descriptor
// tables, 0x9000-0xefff: page tables and the IDT of 64-bit code, 0x10000: programs of other
// threads. 64-bit code sees its memory by regions of 2 MB:
//
//     0              one to one, as one page
//     1  0x200000    one to one in pages of 4 KB; none from 0x300000 on
//     2  0x400000    one to one, as one page; so are 4, 6, 8 and 10, all the same memory
//     3  0x600000    one to one in pages of 64 KB; none from 0x700000 on
//     5  0xa00000    the memory of region 0
class machine : public card::test::rig {
  public:
    explicit machine(const card::parameters& p = {}, const char* name = "machine");

    static constexpr std::uint8_t vector = 0x40;  // of interrupts
    // Where the handler of vector `v` begins. A fault's skips the two bytes that faulted and
    // returns, any other's returns.
    static constexpr std::uint32_t handler(std::uint32_t v) { return 0x3000 + 16 * v; }
    void interrupt(std::size_t thread);
    template <class T>
    void put(std::uint32_t at, T value) {
        std::memcpy(memory.data() + at, &value, sizeof value);
    }
    base::event_row events(std::size_t thread) const;

  private:
    void put_bytes(std::uint32_t at, std::initializer_list<std::uint8_t> bytes);
    void put_handler(std::uint32_t v);
    void put_page_tables();
};

struct measurement {
    base::cycle_t clocks = 0;
    std::array<base::event_row, base::threads_per_core> events{};  // by thread
};

class kernel {
  public:
    struct text {
        const unsigned char *begin, *end, *start, *stop;
        bool bits64;
    };
    kernel(const char* suite, const char* name, const text&, base::cycle_t clocks, counts,
           const conditions& = {});

    const std::string& suite() const { return suite_; }
    // SUITE.NAME
    const std::string& name() const { return name_; }
    std::uint64_t expected(base::event) const;
    // A machine as it wants one, to be elaborated.
    std::unique_ptr<machine> make_machine() const;
    // Starts it on `thread` of `m` and runs it until the thread halts.
    void run(machine& m, std::size_t thread) const;
    // Measures it on thread 0 of `m`, whose other threads may run something.
    measurement measure(machine& m) const;
    // Fails the test where `m` is not what is expected.
    void compare(const measurement& m) const;

    // All kernels of the program, in the order of each file.
    static const std::vector<const kernel*>& all();

  private:
    static std::vector<const kernel*>& registry();
    void start(machine& m, std::size_t thread) const;
    card::parameters parameters() const;

    std::string suite_, name_;
    text text_;
    base::cycle_t clocks_;
    counts counts_;
    conditions conditions_;
};

// Set-up of kernels that enter handlers: the descriptor tables of the machine.
#define KNC_HANDLERS "lgdt 0x80a0\nlidt 0x80a8\n"
#define KNC_HANDLERS_64 "lidt 0x80b0\nxorl %eax, %eax\nmovl %eax, %ss\n"

}  // namespace knc::kernels

#endif
