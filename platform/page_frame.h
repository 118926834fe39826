// What the pages that the program writes have in common: a head with a policy, a style, the data
// and the script that draws them, and the licence of its library.
//
// A page is one file, HTML and well-formed XML, which fetches nothing. Source: docs/page.md.
#ifndef KNC_PLATFORM_PAGE_FRAME_H
#define KNC_PLATFORM_PAGE_FRAME_H

#include <iosfwd>
#include <string_view>

#include <nlohmann/json.hpp>

namespace platform {

extern const std::string_view page_style;  // CSS
extern const std::string_view chart_licence;

// Up to the begin of the body. `script_hash`: of the script of end_page(), as a content security
// policy has it.
void begin_page(std::ostream&, std::string_view title, std::string_view script_hash);
// A section that says where the page comes from, with `more` about this one.
void write_about(std::ostream&, std::string_view more);
// The end of main, `data` for the script as JSON without markup, the script, and the end.
void end_page(std::ostream&, const nlohmann::ordered_json& data, std::string_view script);

// Text of several lines as it is.
void write_text_lines(std::ostream&, std::string_view text);

}  // namespace platform

#endif
