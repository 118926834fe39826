// report.html: a run on one page, for people.
//
// Shows what report.json holds, and counters over time, the ring and interrupts, as tables and
// drawings. One file that fetches nothing; it is HTML and well-formed XML. A script draws the
// charts (platform/page). Leaves out: host time, so that two runs of one input have the same page,
// and the registers of the PMU. Source: docs/page.md.
#ifndef KNC_PLATFORM_PAGE_H
#define KNC_PLATFORM_PAGE_H

#include <iosfwd>
#include <string_view>

#include <platform/report.h>

namespace platform {

// `folded`: the samples' stacks as write_folded() writes them; empty: there are no samples.
void write_page(std::ostream&, const report&, std::string_view folded);

}  // namespace platform

#endif
