// A table of states and events, the form of both sides of the coherence protocol.
//
// An entry is a short list of actions and the next state. An entry that is not set cannot happen:
// the user of the table reports an error. Tables are values, so that tests can break one.
#ifndef KNC_COHERENCE_PROTOCOL_TABLE_H
#define KNC_COHERENCE_PROTOCOL_TABLE_H

#include <array>
#include <cstddef>
#include <cstdint>

namespace knc::coherence {

template <class State, class Event, class Action>
struct protocol_transition {
    static constexpr std::size_t most_actions = 3;

    bool possible = false;
    State next{};
    std::uint8_t count = 0;
    std::array<Action, most_actions> actions{};

    const Action* begin() const { return actions.data(); }
    const Action* end() const { return actions.data() + count; }
};

// State and Event are enumerations whose last enumerator is `count`.
template <class State, class Event, class Action>
class protocol_table {
  public:
    using transition = protocol_transition<State, Event, Action>;
    static constexpr std::size_t states = static_cast<std::size_t>(State::count);
    static constexpr std::size_t events = static_cast<std::size_t>(Event::count);

    const transition& at(State s, Event e) const { return entries_[index(s, e)]; }
    transition& at(State s, Event e) { return entries_[index(s, e)]; }

    // Sets an entry. The agent executes the actions in the order given.
    template <class... Actions>
    void set(State s, Event e, State next, Actions... actions) {
        static_assert(sizeof...(actions) <= transition::most_actions);
        at(s, e) = {true, next, sizeof...(actions), {actions...}};
    }

  private:
    static std::size_t index(State s, Event e) {
        return static_cast<std::size_t>(s) * events + static_cast<std::size_t>(e);
    }
    std::array<transition, states * events> entries_{};
};

}  // namespace knc::coherence

#endif
