// The whole pass over a source: Knights Corner's own instructions become bytes, all else stays.
//
// Every line stays one line, so that line numbers and the line markers of the C preprocessor hold
// for the assembler too.
#ifndef KNC_SW_TOOLS_KNC_AS_REWRITER_H
#define KNC_SW_TOOLS_KNC_AS_REWRITER_H

#include <optional>
#include <string>
#include <vector>

#include "encoder.h"
#include "registers.h"
#include "scanner.h"

namespace knc_as {

class rewriter {
  public:
    // `file`: name of the input, for messages about lines that no marker names.
    explicit rewriter(std::string file) : input_(std::move(file)) {}

    // What stands in place of `line`.
    std::string rewrite(const std::string& line);

    // "file:line: knc-as: what", one per statement that cannot be assembled.
    const std::vector<std::string>& errors() const { return errors_; }

  private:
    bool take_line_marker(const std::string& line);
    std::optional<std::string> replacement(const statement& s);
    void directive(const std::string& name, const std::string& arguments);
    std::string place() const;

    std::string input_;
    unsigned input_line_ = 0;
    std::string marked_;  // file of the last line marker; empty: none
    unsigned marked_line_ = 0;
    scanner scanner_;
    syntax syntax_;
    unsigned bits_ = 64;
    std::vector<std::string> errors_;
};

// The directives that make `e`.
std::string directives(const encoded& e);

}  // namespace knc_as

#endif
