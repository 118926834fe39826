#include "scanner.h"

#include <algorithm>

namespace knc_as {
namespace {

// The end of the string or character constant that begins at `at`.
std::size_t end_of_quoted(const std::string& line, std::size_t at) {
    const bool character = line[at] == '\'';
    for (++at; at < line.size(); ++at) {
        if (line[at] == '\\')
            ++at;
        else if (!character && line[at] != '"')
            continue;
        else
            return at + 1;
        if (character) return std::min(at + 1, line.size());
    }
    return line.size();
}

}  // namespace

std::vector<statement> scanner::split(const std::string& line) {
    std::vector<statement> all(1);
    std::size_t at = 0;
    if (in_comment_) {
        const auto end = line.find("*/");
        at = end == std::string::npos ? line.size() : end + 2;
        in_comment_ = end == std::string::npos;
        all[0].head = line.substr(0, at);
    }
    const bool comment_line = !line.empty() && line[0] == '/' && line.compare(0, 2, "/*") != 0;
    while (at < line.size()) {
        statement& s = all.back();
        const char c = line[at];
        std::size_t end = at + 1;
        if (c == '#' || comment_line) {
            s.tail = line.substr(at);
            break;
        }
        if (line.compare(at, 2, "/*") == 0) {
            const auto close = line.find("*/", at + 2);
            if (close == std::string::npos) {
                in_comment_ = true;
                s.tail = line.substr(at);
                break;
            }
            s.raw += line.substr(at, close + 2 - at);
            s.code += ' ';
            at = close + 2;
            continue;
        }
        if (c == ';') {
            all.emplace_back();
            ++at;
            continue;
        }
        if (c == '"' || c == '\'') end = end_of_quoted(line, at);
        s.raw.append(line, at, end - at);
        s.code.append(line, at, end - at);
        at = end;
    }
    return all;
}

}  // namespace knc_as
