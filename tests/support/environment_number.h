// Settings of random tests from the environment.
#ifndef KNC_TESTS_SUPPORT_ENVIRONMENT_NUMBER_H
#define KNC_TESTS_SUPPORT_ENVIRONMENT_NUMBER_H

#include <cstdint>
#include <cstdlib>

namespace knc::test {

// The number in environment variable `name`, decimal, octal or hexadecimal; `fallback` if not set.
inline std::uint64_t environment_number(const char* name, std::uint64_t fallback) {
    const char* text = std::getenv(name);
    return text != nullptr ? std::strtoull(text, nullptr, 0) : fallback;
}

}  // namespace knc::test

#endif
