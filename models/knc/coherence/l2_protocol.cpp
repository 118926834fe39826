#include <knc/coherence/l2_protocol.h>

namespace knc::coherence {
namespace {

l2_table make_table() {
    using namespace l2_actions;
    l2_table t;
    const auto line = [&t](l2_state s, l2_event e, l2_state next) {
        return [&t, s, e, next](auto... actions) { t.set(s, e, next, actions...); };
    };
#define KNC_L2_TRANSITION(state, event, actions, next) \
    line(l2_state::state, l2_event::event, l2_state::next) actions;
#include <knc/coherence/l2_protocol.def>
#undef KNC_L2_TRANSITION
    return t;
}

}  // namespace

const l2_table& standard_l2_table() {
    static const l2_table t = make_table();
    return t;
}

l2_event event_of(message_kind k) {
    switch (k) {
#define KNC_L2_MESSAGE(name) \
    case message_kind::name: \
        return l2_event::name;
#include <knc/coherence/l2_protocol.def>
#undef KNC_L2_MESSAGE
        // Where data come from makes no difference.
        case message_kind::l3_data_s:
            return l2_event::data_s;
        case message_kind::l3_data_e:
            return l2_event::data_e;
        case message_kind::l3_data_m:
            return l2_event::data_m;
        default:
            return l2_event::count;
    }
}

const char* name_of(l2_state s) {
    constexpr const char* names[] = {
#define KNC_L2_STATE(name, title, ...) title,
#include <knc/coherence/l2_protocol.def>
#undef KNC_L2_STATE
    };
    return names[static_cast<std::size_t>(s)];
}

const char* name_of(l2_event e) {
    constexpr const char* names[] = {
#define KNC_L2_EVENT(name, ...) #name,
#define KNC_L2_MESSAGE(name) #name,
#include <knc/coherence/l2_protocol.def>
#undef KNC_L2_MESSAGE
#undef KNC_L2_EVENT
    };
    return names[static_cast<std::size_t>(e)];
}

const char* name_of(l2_action a) {
    constexpr const char* names[] = {
#define KNC_L2_ACTION(name, ...) #name,
#include <knc/coherence/l2_protocol.def>
#undef KNC_L2_ACTION
    };
    return names[a];
}

}  // namespace knc::coherence
