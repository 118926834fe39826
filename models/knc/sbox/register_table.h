// The registers of DBOX and SBOX.
//
// Models: the registers that software of card and host is known to use, with the effects of
// accesses (register_table.cpp). Offsets are those in the host's BAR4, 128 KB: DBOX at 0, SBOX at
// 0x10000; in the card's address space they start at 0x8'007C'0000. Leaves out: all other offsets,
// including DMA channels, sensors and power management; they have no register. Source: mic_x100.h
// and mic_x100.c of Linux 5.9; micsboxdefine.h and micsboxstruct.h of the card's kernel.
#ifndef KNC_SBOX_REGISTER_TABLE_H
#define KNC_SBOX_REGISTER_TABLE_H

#include <cstdint>
#include <string>

#include <knc/base/register_table.h>
#include <knc/sbox/identity.h>

namespace knc::sbox {

inline constexpr std::uint64_t block_address = 0x8'007c'0000;  // in the card's address space
// The same block for processors with 32-bit physical addresses, behind the test devices: a
// decision.
inline constexpr std::uint64_t low_block_address = 0xfef2'0000;
inline constexpr std::uint32_t block_size = 0x2'0000;
inline constexpr std::uint32_t sbox_base = 0x1'0000;  // in the block; the DBOX is at 0

class registers;
using register_row = base::register_row<std::uint32_t, registers, identity>;
const base::register_table<register_row>& register_table();

inline constexpr std::uint32_t all_bits = 0xffff'ffff;

// The table as Markdown, for docs/sbox.md, with the reset values of a 3120A.
std::string register_page();

}  // namespace knc::sbox

#endif
