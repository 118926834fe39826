// What the tests of debug exceptions write their programs with.
#ifndef KNC_TESTS_UNIT_CARD_DEBUGGING_H
#define KNC_TESTS_UNIT_CARD_DEBUGGING_H

#include "event_log.h"

namespace knc::card::test {

inline constexpr std::uint32_t tf = 1u << 8, iff = 1u << 9, rf = 1u << 16;
inline constexpr std::uint32_t dr6_clear = 0xffff'0ff0, bd = 1u << 13, bs = 1u << 14;

#define ARM(dr, address, dr7) \
    "movl $" address ", %eax\nmovl %eax, %dr" dr "\nmovl $" dr7 ", %eax\nmovl %eax, %dr7\n"
#define STEP "pushfl\norl $0x100, (%esp)\npopfl\n"
#define UNSTEP "pushfl\nandl $~0x100, (%esp)\npopfl\n"
#define MARK(program, label, n) "movl $" KNC_LABEL(program, label) ", 0x5000 + 4 * " #n "\n"

}  // namespace knc::card::test

#endif
