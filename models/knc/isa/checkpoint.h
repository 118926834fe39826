// The state of a thread in a checkpoint.
#ifndef KNC_ISA_CHECKPOINT_H
#define KNC_ISA_CHECKPOINT_H

#include <knc/base/archive.h>
#include <knc/isa/context.h>

namespace knc::isa {

void serialize(base::archive&, fault&);
// Between two instructions. What is loaded is complete after flush_translations() and
// update_mode().
void serialize(base::archive&, context&);

}  // namespace knc::isa

#endif
