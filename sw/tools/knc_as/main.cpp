// Assembles the instructions that only Knights Corner has, before the GNU assembler, which does not
// know them:
//   knc-as IN.s OUT.s
//
// IN is assembly from the C preprocessor or the compiler. In OUT each vector, mask and other own
// instruction of the card is bytes; all else is as it was. Exit status 1 with a line "file:line:
// knc-as: what" for each statement that cannot be assembled; then there is no OUT.
#include <cstdio>
#include <fstream>
#include <iostream>
#include <string>

#include "rewriter.h"

int main(int argc, char** argv) {
    if (argc != 3) {
        std::cerr << "usage: knc-as IN.s OUT.s\n";
        return 1;
    }
    std::ifstream in(argv[1]);
    if (!in) {
        std::cerr << "knc-as: cannot read " << argv[1] << '\n';
        return 1;
    }
    knc_as::rewriter rewriter(argv[1]);
    std::string text;
    for (std::string line; std::getline(in, line);) text += rewriter.rewrite(line) + '\n';
    for (const std::string& e : rewriter.errors()) std::cerr << e << '\n';
    if (in.bad() || !rewriter.errors().empty()) {
        if (in.bad()) std::cerr << "knc-as: cannot read " << argv[1] << '\n';
        std::remove(argv[2]);
        return 1;
    }
    std::ofstream out(argv[2]);
    out << text << std::flush;
    if (!out) {
        std::cerr << "knc-as: cannot write " << argv[2] << '\n';
        return 1;
    }
    return 0;
}
