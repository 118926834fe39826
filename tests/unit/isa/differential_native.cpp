#include "differential_native.h"

#include <csignal>
#include <cstring>
#include <initializer_list>
#include <vector>

#include <sys/mman.h>
#include <ucontext.h>

namespace knc::isa::test {
namespace {

// The first page of the region.
struct slots {
    native_state in, out;
    std::uint64_t host_stack;
    std::uint32_t landing;
};

slots& shared() {
    return *reinterpret_cast<slots*>(native_processor::region);
}

template <class T>
std::uint32_t address_of(const T& slot) {
    return static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(&slot));
}

constexpr std::size_t region_size = 0x2000 + native_processor::data_size;
constexpr unsigned save_at = 0x400;   // offset in the page of code: saves the state and returns
constexpr unsigned fault_at = 0x600;  // where a signal handler goes on
constexpr std::size_t signal_stack_size = 0x10000;

// Writes machine code at consecutive addresses.
class emitter {
  public:
    explicit emitter(std::uint64_t at) : at_(at) {}
    void bytes(std::initializer_list<unsigned> b) {
        for (const unsigned v : b)
            *reinterpret_cast<std::uint8_t*>(at_++) = static_cast<std::uint8_t>(v);
    }
    void word32(std::uint32_t v) {
        std::memcpy(reinterpret_cast<void*>(at_), &v, sizeof v);
        at_ += sizeof v;
    }
    // MOV between a 64-bit register and an absolute address: opcode 8B loads, 89 stores.
    void move(unsigned opcode, unsigned reg, std::uint32_t address) {
        bytes({0x48u | reg >> 3 << 2, opcode, 0x04u | (reg & 7) << 3, 0x25});
        word32(address);
    }
    void jump(std::uint64_t to) {
        bytes({0xE9});
        word32(static_cast<std::uint32_t>(to - (at_ + 4)));
    }
    void land(std::uint32_t number) {
        bytes({0xC7, 0x04, 0x25});
        word32(address_of(shared().landing));
        word32(number);
        jump(native_processor::code + save_at);
    }

  private:
    std::uint64_t at_;
};

volatile std::sig_atomic_t signal_number = 0;
std::vector<std::uint8_t> signal_stack(signal_stack_size);

void on_signal(int number, siginfo_t*, void* where) {
    signal_number = number;
    static_cast<ucontext_t*>(where)->uc_mcontext.gregs[REG_RIP] =
        static_cast<greg_t>(native_processor::code + fault_at);
}

constexpr int caught_signals[] = {SIGFPE, SIGILL, SIGSEGV, SIGBUS, SIGTRAP};

void catch_signals(bool on) {
    stack_t stack{};
    stack.ss_sp = signal_stack.data();
    stack.ss_size = signal_stack.size();
    stack.ss_flags = on ? 0 : SS_DISABLE;
    sigaltstack(&stack, nullptr);
    struct sigaction action {};
    if (on) {
        action.sa_sigaction = on_signal;
        action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    } else {
        action.sa_handler = SIG_DFL;
    }
    for (const int number : caught_signals) sigaction(number, &action, nullptr);
}

constexpr unsigned rsp_number = 4;
constexpr std::uint32_t landed_next = 0, landed_target = 1, landed_fault = 2;

}  // namespace

native_processor::native_processor() {
    void* p = mmap(reinterpret_cast<void*>(region), region_size, PROT_READ | PROT_WRITE | PROT_EXEC,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    mapped_ = p == reinterpret_cast<void*>(region);
    if (!mapped_) return;
    emit_frame();
    catch_signals(true);
}

native_processor::~native_processor() {
    if (!mapped_) return;
    catch_signals(false);
    munmap(reinterpret_cast<void*>(region), region_size);
}

void native_processor::emit_frame() {
    const slots& s = shared();
    emitter enter(code);
    enter.bytes({0x53, 0x55, 0x41, 0x54, 0x41, 0x55, 0x41, 0x56, 0x41, 0x57});  // PUSH callee-saved
    enter.move(0x89, rsp_number, address_of(s.host_stack));
    enter.bytes({0xFF, 0x34, 0x25});  // PUSH flags, POPFQ
    enter.word32(address_of(s.in.flags));
    enter.bytes({0x9D});
    for (unsigned n = 0; n < 16; ++n) enter.move(0x8B, n, address_of(s.in.r[n]));
    enter.jump(instruction);

    emitter save(code + save_at);
    for (unsigned n = 0; n < 16; ++n) save.move(0x89, n, address_of(s.out.r[n]));
    save.move(0x8B, rsp_number, address_of(s.host_stack));
    save.bytes({0x9C, 0x8F, 0x04, 0x25});  // PUSHFQ, POP flags
    save.word32(address_of(s.out.flags));
    save.bytes({0xFC, 0x41, 0x5F, 0x41, 0x5E, 0x41, 0x5D, 0x41, 0x5C, 0x5D, 0x5B, 0xC3});

    emitter(code + fault_at).land(landed_fault);
    emitter(branch_target).land(landed_target);
}

outcome native_processor::run(const std::uint8_t* bytes, std::size_t size, native_state& state) {
    slots& s = shared();
    s.in = state;
    std::memcpy(reinterpret_cast<void*>(instruction), bytes, size);
    emitter(instruction + size).land(landed_next);
    signal_number = 0;
    reinterpret_cast<void (*)()>(code)();
    state = s.out;
    if (s.landing == landed_next) return outcome::next;
    if (s.landing == landed_target) return outcome::target;
    if (signal_number == SIGFPE) return outcome::divide_error;
    return signal_number == SIGILL ? outcome::undefined : outcome::other_fault;
}

}  // namespace knc::isa::test
