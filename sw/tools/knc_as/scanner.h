// Splits lines of assembly into statements, as the GNU assembler for x86 does: at ';' and at the
// end of a line, outside strings, character constants and comments (# to the end of the line, / at
// its start, /* */).
#ifndef KNC_SW_TOOLS_KNC_AS_SCANNER_H
#define KNC_SW_TOOLS_KNC_AS_SCANNER_H

#include <string>
#include <vector>

namespace knc_as {

struct statement {
    std::string raw;   // as it stands, without head and tail
    std::string code;  // without comments
    std::string head;  // end of a comment that began on an earlier line
    std::string tail;  // comment at the end of the line
};

class scanner {
  public:
    // Statements of the next line. Their head, raw and tail, joined by ';', are the line.
    std::vector<statement> split(const std::string& line);

  private:
    bool in_comment_ = false;
};

}  // namespace knc_as

#endif
