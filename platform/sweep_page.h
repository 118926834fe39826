// sweep.html: the table of a sweep, with a chart of its columns over its keys.
//
// One file that fetches nothing; it links to the page of each run. Source: docs/sweep.md.
#ifndef KNC_PLATFORM_SWEEP_PAGE_H
#define KNC_PLATFORM_SWEEP_PAGE_H

#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include <platform/sweep_file.h>
#include <platform/sweep_table.h>

namespace platform {

// Made as page_script is.
extern const std::string_view sweep_script, sweep_script_hash;

// `links`: of each run, empty where it has no page.
void write_sweep_page(std::ostream&, const sweep_file&, const sweep_table&,
                      const std::vector<std::string>& links);

}  // namespace platform

#endif
