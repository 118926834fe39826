#include <knc/core/issue_probe.h>

namespace knc::core {

namespace {

const base::value_names kinds{
    "kind",
    {"-", "integer", "load", "store", "load+store", "branch", "x87", "vector", "vector load",
     "vector store", "microcode", "at completion", "event entry", "blocked", "fault", "lost"}};
const base::value_names stalls{"stall",
                               {"-", "execution", "microcode", "waiting", "decoder", "asleep"}};

}  // namespace

void issue_probe::in_u(const thread& t, std::uint64_t ip, kind k) {
    issued_.thread = t.index();
    issued_.pc = ip;
    issued_.u = k;
}

void issue_probe::in_v(std::uint64_t ip, const isa::insn* i) {
    issued_.v_pc = ip;
    issued_.v = kind_of(i);
}

issue_probe::kind issue_probe::kind_of(const isa::insn* p) {
    if (p == nullptr) return kind::store;
    const isa::insn& i = *p;
    const bool reads = (i.flags & isa::insn_reads) != 0, writes = (i.flags & isa::insn_writes) != 0;
    if ((i.flags & isa::insn_at_completion) != 0) return kind::at_completion;
    if ((i.flags & isa::insn_microcode) != 0) return kind::microcode;
    if ((i.flags & isa::insn_vector) != 0)
        return writes ? kind::vector_store : reads ? kind::vector_load : kind::vector;
    if ((i.flags & isa::insn_x87) != 0) return kind::x87;
    if ((i.flags & isa::insn_branch) != 0) return kind::branch;
    if (reads && writes) return kind::load_store;
    return writes ? kind::store : reads ? kind::load : kind::integer;
}

void issue_probe::list_signals(const std::string& prefix, base::signal_list& list) const {
    const auto& v = sampled_;
    list.push_back({prefix + "u.thread", 2, &v.thread, "thread whose instruction took the U pipe",
                    base::signal_form::number});
    list.push_back({prefix + "u.pc", 64, &v.u_pc, "its address; 0: nothing issued"});
    list.push_back({prefix + "u.kind", 4, &v.u_kind, "what took the U pipe",
                    base::signal_form::pattern, &kinds});
    list.push_back({prefix + "v.pc", 64, &v.v_pc, "address of the instruction in V; 0: none"});
    list.push_back(
        {prefix + "v.kind", 4, &v.v_kind, "what issued in V", base::signal_form::pattern, &kinds});
    list.push_back(
        {prefix + "stall", 3, &v.stall, "why nothing issued", base::signal_form::pattern, &stalls});
}

void issue_probe::sample() {
    sampled_ = {issued_.thread,
                issued_.pc,
                static_cast<std::uint64_t>(issued_.u),
                issued_.v_pc,
                static_cast<std::uint64_t>(issued_.v),
                static_cast<std::uint64_t>(issued_.u == kind::none ? stall_ : stall::none)};
}

}  // namespace knc::core
