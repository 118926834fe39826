#include "differential_native.h"

#include <csignal>
#include <cstring>
#include <initializer_list>
#include <vector>

#include <sys/mman.h>
#include <ucontext.h>

namespace knc::isa::test {
namespace {

// Linux's user code segments.
constexpr std::uint16_t code_selector32 = 0x23, code_selector64 = 0x33;
constexpr unsigned data_selector = 0x2b;

// The first page of the region.
struct slots {
    native_state in, out;
    std::uint64_t host_stack;
    std::uint64_t fault_stack;  // RSP at a fault in 64-bit code
    std::uint32_t landing;
    std::uint32_t far_offset;  // far pointer to the 32-bit code
    std::uint16_t far_selector;
};

slots& shared() {
    return *reinterpret_cast<slots*>(native_processor::region);
}

template <class T>
std::uint32_t address_of(const T& slot) {
    return static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(&slot));
}

// Places in the page of code: entry from C, the part behind the switch to 32-bit code, saving of
// the state, where a signal handler goes on, return to C.
constexpr std::size_t region_size = 0x2000 + native_processor::data_size;
constexpr std::uint64_t enter64 = native_processor::code, enter32 = native_processor::code + 0x100,
                        load32 = native_processor::code + 0x180,
                        save64 = native_processor::code + 0x400,
                        save32 = native_processor::code + 0x500,
                        fault64 = native_processor::code + 0x600,
                        fault32 = native_processor::code + 0x640,
                        leave = native_processor::code + 0x680,
                        scratch_stack = native_processor::region + 0xff0;
constexpr std::size_t signal_stack_size = 0x10000;

// Writes machine code at consecutive addresses.
class emitter {
  public:
    explicit emitter(std::uint64_t at, code_mode m = code_mode::bits64)
        : at_(at), long_(m == code_mode::bits64) {}
    void bytes(std::initializer_list<unsigned> b) {
        for (const unsigned v : b)
            *reinterpret_cast<std::uint8_t*>(at_++) = static_cast<std::uint8_t>(v);
    }
    void word32(std::uint64_t v) {
        const auto low = static_cast<std::uint32_t>(v);
        std::memcpy(reinterpret_cast<void*>(at_), &low, sizeof low);
        at_ += sizeof low;
    }
    // `opcode` with a ModRM operand at an absolute address and `reg` in ModRM.reg.
    void absolute(unsigned opcode, unsigned reg, std::uint32_t address) {
        bytes({opcode});
        if (long_)
            bytes({0x04u | (reg & 7) << 3, 0x25});
        else
            bytes({0x05u | reg << 3});
        word32(address);
    }
    // MOV between a whole register and an absolute address: opcode 8B loads, 89 stores.
    void move(unsigned opcode, unsigned reg, std::uint32_t address) {
        if (long_) bytes({0x48u | reg >> 3 << 2});
        absolute(opcode, reg, address);
    }
    void jump(std::uint64_t to) {
        bytes({0xE9});
        word32(to - (at_ + 4));
    }
    void land(std::uint32_t number) {
        absolute(0xC7, 0, address_of(shared().landing));
        word32(number);
        jump(long_ ? save64 : save32);
    }

