// What the parts of the system say, and what they check.
#ifndef SOC_TRANSCRIPT_H
#define SOC_TRANSCRIPT_H

#include <cstdint>
#include <cstdio>
#include <string>

#include <systemc>

// One line: the simulated time in ns, the part, what it did.
inline void say(const char* who, const std::string& what) {
    const std::uint64_t ps = sc_core::sc_time_stamp().value();  // SystemC's resolution is 1 ps
    std::printf("%8llu.%llu ns  %-11s %s\n", static_cast<unsigned long long>(ps / 1000),
                static_cast<unsigned long long>(ps % 1000 / 100), who, what.c_str());
}

// The number of checks that failed; the program's exit code is 0 only without any.
inline int failures = 0;

inline void expect(bool holds, const std::string& what) {
    if (holds) return;
    say("FAIL", what);
    ++failures;
}

// Of a value, with what it is and what it should be.
inline void expect_equal(std::uint64_t is, std::uint64_t wanted, const std::string& what) {
    expect(is == wanted,
           what + ": " + std::to_string(is) + " instead of " + std::to_string(wanted));
}

#endif
