// report.html: a run on one page, for people.
//
// Shows what report.json holds, as tables, bars, heat maps and flame graphs. One file without
// scripts, which fetches nothing; it is HTML and well-formed XML. Leaves out: host time, so that
// two runs of one input have the same page, and the registers of the PMU. Source: docs/usage.md.
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
