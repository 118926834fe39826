// A run in a checkpoint: what a request must agree with, and the state beside the card's.
//
// Source: docs/checkpoints.md.
#ifndef KNC_PLATFORM_CHECKPOINT_H
#define KNC_PLATFORM_CHECKPOINT_H

#include <string_view>

#include <platform/checkpoint_file.h>
#include <platform/runner.h>

namespace platform {

// Whether the value of this key may differ where a checkpoint is restored: no state depends on it.
bool may_differ(std::string_view key);

// The image, what the loader adds to it, and every key that may not differ.
run_identity identity_of(const run_request&);

// Checks what the request wants of checkpoints, and reads the one to be restored. Throws
// input_error.
void prepare_checkpoints(run_request&);

}  // namespace platform

#endif