  private:
    std::uint64_t at_;
    bool long_;
};

volatile std::sig_atomic_t signal_number = 0;
std::vector<std::uint8_t> signal_stack(signal_stack_size);

void on_signal(int number, siginfo_t*, void* where) {
    signal_number = number;
    greg_t* const r = static_cast<ucontext_t*>(where)->uc_mcontext.gregs;
    const bool compatibility = (r[REG_CSGSFS] & 0xffff) == code_selector32;
    r[REG_EFL] &= ~greg_t{flag_tf};
    r[REG_RIP] = static_cast<greg_t>(compatibility ? fault32 : fault64);
    if (compatibility) return;
    // Not every kernel returns to code whose RSP is not canonical.
    shared().fault_stack = static_cast<std::uint64_t>(r[REG_RSP]);
    r[REG_RSP] = static_cast<greg_t>(shared().host_stack);
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

constexpr std::uint32_t landed_next = 0, landed_target = 1, landed_fault = 2;

}  // namespace

host host_processor() {
    return __builtin_cpu_is("intel") ? host::intel : host::other;
}

native_processor::native_processor() {
    void* p = mmap(reinterpret_cast<void*>(region), region_size, PROT_READ | PROT_WRITE | PROT_EXEC,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    mapped_ = p == reinterpret_cast<void*>(region);
    if (!mapped_) return;
    emit_frame64();
    emit_frame32();
    catch_signals(true);
}

native_processor::~native_processor() {
    if (!mapped_) return;
    catch_signals(false);
    munmap(reinterpret_cast<void*>(region), region_size);
}

void native_processor::emit_frame64() {
    const slots& s = shared();
    emitter enter(enter64);
    enter.bytes({0x53, 0x55, 0x41, 0x54, 0x41, 0x55, 0x41, 0x56, 0x41, 0x57});  // PUSH callee-saved
    enter.move(0x89, rsp, address_of(s.host_stack));
    enter.absolute(0xFF, 6, address_of(s.in.flags));  // PUSH
    enter.bytes({0x9D});                              // POPFQ
    for (unsigned n = 0; n < 16; ++n) enter.move(0x8B, n, address_of(s.in.r[n]));
    enter.jump(instruction);

    emitter save(save64);
    for (unsigned n = 0; n < 16; ++n) save.move(0x89, n, address_of(s.out.r[n]));
    save.move(0x8B, rsp, address_of(s.host_stack));
    save.bytes({0x9C});                               // PUSHFQ
    save.absolute(0x8F, 0, address_of(s.out.flags));  // POP
    save.jump(leave);

    emitter end(leave);
    end.move(0x8B, rsp, address_of(s.host_stack));
    end.bytes({0xFC, 0x41, 0x5F, 0x41, 0x5E, 0x41, 0x5D, 0x41, 0x5C, 0x5D, 0x5B, 0xC3});
    emitter fault(fault64);
    fault.move(0x8B, rsp, address_of(s.fault_stack));
    fault.land(landed_fault);
}

void native_processor::emit_frame32() {
    slots& s = shared();
    s.far_offset = static_cast<std::uint32_t>(load32);
    s.far_selector = code_selector32;
    emitter enter(enter32);
    enter.bytes({0x53, 0x55, 0x41, 0x54, 0x41, 0x55, 0x41, 0x56, 0x41, 0x57});
    enter.move(0x89, rsp, address_of(s.host_stack));
    enter.bytes({0xB8, data_selector, 0, 0, 0, 0x8E, 0xD8, 0x8E, 0xC0});  // DS and ES
    enter.absolute(0xFF, 5, address_of(s.far_offset));                    // far JMP

    emitter load(load32, code_mode::bits32);
    load.bytes({0xBC});  // MOV ESP
    load.word32(scratch_stack);
    load.absolute(0xFF, 6, address_of(s.in.flags));
    load.bytes({0x9D});
    for (unsigned n = 0; n < 8; ++n) load.move(0x8B, n, address_of(s.in.r[n]));
    load.jump(instruction);

    emitter save(save32, code_mode::bits32);
    for (unsigned n = 0; n < 8; ++n) save.move(0x89, n, address_of(s.out.r[n]));
    save.bytes({0xBC});
    save.word32(scratch_stack);
    save.bytes({0x9C});
    save.absolute(0x8F, 0, address_of(s.out.flags));
    save.bytes({0xEA});  // far JMP
    save.word32(leave);
    save.bytes({code_selector64, 0});
    emitter(fault32, code_mode::bits32).land(landed_fault);
}

bool native_processor::runs(code_mode m) {
    constexpr std::uint8_t nop = 0x90;
    native_state s;
    return available() && run(m, &nop, 1, s) == outcome::next;
}

outcome native_processor::run(code_mode m, const std::uint8_t* bytes, std::size_t size,
                              native_state& state) {
    slots& s = shared();
    s.in = state;
    s.out = native_state{};
    std::memcpy(reinterpret_cast<void*>(instruction), bytes, size);
    emitter(instruction + size, m).land(landed_next);
    emitter(branch_target, m).land(landed_target);
    signal_number = 0;
    reinterpret_cast<void (*)()>(m == code_mode::bits64 ? enter64 : enter32)();
    state = s.out;
    if (s.landing == landed_next) return outcome::next;
    if (s.landing == landed_target) return outcome::target;
    if (signal_number == SIGFPE) return outcome::divide_error;
    return signal_number == SIGILL ? outcome::undefined : outcome::other_fault;
}

}  // namespace knc::isa::test
