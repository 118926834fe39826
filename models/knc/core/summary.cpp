#include <knc/core/summary.h>

#include <knc/core/scoreboard.h>

namespace knc::core {

namespace {

using group = isa::static_group;

// Instructions whose issue depends on more than the summary says.
constexpr std::uint32_t special = more_than_handler | isa::insn_x87 | isa::insn_serializing |
                                  isa::insn_lock | isa::insn_vector | isa::insn_vector_partner |
                                  isa::insn_sparse | isa::insn_mmx | isa::insn_mmx_partner;

bool is(const isa::insn& i, std::uint32_t flags) {
    return (i.flags & flags) != 0;
}

}  // namespace

void summarize(isa::decode_cache::page& p, std::uint64_t la, std::uint64_t block_bytes) {
    const std::uint16_t k = p.at[la & 0xfff];
    const isa::insn& u = p.instructions[k];
    const std::uint16_t next = u.pairing == isa::insn_paired ? p.at[(la + u.length) & 0xfff] : 0;
    const isa::insn none{};
    const isa::insn& v = next != 0 ? p.instructions[next] : none;
    if (is(u, special) || is(v, special)) return;
    group g;
    g.v = next;
    g.address = u.address | v.address;
    g.u_written = scoreboard::written_by(u);
    g.written = g.u_written | scoreboard::written_by(v);
    g.u_cycles = u.clocks;
    g.cycles = next != 0 ? u.pair_cycles : u.clocks;
    g.u_length = u.length;
    g.v_length = v.length;
    unsigned properties = group::ready;
    const auto add = [&](bool yes, group::property q) {
        if (yes) properties |= q;
    };
    constexpr std::uint32_t memory = isa::insn_reads | isa::insn_writes;
    add(is(u, memory) && is(v, memory), group::both_access);
    add(is(u, isa::insn_several_accesses), group::u_several);
    add(is(v, isa::insn_several_accesses), group::v_several);
    add(is(u, isa::insn_branch), group::u_branch);
    add(is(v, isa::insn_branch), group::v_branch);
    const std::uint64_t end = la + u.length;
    add(next != 0 && ((end - 1) ^ (end + v.length - 1)) < block_bytes, group::v_in_block);
    g.properties = static_cast<std::uint16_t>(properties);
    p.groups[k] = g;
}

}  // namespace knc::core
