// The sections of report.html.
#ifndef KNC_PLATFORM_PAGE_PARTS_H
#define KNC_PLATFORM_PAGE_PARTS_H

#include <iosfwd>
#include <string_view>

#include <nlohmann/json.hpp>

#include <platform/report.h>

namespace platform {

// Made from page/ and from the library of charts when the program is built, as page_style is.
extern const std::string_view page_script;       // as the content of its element
extern const std::string_view page_script_hash;  // as a content security policy has it

// Heat maps and choices take the place of long lists.
bool is_wide(const report&);

// What the script draws.
nlohmann::ordered_json page_data(const report&);
void write_page_stack(std::ostream&, const report&);
void write_page_ring(std::ostream&, const report&);

void write_page_history(std::ostream&, const report&);
// The metrics of the card in each phase.
void write_page_metrics(std::ostream&, const report&);
// Cores and threads over the whole run: bars; a heat map where there are many threads.
void write_page_threads(std::ostream&, const report&);
void write_page_memory(std::ostream&, const report&);
// Functions, lines, flame graphs.
void write_page_profiles(std::ostream&, const report&, std::string_view folded);
void write_page_skid(std::ostream&, const report&);

}  // namespace platform

#endif
