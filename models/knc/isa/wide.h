// 128-bit integers of the compiler, for double-width products, dividends and shifts.
#ifndef KNC_ISA_WIDE_H
#define KNC_ISA_WIDE_H

namespace knc::isa {

__extension__ typedef unsigned __int128 uint128;
__extension__ typedef __int128 int128;

}  // namespace knc::isa

#endif
