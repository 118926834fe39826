// The tag directory's side of the coherence protocol as a table of states and events.
//
// Models: per line, which tiles hold it and which one owns it, in the four states documented for
// the card (GI, GS, GE, GOLS), and one transaction at a time. Leaves out: limited capacity of a
// slice; every line that any L2 holds has an entry. Source: directory_protocol.def;
// docs/coherence.md prints it and lists the decisions.
#ifndef KNC_COHERENCE_DIRECTORY_PROTOCOL_H
#define KNC_COHERENCE_DIRECTORY_PROTOCOL_H

#include <string>

#include <knc/coherence/protocol_table.h>

namespace knc::coherence {

enum class directory_state : std::uint8_t {
#define KNC_DIRECTORY_STATE(name, ...) name,
#include <knc/coherence/directory_protocol.def>
#undef KNC_DIRECTORY_STATE
    count
};

enum class directory_event : std::uint8_t {
#define KNC_DIRECTORY_EVENT(name, ...) name,
#include <knc/coherence/directory_protocol.def>
#undef KNC_DIRECTORY_EVENT
    count
};

namespace directory_actions {
enum action : std::uint8_t {
#define KNC_DIRECTORY_ACTION(name, ...) name,
#include <knc/coherence/directory_protocol.def>
#undef KNC_DIRECTORY_ACTION
    count
};
}  // namespace directory_actions
using directory_action = directory_actions::action;

using directory_table = protocol_table<directory_state, directory_event, directory_action>;

// The table of directory_protocol.def.
const directory_table& standard_directory_table();

// No transaction is in progress.
constexpr bool is_stable(directory_state s) {
    return s <= directory_state::gols;
}

const char* name_of(directory_state);
const char* name_of(directory_event);
const char* name_of(directory_action);

// States, events, actions and transitions as Markdown.
std::string directory_protocol_page();

}  // namespace knc::coherence

#endif
