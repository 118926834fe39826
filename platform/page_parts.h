// The sections of report.html.
#ifndef KNC_PLATFORM_PAGE_PARTS_H
#define KNC_PLATFORM_PAGE_PARTS_H

#include <iosfwd>
#include <string_view>

#include <platform/report.h>

namespace platform {

extern const std::string_view page_style;  // CSS

// The metrics of the card in each phase.
void write_page_metrics(std::ostream&, const report&);
// Cores and threads over the whole run: bars; heat maps where there are many threads.
void write_page_threads(std::ostream&, const report&);
void write_page_memory(std::ostream&, const report&);
// Functions, lines, flame graphs.
void write_page_profiles(std::ostream&, const report&, std::string_view folded);
void write_page_skid(std::ostream&, const report&);

}  // namespace platform

#endif
