// isa_table [FILE]: writes the page docs/isa.md to FILE, or to standard output.
#include <cstdio>
#include <fstream>

#include "document.h"

int main(int argc, char** argv) {
    const std::string text = knc::isa::test::document(knc::isa::test::survey());
    if (argc < 2) {
        std::fputs(text.c_str(), stdout);
        return 0;
    }
    std::ofstream file(argv[1], std::ios::binary);
    file << text;
    file.close();
    if (file.fail()) {
        std::fprintf(stderr, "isa_table: cannot write %s\n", argv[1]);
        return 1;
    }
    return 0;
}
