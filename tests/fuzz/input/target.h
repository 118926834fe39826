// What the targets of the input fuzzers share: what must hold whatever the input is.
//
// A target is one LLVMFuzzerTestOneInput(), which libFuzzer calls, and replay.cpp where there is no
// libFuzzer. A broken rule ends the process as a crash does, so that both keep the input.
#ifndef KNC_TESTS_FUZZ_INPUT_TARGET_H
#define KNC_TESTS_FUZZ_INPUT_TARGET_H

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include <platform/input_error.h>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace fuzz {

inline void require(bool holds, std::string_view rule) {
    if (holds) return;
    std::fprintf(stderr, "broken rule: %.*s\n", static_cast<int>(rule.size()), rule.data());
    std::abort();
}

// A message is one line that can be read, and names the file that is wrong.
inline void require_clear(const std::string& message, const std::vector<std::string>& files) {
    constexpr std::size_t longest = 1100;
    for (const char c : message)
        require(static_cast<unsigned char>(c) >= ' ' && c != 0x7f, "one line: " + message);
    require(message.size() < longest, "a line that can be read: " + message);
    require(files.empty() || std::any_of(files.begin(), files.end(),
                                         [&](const std::string& name) {
                                             return message.compare(0, name.size(), name) == 0;
                                         }),
            "the file is named: " + message);
}

// Returns whether `run` has accepted its input; else the message begins with one of `files`.
// Another exception than input_error ends the process.
template <class Run>
bool accepted(const std::vector<std::string>& files, Run run) {
    try {
        run();
        return true;
    } catch (const platform::input_error& e) {
        require_clear(e.what(), files);
        return false;
    }
}

inline std::string text_of(const std::uint8_t* data, std::size_t size) {
    return {reinterpret_cast<const char*>(data), size};
}

// Takes numbers from the end of the input; 0 where it has ended. The front keeps the file's format.
class choices {
  public:
    choices(const std::uint8_t* data, std::size_t size) : data_(data), left_(size) {}

    template <class T>
    T take() {
        T value{};
        for (std::size_t n = 0; n < sizeof(T); ++n)
            value = static_cast<T>(value << 8 | (left_ != 0 ? data_[--left_] : 0));
        return value;
    }
    // What has not been taken.
    std::string rest() const { return text_of(data_, left_); }

  private:
    const std::uint8_t* data_;
    std::size_t left_;
};

}  // namespace fuzz

#endif
