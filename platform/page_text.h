// Text, numbers and tables as XHTML, for report.html.
//
// Names come from files that nobody has checked: everything passes escaped().
#ifndef KNC_PLATFORM_PAGE_TEXT_H
#define KNC_PLATFORM_PAGE_TEXT_H

#include <initializer_list>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

namespace platform {

// `text` as the content of an element or of an attribute in quotes. Characters that XML 1.0 forbids
// and bytes that are no UTF-8 become `_`.
std::string escaped(std::string_view text);

// Shares of a whole in percent; 0 of 0 is 0.
double percent_of(double part, double whole);

// The value that has the strongest colour in a map; stronger ones have it too. It is the 95th
// percentile, so that one thread does not hide the others; 0: there is no value above 0.
double strongest(std::vector<double> values);
// From 0 to 1.
double strength_of(double value, double strongest);

// A table within begin_table() and end_table(), row by row. `caption` may be empty. A head that
// begins with # is that of a column of numbers.
void begin_table(std::ostream&, std::string_view caption,
                 std::initializer_list<std::string_view> heads);
void end_table(std::ostream&);
void begin_row(std::ostream&, std::string_view head);
void end_row(std::ostream&);
void text_cell(std::ostream&, std::string_view text);
// `marked`: the value deserves a closer look.
void number_cell(std::ostream&, std::string_view text, bool marked = false);
// With a bar behind the number, of so many percent of the cell.
void bar_cell(std::ostream&, std::string_view text, double percent, bool marked = false);

}  // namespace platform

#endif
