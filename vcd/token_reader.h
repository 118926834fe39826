// Splits an input stream into tokens separated by white space and counts its lines.
#ifndef KNC_VCD_TOKEN_READER_H
#define KNC_VCD_TOKEN_READER_H

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

namespace vcd {

class token_reader {
  public:
    explicit token_reader(std::istream& in);

    // The next token into `token`; false at the end of the input. Throws malformed where a token is
    // longer than any legal one or holds a control character.
    bool next(std::string& token);
    // Line of the last token, from 1.
    std::uint64_t line() const { return token_line_; }

  private:
    int get();

    std::istream& in_;
    std::vector<char> buffer_;
    std::size_t position_ = 0, filled_ = 0;
    std::uint64_t line_ = 1, token_line_ = 1;
};

}  // namespace vcd

#endif
