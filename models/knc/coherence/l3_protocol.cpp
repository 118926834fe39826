#include <knc/coherence/l3_protocol.h>

namespace knc::coherence {
namespace {

l3_table make_table() {
    using namespace l3_actions;
    l3_table t;
    const auto line = [&t](l3_state s, l3_event e, l3_state next) {
        return [&t, s, e, next](auto... actions) { t.set(s, e, next, actions...); };
    };
#define KNC_L3_TRANSITION(state, event, actions, next) \
    line(l3_state::state, l3_event::event, l3_state::next) actions;
#include <knc/coherence/l3_protocol.def>
#undef KNC_L3_TRANSITION
    return t;
}

}  // namespace

const l3_table& standard_l3_table() {
    static const l3_table t = make_table();
    return t;
}

const char* name_of(l3_state s) {
    constexpr const char* names[] = {
#define KNC_L3_STATE(name, title, ...) title,
#include <knc/coherence/l3_protocol.def>
#undef KNC_L3_STATE
    };
    return names[static_cast<std::size_t>(s)];
}

const char* name_of(l3_event e) {
    constexpr const char* names[] = {
#define KNC_L3_EVENT(name, ...) #name,
#include <knc/coherence/l3_protocol.def>
#undef KNC_L3_EVENT
    };
    return names[static_cast<std::size_t>(e)];
}

const char* name_of(l3_action a) {
    constexpr const char* names[] = {
#define KNC_L3_ACTION(name, ...) #name,
#include <knc/coherence/l3_protocol.def>
#undef KNC_L3_ACTION
    };
    return names[a];
}

}  // namespace knc::coherence
