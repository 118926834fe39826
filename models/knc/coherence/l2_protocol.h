// The L2's side of the coherence protocol as a table of states and events.
//
// Models: MESI per L2, with O for the owner of a dirty line that other tiles share, and transient
// states for a line with an outstanding request or eviction. Leaves out: where lines are stored;
// l2_agent.h has the interface to the cache array. Source: l2_protocol.def; docs/coherence.md
// prints it and lists the decisions.
#ifndef KNC_COHERENCE_L2_PROTOCOL_H
#define KNC_COHERENCE_L2_PROTOCOL_H

#include <string>

#include <knc/coherence/message.h>
#include <knc/coherence/protocol_table.h>

namespace knc::coherence {

enum class l2_state : std::uint8_t {
#define KNC_L2_STATE(name, ...) name,
#include <knc/coherence/l2_protocol.def>
#undef KNC_L2_STATE
    count
};

enum class l2_event : std::uint8_t {
#define KNC_L2_EVENT(name, ...) name,
#define KNC_L2_MESSAGE(name) name,
#include <knc/coherence/l2_protocol.def>
#undef KNC_L2_MESSAGE
#undef KNC_L2_EVENT
    count
};

namespace l2_actions {
enum action : std::uint8_t {
#define KNC_L2_ACTION(name, ...) name,
#include <knc/coherence/l2_protocol.def>
#undef KNC_L2_ACTION
    count
};
}  // namespace l2_actions
using l2_action = l2_actions::action;

using l2_table = protocol_table<l2_state, l2_event, l2_action>;

// The table of l2_protocol.def.
const l2_table& standard_l2_table();

enum class permission : std::uint8_t { none, read, write };
constexpr permission permission_of(l2_state s) {
    constexpr permission of[] = {
#define KNC_L2_STATE(name, title, access, text) permission::access,
#include <knc/coherence/l2_protocol.def>
#undef KNC_L2_STATE
    };
    return of[static_cast<std::size_t>(s)];
}
// A core may read (write) the copy without a request. A write to a line in E makes it M.
constexpr bool readable(l2_state s) {
    return permission_of(s) != permission::none;
}
constexpr bool writable(l2_state s) {
    return permission_of(s) == permission::write;
}
// No request and no eviction is outstanding.
constexpr bool is_stable(l2_state s) {
    return s <= l2_state::o;
}

// The event that stands for the arrival of such a message; `count` if no L2 receives it.
l2_event event_of(message_kind);

const char* name_of(l2_state);
const char* name_of(l2_event);
const char* name_of(l2_action);

// States, events, actions and transitions as Markdown.
std::string l2_protocol_page();

}  // namespace knc::coherence

#endif
