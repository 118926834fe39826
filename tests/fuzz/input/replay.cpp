// main() of an input fuzzer where libFuzzer is not: the corpus, and random changes to it.
//
//   input_NAME CORPUS...        directories or files
//
// KNC_SEED and KNC_CASES choose the changes: case n of seed s is case 0 of seed s + n. An input
// that ends the process, or takes longer than 10 seconds, is in the file crash-input of the working
// directory.
#include <algorithm>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

#include <support/environment_number.h>

#include "target.h"

namespace {

namespace fs = std::filesystem;

constexpr unsigned longest_case_seconds = 10;
constexpr std::size_t longest_input = 1 << 16;

std::string present;  // the input

// Only what a handler of signals may call.
extern "C" void keep_input(int number) {
    const int fd = open("crash-input", O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (fd >= 0) {
        const ssize_t written = write(fd, present.data(), present.size());
        static_cast<void>(written);
        close(fd);
    }
    constexpr char text[] = "the input is in crash-input\n";
    const ssize_t written = write(2, text, sizeof text - 1);
    static_cast<void>(written);
    std::signal(number, SIG_DFL);
    raise(number);
}

void run(std::string input) {
    present = std::move(input);
    alarm(longest_case_seconds);
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(present.data()), present.size());
    alarm(0);
}

std::string content(const fs::path& file) {
    std::ifstream in{file, std::ios::binary};
    fuzz::require(in.good(), file.string());
    return {std::istreambuf_iterator<char>{in}, {}};
}

std::vector<std::string> read_corpus(int count, char** names) {
    std::vector<fs::path> files;
    for (int n = 0; n < count; ++n) {
        if (!fs::is_directory(names[n])) {
            files.emplace_back(names[n]);
            continue;
        }
        for (const auto& entry : fs::directory_iterator{names[n]}) files.push_back(entry.path());
    }
    // The order of a directory is not the same everywhere.
    std::sort(files.begin(), files.end());
    std::vector<std::string> all;
    for (const fs::path& f : files) all.push_back(content(f));
    return all;
}

class mutator {
  public:
    mutator(const std::vector<std::string>& corpus, std::uint64_t seed)
        : corpus_(corpus), random_(seed) {}

    std::string next() {
        std::string input = any();
        for (auto n = 1 + below(6); n != 0; --n) change(input);
        input.resize(std::min(input.size(), longest_input));
        return input;
    }

  private:
    std::size_t below(std::size_t n) { return n == 0 ? 0 : random_() % n; }
    const std::string& any() { return corpus_[below(corpus_.size())]; }
    // At the begin more often than elsewhere: headers are there.
    std::size_t place(const std::string& s) {
        return below(below(2) == 0 ? std::min<std::size_t>(s.size(), 512) : s.size());
    }

    void change(std::string& s) {
        constexpr std::uint64_t numbers[] = {0,           1,           0x7f,       0x80,
                                             0xff,        0x7fff,      0xffff,     0x7fff'ffff,
                                             0x8000'0000, 0xffff'ffff, ~0ull >> 1, ~0ull};
        const std::size_t at = place(s);
        switch (below(7)) {
            case 0:
                if (!s.empty()) s[at] = static_cast<char>(s[at] ^ 1 << below(8));
                break;
            case 1:
                if (!s.empty()) s[at] = static_cast<char>(random_());
                break;
            case 2:
                s.erase(at, 1 + below(16));
                break;
            case 3:
                s.insert(at, 1 + below(16), static_cast<char>(random_()));
                break;
            case 4:  // a number of some size
                for (std::size_t n = below(4), value = numbers[below(std::size(numbers))], b = 0;
                     b < std::size_t{1} << n && at + b < s.size(); ++b)
                    s[at + b] = static_cast<char>(value >> 8 * b);
                break;
            case 5: {  // a piece of another input
                const std::string& from = any();
                const std::size_t begin = below(from.size());
                s.insert(at, from.substr(begin, 1 + below(64)));
                break;
            }
            default:
                s.resize(at);
        }
    }

    const std::vector<std::string>& corpus_;
    std::mt19937_64 random_;
};

}  // namespace

int main(int argc, char** argv) {
    std::signal(SIGPIPE, SIG_IGN);
    for (const int number : {SIGSEGV, SIGABRT, SIGFPE, SIGBUS, SIGILL, SIGALRM})
        std::signal(number, keep_input);
    const std::vector<std::string> corpus = read_corpus(argc - 1, argv + 1);
    fuzz::require(!corpus.empty(), "a corpus is there");
    for (const std::string& input : corpus) run(input);
    const std::uint64_t seed = knc::test::environment_number("KNC_SEED", 1);
    const std::uint64_t cases = knc::test::environment_number("KNC_CASES", 0);
    for (std::uint64_t n = 0; n < cases; ++n) run(mutator{corpus, seed + n}.next());
    std::printf("%zu inputs, KNC_SEED=%llu KNC_CASES=%llu\n", corpus.size(),
                static_cast<unsigned long long>(seed), static_cast<unsigned long long>(cases));
}
