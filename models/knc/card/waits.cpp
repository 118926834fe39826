#include <knc/card/waits.h>

#include <algorithm>
#include <ostream>
#include <string>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <knc/cache/l2.h>

namespace knc::card {

namespace {

constexpr std::size_t most_named = 4;  // threads in the conclusion

std::string thread_text(std::size_t apic) {
    return fmt::format("{}.{}", apic / tile::threads, apic % tile::threads);
}

// Where a thread that runs is, or why it does not; empty: it has not been started.
std::string state_of(core::core& c, std::size_t t, core::code_names_if* names) {
    const isa::state& s = c.state(t);
    const bool disabled = (s.eflags & isa::flag_if) == 0;
    switch (c.running(t)) {
        case core::run_state::running: {
            isa::context& x = c.context(t);
            const std::uint64_t ip = s.r[isa::rip];
            std::uint64_t paddr = 0;
            std::string name;
            if (names != nullptr && x.probe(x.linear(isa::cs, ip), paddr))
                name = names->name({x, core::privilege_of(x), ip, paddr});
            return "runs at " + (name.empty() ? fmt::format("{:#x}", ip) : name);
        }
        case core::run_state::halted:
            if (!disabled) return "is halted until an interrupt comes";
            return c.context(t).nmi_blocked
                       ? "is halted with interrupts disabled and NMI blocked, only INIT can wake it"
                       : "is halted with interrupts disabled, only NMI or INIT can wake it";
        case core::run_state::shutdown:
            return "is in shutdown, only INIT can wake it";
        default:
            return {};
    }
}

const char* name_of(apic::delivery_mode m) {
    constexpr const char* names[] = {"fixed", "lowest priority", "SMI",   "reserved", "NMI",
                                     "INIT",  "start-up",        "ExtINT"};
    return names[static_cast<std::size_t>(m)];
}

}  // namespace

void write_conclusion(std::ostream& out, const tile_list& tiles, core::code_names_if* names) {
    std::string text;
    std::size_t named = 0, more = 0, unstarted = 0;
    for (std::size_t i = 0; i < tiles.size(); ++i) {
        for (std::size_t t = 0; t < tiles[i]->thread_count(); ++t) {
            const std::string state = state_of(tiles[i]->cpu(), t, names);
            if (state.empty())
                ++unstarted;
            else if (named == most_named)
                ++more;
            else
                text += fmt::format("{}thread {}.{} {}", named++ == 0 ? "" : "; ", i, t, state);
        }
    }
    if (more != 0) text += fmt::format("; {} more threads have been started", more);
    if (unstarted != 0)
        text += fmt::format("{}{} threads wait for SIPI", text.empty() ? "" : "; ", unstarted);
    fmt::print(out, "{}\n", text);
}

void write_misses(std::ostream& out, const tile_list& tiles, const coherence::address_hash& hash) {
    for (std::size_t i = 0; i < tiles.size(); ++i) {
        // The L2 of a user may keep its requests to itself.
        const auto* const l2 = dynamic_cast<const cache::l2*>(tiles[i]->l2.get());
        if (l2 == nullptr) continue;
        std::vector<cache::mshr> all = l2->logic().requests().all();
        std::sort(all.begin(), all.end(),
                  [](const cache::mshr& a, const cache::mshr& b) { return a.line < b.line; });
        for (const cache::mshr& m : all) {
            std::string waiting;
            for (std::size_t t = 0; t < tile::threads; ++t)
                if ((m.waiting >> t & 1) != 0)
                    waiting += fmt::format("{}{}.{}", waiting.empty() ? "" : ", ", i, t);
            fmt::print(out,
                       "tile {}: miss of line {:#x} since clock {}, directory slice of tile {}, "
                       "controller {}; {}\n",
                       i, m.line * coherence::line_bytes, m.since, hash.home(m.line),
                       hash.controller(m.line) - coherence::first_controller,
                       waiting.empty() ? "no thread waits" : "waiting: " + waiting);
        }
    }
}

void write_messages(std::ostream& out, const interrupt_fabric& fabric, base::cycle_t now) {
    for (const interrupt_fabric::under_way& m : fabric.messages(now))
        fmt::print(out, "interrupt message under way: {} {:#04x} from {} {} clock {}\n",
                   name_of(m.content.mode), m.content.vector,
                   m.source < 0 ? "the I/O APIC or the host"
                                : thread_text(static_cast<std::size_t>(m.source)),
                   m.target ? fmt::format("to {}, there in", thread_text(*m.target))
                            : std::string{"waits for arbitration in"},
                   m.at);
}

}  // namespace knc::card
