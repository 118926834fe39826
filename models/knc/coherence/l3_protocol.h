// The L3 slice's side of the coherence protocol as a table of states and events.
//
// Models: per line, whether the L3 has it, which tiles have it and which one owns it, one
// transaction at a time, and the replacement of a line with all copies in the tiles: the L3 is
// inclusive. Leaves out: the data and the sets (knc/cache/l3_cache.h). Source: l3_protocol.def; all
// of it is a decision; docs/coherence.md prints it.
#ifndef KNC_COHERENCE_L3_PROTOCOL_H
#define KNC_COHERENCE_L3_PROTOCOL_H

#include <string>

#include <knc/coherence/protocol_table.h>

namespace knc::coherence {

enum class l3_state : std::uint8_t {
#define KNC_L3_STATE(name, ...) name,
#include <knc/coherence/l3_protocol.def>
#undef KNC_L3_STATE
    count
};

enum class l3_event : std::uint8_t {
#define KNC_L3_EVENT(name, ...) name,
#include <knc/coherence/l3_protocol.def>
#undef KNC_L3_EVENT
    count
};

namespace l3_actions {
enum action : std::uint8_t {
#define KNC_L3_ACTION(name, ...) name,
#include <knc/coherence/l3_protocol.def>
#undef KNC_L3_ACTION
    count
};
}  // namespace l3_actions
using l3_action = l3_actions::action;

using l3_table = protocol_table<l3_state, l3_event, l3_action>;

// The table of l3_protocol.def.
const l3_table& standard_l3_table();

// No transaction is in progress.
constexpr bool is_stable(l3_state s) {
    return s <= l3_state::lo;
}

const char* name_of(l3_state);
const char* name_of(l3_event);
const char* name_of(l3_action);

// States, events, actions and transitions as Markdown.
std::string l3_protocol_page();

}  // namespace knc::coherence

#endif
