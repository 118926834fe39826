// Prints the protocol tables as Markdown, for docs/coherence.md.
#include <string>
#include <vector>

#include <fmt/format.h>

#include <knc/coherence/directory_protocol.h>
#include <knc/coherence/l2_protocol.h>
#include <knc/coherence/l3_protocol.h>
#include <knc/coherence/message.h>

namespace knc::coherence {
namespace {

struct entry_text {
    const char* name;
    const char* text;
};

constexpr entry_text l2_states[] = {
#define KNC_L2_STATE(name, title, access, text) {title, text},
#include <knc/coherence/l2_protocol.def>
#undef KNC_L2_STATE
};
constexpr entry_text l2_core_events[] = {
#define KNC_L2_EVENT(name, text) {#name, text},
#include <knc/coherence/l2_protocol.def>
#undef KNC_L2_EVENT
};
constexpr entry_text l2_action_texts[] = {
#define KNC_L2_ACTION(name, text) {#name, text},
#include <knc/coherence/l2_protocol.def>
#undef KNC_L2_ACTION
};
constexpr entry_text directory_states[] = {
#define KNC_DIRECTORY_STATE(name, title, text) {title, text},
#include <knc/coherence/directory_protocol.def>
#undef KNC_DIRECTORY_STATE
};
constexpr entry_text directory_events[] = {
#define KNC_DIRECTORY_EVENT(name, text) {#name, text},
#include <knc/coherence/directory_protocol.def>
#undef KNC_DIRECTORY_EVENT
};
constexpr entry_text directory_action_texts[] = {
#define KNC_DIRECTORY_ACTION(name, text) {#name, text},
#include <knc/coherence/directory_protocol.def>
#undef KNC_DIRECTORY_ACTION
};

constexpr entry_text l3_states[] = {
#define KNC_L3_STATE(name, title, text) {title, text},
#include <knc/coherence/l3_protocol.def>
#undef KNC_L3_STATE
};
constexpr entry_text l3_events[] = {
#define KNC_L3_EVENT(name, text) {#name, text},
#include <knc/coherence/l3_protocol.def>
#undef KNC_L3_EVENT
};
constexpr entry_text l3_action_texts[] = {
#define KNC_L3_ACTION(name, text) {#name, text},
#include <knc/coherence/l3_protocol.def>
#undef KNC_L3_ACTION
};

template <std::size_t N>
std::string glossary(const char* title, const entry_text (&entries)[N]) {
    std::string text = fmt::format("| {} | meaning |\n|---|---|\n", title);
    for (const entry_text& e : entries) text += fmt::format("| {} | {} |\n", e.name, e.text);
    return text + "\n";
}

template <class Table, class State, class Event>
std::string cell(const Table& table, State s, Event e) {
    const auto& t = table.at(s, e);
    if (!t.possible) return "";
    std::string text;
    for (const auto a : t) text += std::string(name_of(a)) + " ";
    return text + (t.next == s ? "-" : std::string("→ ") + name_of(t.next));
}

// One row per state and one column per event, for the given ranges. Rows without an entry are
// omitted.
template <class Table, class State, class Event>
std::string matrix(const Table& table, State from, State to, Event first, Event last) {
    std::string text = "| state |", rule = "|---|";
    const auto events = [&](auto visit) {
        for (auto e = static_cast<unsigned>(first); e <= static_cast<unsigned>(last); ++e)
            visit(static_cast<Event>(e));
    };
    events([&](Event e) {
        text += fmt::format(" {} |", name_of(e));
        rule += "---|";
    });
    text += "\n" + rule + "\n";
    for (auto n = static_cast<unsigned>(from); n <= static_cast<unsigned>(to); ++n) {
        const auto s = static_cast<State>(n);
        std::string row = fmt::format("| {} |", name_of(s));
        bool any = false;
        events([&](Event e) {
            const std::string c = cell(table, s, e);
            any |= !c.empty();
            row += fmt::format(" {} |", c);
        });
        if (any) text += row + "\n";
    }
    return text + "\n";
}

}  // namespace

std::string messages_page() {
    constexpr const char* rings[] = {"data", "address", "acknowledge"};
    constexpr const char* units[] = {"L2", "uncached", "directory", "memory", "device", "core"};
    std::string text = "| message | ring | to | data | meaning |\n|---|---|---|---|---|\n";
    for (unsigned n = 0; n < static_cast<unsigned>(message_kind::count); ++n) {
        const message_properties& p = properties(static_cast<message_kind>(n));
        text += fmt::format(
            "| {} | {} | {} | {} | {} |\n", p.name, rings[static_cast<unsigned>(p.ring)],
            units[static_cast<unsigned>(p.receiver)], p.has_data ? "yes" : "", p.text);
    }
    return text;
}

std::string l2_protocol_page() {
    const l2_table& t = standard_l2_table();
    constexpr l2_state first = l2_state::i, last = l2_state::ii_a;
    return glossary("state", l2_states) + glossary("event", l2_core_events) +
           glossary("action", l2_action_texts) +
           matrix(t, first, last, l2_event::read, l2_event::evict) +
           matrix(t, first, last, l2_event::fwd_get_s, l2_event::recall) +
           matrix(t, first, last, l2_event::grant, l2_event::data_m);
}

std::string directory_protocol_page() {
    const directory_table& t = standard_directory_table();
    constexpr directory_state last = directory_state::once_w;
    return glossary("state", directory_states) + glossary("event", directory_events) +
           glossary("action", directory_action_texts) +
           matrix(t, directory_state::gi, directory_state::gols, directory_event::get_s,
                  directory_event::i_to_m) +
           matrix(t, directory_state::gi, directory_state::gols, directory_event::put_clean,
                  directory_event::write_once) +
           matrix(t, directory_state::ge_md, last, directory_event::read_ack,
                  directory_event::done) +
           matrix(t, directory_state::ge_md, last, directory_event::inv_ack,
                  directory_event::recall_data_last);
}

std::string l3_protocol_page() {
    const l3_table& t = standard_l3_table();
    return glossary("state", l3_states) + glossary("event", l3_events) +
           glossary("action", l3_action_texts) +
           matrix(t, l3_state::np, l3_state::lo, l3_event::get_s, l3_event::i_to_m) +
           matrix(t, l3_state::np, l3_state::lo, l3_event::put_clean, l3_event::write_once) +
           matrix(t, l3_state::np, l3_state::lo, l3_event::evict_clean, l3_event::evict_dirty) +
           matrix(t, l3_state::le_m, l3_state::once_w, l3_event::fetched, l3_event::done) +
           matrix(t, l3_state::le_m, l3_state::once_w, l3_event::inv_ack,
                  l3_event::recall_data_last);
}

}  // namespace knc::coherence
