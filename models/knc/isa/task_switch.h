// Hardware task switches, outside long mode.
//
// Models: switches by JMP, CALL, IRET and task gates between 16- and 32-bit TSSs: saved state, busy
// bits, back link, NT, LDT, CR3, CR0.TS, debug trap bit. The switch checks everything the new task
// names before it takes place, so the old task gets the fault for a bad segment of the new one.
// Source: Intel SDM vol. 3, chapter 7.
#ifndef KNC_ISA_TASK_SWITCH_H
#define KNC_ISA_TASK_SWITCH_H

#include <cstdint>

#include <knc/isa/context.h>
#include <knc/isa/segmentation.h>

namespace knc::isa {

// Unless they end with status::ok, they change nothing that the program can see.

// JMP or CALL to the TSS or task gate `d` that `selector` names.
status enter_task(context&, std::uint16_t selector, const descriptor& d, bool call);
// An event whose gate is a task gate; its error code is pushed on the new stack.
status enter_task_of_event(context&, const descriptor& gate, const fault&, std::uint64_t flags,
                           std::uint64_t next_ip);
// IRET with NT set: back to the task of the back link.
status return_from_task(context&);

}  // namespace knc::isa

#endif
