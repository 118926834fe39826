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

isa::static_group summarize(const isa::insn& u, const isa::insn* second, std::uint64_t la,
                            std::uint64_t block_bytes) {
    const isa::insn none{};
    const isa::insn& v = second != nullptr ? *second : none;
    group g;
    if (is(u, special) || is(v, special)) return g;
    g.address = u.address | v.address;
    g.u_written = scoreboard::written_by(u);
    g.written = g.u_written | scoreboard::written_by(v);
    g.u_cycles = u.clocks;
    g.cycles = second != nullptr ? u.pair_cycles : u.clocks;
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
    add(second != nullptr && ((end - 1) ^ (end + v.length - 1)) < block_bytes, group::v_in_block);
    g.properties = static_cast<std::uint16_t>(properties);
    return g;
}

}  // namespace knc::core
