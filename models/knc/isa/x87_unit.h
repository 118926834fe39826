// The common part of the instructions of the x87 unit: when they may start, how they end.
//
// Models: the register stack with its faults, exceptions masked and unmasked, #NM and the deferred
// #MF, the record of the last instruction.
// Source: Intel SDM vol. 1, chapter 8; vol. 3, chapter 2.5 (CR0.EM, MP, TS, NE).
#ifndef KNC_ISA_X87_UNIT_H
#define KNC_ISA_X87_UNIT_H

#include <knc/isa/context.h>
#include <knc/isa/op_table.h>
#include <knc/isa/x87_operand.h>

namespace knc::isa {

// Whether the unit is available (CR0.EM, CR0.TS); else raises #NM.
bool x87_available(context&);
// The same, and whether no exception waits; else raises #MF. With CR0.NE = 0 the error goes to pins
// that the card does not have: nothing happens and the program continues.
bool x87_ready(context&);
// Whether no unmasked exception of an earlier instruction waits; else raises #MF.
bool x87_no_exception_waits(context&);

// Records instruction and operand address.
void x87_record(context&, const insn&);

// Each calls a handler after the checks of its kind: of an instruction on data, which waits and is
// recorded; of one that waits; of one that does not.
template <handler H>
status x87_data(context& c, const insn& i) {
    if (!x87_ready(c)) return c.failure;
    const status s = H(c, i);
    if (s == status::ok) x87_record(c, i);
    return s;
}
template <handler H>
status x87_waiting(context& c, const insn& i) {
    return x87_ready(c) ? H(c, i) : c.failure;
}
template <handler H>
status x87_not_waiting(context& c, const insn& i) {
    return x87_available(c) ? H(c, i) : c.failure;
}

// Fills the operands of the decoded form: reg and rm are the first and second stack register named
// (0 if none), imm2 is the opcode for the record.
void x87_operands(const decoded&, insn&);

template <handler H>
handler x87_select(const decoded& d, insn& out) {
    x87_operands(d, out);
    return x87_data<H>;
}

// Clears C1 and the bits of `clear`, then sets exceptions and condition codes. True: an unmasked
// exception stops the instruction, which has no result.
bool x87_signal(x87_state&, unsigned flags, unsigned clear = 0);

// These end an instruction and observe masked and unmasked exceptions.
// ST(n) = result, then `pops` pops.
void x87_write(x87_state&, unsigned n, const x87_result&, unsigned pops = 0, unsigned clear = 0);
// Pushes; raises a stack overflow if there is no room, unless the result reports a stack fault
// already. Loads a denormal number even if it reports that.
void x87_push(x87_state&, const x87_result&);
// As x87_write of a result that needed an empty register.
void x87_underflow(x87_state&, unsigned n, unsigned pops = 0);

inline constexpr unsigned x87_stack_underflow = x87_ie | x87_sf,
                          x87_stack_overflow = x87_ie | x87_sf | x87_c1;

// Reads or writes `size` bytes at the memory operand, with the alignment check of an operand whose
// size is not its alignment; false: see context::failure.
bool x87_read(context&, const insn&, unsigned size, unsigned alignment, void* data);
bool x87_write_memory(context&, const insn&, unsigned size, unsigned alignment, const void* data);

}  // namespace knc::isa

#endif
