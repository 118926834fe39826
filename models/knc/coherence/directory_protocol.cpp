#include <knc/coherence/directory_protocol.h>

namespace knc::coherence {
namespace {

directory_table make_table() {
    using namespace directory_actions;
    directory_table t;
    const auto line = [&t](directory_state s, directory_event e, directory_state next) {
        return [&t, s, e, next](auto... actions) { t.set(s, e, next, actions...); };
    };
#define KNC_DIRECTORY_TRANSITION(state, event, actions, next) \
    line(directory_state::state, directory_event::event, directory_state::next) actions;
#include <knc/coherence/directory_protocol.def>
#undef KNC_DIRECTORY_TRANSITION
    return t;
}

}  // namespace

const directory_table& standard_directory_table() {
    static const directory_table t = make_table();
    return t;
}

const char* name_of(directory_state s) {
    constexpr const char* names[] = {
#define KNC_DIRECTORY_STATE(name, title, ...) title,
#include <knc/coherence/directory_protocol.def>
#undef KNC_DIRECTORY_STATE
    };
    return names[static_cast<std::size_t>(s)];
}

const char* name_of(directory_event e) {
    constexpr const char* names[] = {
#define KNC_DIRECTORY_EVENT(name, ...) #name,
#include <knc/coherence/directory_protocol.def>
#undef KNC_DIRECTORY_EVENT
    };
    return names[static_cast<std::size_t>(e)];
}

const char* name_of(directory_action a) {
    constexpr const char* names[] = {
#define KNC_DIRECTORY_ACTION(name, ...) #name,
#include <knc/coherence/directory_protocol.def>
#undef KNC_DIRECTORY_ACTION
    };
    return names[a];
}

}  // namespace knc::coherence
