// The samples as other programs read them.
#ifndef KNC_PLATFORM_SAMPLE_TEXT_H
#define KNC_PLATFORM_SAMPLE_TEXT_H

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

#include <knc/base/clock.h>

#include <platform/call_stack.h>
#include <platform/samples.h>

namespace platform {

// As `perf script --ns` prints samples with call stacks, in the order of their times: programs that
// read its output read this. The command is the image, the process 1, the thread the APIC ID plus
// 1, the CPU the APIC ID. A blank in the image's name becomes `_`.
void write_samples(std::ostream&, const std::vector<sample_log>&, call_stack&,
                   const std::string& image, const knc::base::clock&);
// Folded stacks: "IMAGE;OUTER;...;INNER COUNT", all threads together; the count is the weight.
// Where more than one event was sampled, it stands behind the image.
void write_folded(std::ostream&, const std::vector<sample_log>&, call_stack&,
                  const std::string& image);

}  // namespace platform

#endif
