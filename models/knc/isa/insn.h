// A decoded instruction, ready to execute.
//
// Models: handler, resolved operands, static properties. A small POD that decoding fills once and
// execution reads; no pointer into the decoder's data.
#ifndef KNC_ISA_INSN_H
#define KNC_ISA_INSN_H

#include <cstdint>

namespace knc::isa {

struct context;
struct insn;

// How an attempt to execute an instruction ended.
enum class status : std::uint8_t {
    ok,     // executed; context.s.r[rip] is the next instruction
    fault,  // raised context.fault; nothing of the instruction has happened (except what the manual
            // allows)
    blocked,  // waits for memory or a device; to be executed again from its start
    repeat    // a REP string instruction did one element and has more to do
};

using handler = status (*)(context&, const insn&);

// Static properties that the pipeline and the PMU read.
enum insn_flag : std::uint32_t {
    insn_branch =
        1u
        << 0,  // any control transfer: conditional or not, call, return, INT n, IRET, SYSCALL ...
    insn_conditional = 1u << 1,  // may fall through
    insn_microcode = 1u << 2,    // runs from microcode: all other threads of the core stall
    insn_at_completion =
        1u << 3,  // acts when it completes, not when it issues: PMU, TSC, MSR access, SPFLT
    insn_string = 1u << 4,        // MOVS, STOS, CMPS, SCAS, LODS (with or without REP)
    insn_segment_load = 1u << 5,  // loads a segment register (pipeline flush)
    insn_serializing = 1u << 6,
    insn_lock = 1u << 7,     // has a LOCK prefix or locks implicitly (XCHG with memory)
    insn_reads = 1u << 8,    // reads memory through its explicit or implicit operand
    insn_writes = 1u << 9,   // writes memory
    insn_halt = 1u << 10,    // HLT: after it retires, the thread waits for an interrupt
    insn_delay = 1u << 11,   // DELAY: after it retires, the thread waits context.delay cycles
    insn_mode = 1u << 12,    // may change what the next instruction decodes as or where it is found
    insn_vector = 1u << 13,  // vector unit
    insn_x87 = 1u << 14,
    insn_refused = 1u << 15,        // the profile has none such: #UD and a line for the log
    insn_undefined = 1u << 16,      // #UD by definition
    insn_not_executed = 1u << 17,   // the model does not execute it
    insn_tf_afterwards = 1u << 18,  // TF after it, not before it, decides whether it is stepped
    insn_stack = 1u << 19,          // its memory access is an implicit one to the stack
    // Its handler may make more than one access (to memory, descriptors, ports), so it may have to
    // wait for one after another has taken place. Reading and then writing one operand is one
    // access.
    insn_several_accesses = 1u << 20,
    insn_sparse = 1u << 21,  // gather or scatter: its addresses come from a vector under a mask
    // With insn_vector, a register goes through the conversion stages, so it must be there earlier:
    // the one that a store writes to memory, or register `rm`.
    insn_converts = 1u << 22,
    insn_vector_partner = 1u << 23,  // the core's: a vector instruction issues with it in V
    // The core's: without time, its handler is all there is to it, unless it faults.
    insn_plain = 1u << 24,
    // The core's: it is plain and no branch, and the instruction behind it is the next one in the
    // list of its page, and plain.
    insn_goes_on = 1u << 25,
    insn_mmx = 1u << 26,          // profile p55c
    insn_mmx_partner = 1u << 27,  // the core's: an MMX instruction issues with it in V
    insn_pentium = 1u << 28,      // the core's: events of a Pentium are counted with it
};

// Whether an instruction issues together with the one that follows it.
enum insn_pairing : std::uint8_t { insn_unknown, insn_alone, insn_paired };

// A set of registers:
//   bit n       general register n
//   bit 16      the arithmetic flags
//   bit 24 + n  ST(n), as counted before the instruction: a push fills ST(7); with insn_vector,
//               mask register n; with insn_mmx, MMn. No instruction names two of these kinds.
//   bit 32 + n  vector register n
using register_set = std::uint64_t;

inline constexpr std::uint32_t general_registers = 0xffff;
inline constexpr std::uint32_t flags_register = 1u << 16;
// The stack pointer, in two roles. In `address`: PUSH, POP, CALL and RET use it implicitly. In
// `writes`, beside the bit of RSP: any other instruction writes it.
inline constexpr std::uint32_t stack_register = 1u << 17;
// The registers that an address may have to wait for.
inline constexpr std::uint32_t address_registers = general_registers | stack_register;
inline constexpr unsigned x87_registers_shift = 24, mask_registers_shift = 24;
inline constexpr register_set x87_registers = register_set{0xff} << x87_registers_shift;
inline constexpr register_set mask_registers = register_set{0xff} << mask_registers_shift;
inline constexpr unsigned vector_registers_shift = 32;
inline constexpr register_set vector_registers = register_set{0xffff'ffff}
                                                 << vector_registers_shift;

struct alignas(64) insn {
    handler execute = nullptr;
    std::int64_t imm = 0;  // immediate, sign-extended as the instruction defines; branch
                           // displacement; absolute offset of MOV moffs; the reason, a literal, if
                           // the profile refuses the instruction

    // For the pipelines. The stack pointer that PUSH, POP, CALL and RET move implicitly is in no
    // set, but see stack_register.
    register_set reads = 0;  // values used in execution; the index vector of a gather
    register_set writes = 0;
    std::uint32_t address = 0;  // used to form an address: some of address_registers

    std::int32_t disp = 0;       // address displacement
    std::uint32_t flags = 0;     // insn_flag
    std::uint16_t mnemonic = 0;  // ZydisMnemonic
    std::uint16_t imm2 = 0;  // second immediate (ENTER), far selector, or what a family keeps here
    std::uint8_t length = 0;
    std::uint8_t size = 0;  // operand size in bytes
    // Register operands as byte offsets into context.s.r (8 * number; + 1 for AH, CH, DH, BH), or
    // as register numbers for registers that are not in it.
    std::uint8_t reg = 0;  // ModRM.reg operand or the destination register
    std::uint8_t rm = 0;   // ModRM.rm operand when it is a register
    // Memory operand: seg : base + (index << scale) + disp, truncated to the address size. Numbers
    // of enum gpr.
    std::uint8_t base = 0, index = 0, scale = 0, seg = 0;
    std::uint8_t address_size = 0;  // bytes: 2, 4, 8
    std::uint8_t rep = 0;           // 0, 0xF2 or 0xF3
    std::uint8_t prefixes = 0;      // legacy prefixes; REX and VEX are not counted
    bool displacement : 1;          // the memory operand has one
    bool immediate : 1;

    // The core keeps these with the instruction; the decoder does not set them.
    std::uint8_t pipe : 2;
    std::uint8_t pairing : 2;  // insn_pairing
    bool read_modify_write : 1;
    bool x87_held : 1;             // no other x87 instruction starts before its result
    std::uint16_t clocks = 1;      // E-stage occupancy
    std::uint8_t rule = 0;         // line of the table of issue rules
    std::uint8_t pair_cycles = 0;  // occupancy together with the next one in the V pipe

    insn()
        : displacement(false),
          immediate(false),
          pipe(0),
          pairing(0),
          read_modify_write(false),
          x87_held(false) {}
};
static_assert(sizeof(insn) == 64, "one line of the host's cache");

}  // namespace knc::isa

#endif
