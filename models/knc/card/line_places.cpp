#include <knc/card/line_places.h>

namespace knc::card {

using coherence::message;

bool line_places::only_in_memory(coherence::line_t line) {
    if (slices_[hash_.home(line)]->knows(line)) return false;
    bool alone = true;
    for_each_message([&](const message& m) { alone = alone && m.line != line; });
    return alone;
}

void line_places::view(coherence::debug_view& v) {
    slices_[hash_.home(v.line())]->view(v);
    for_each_message([&](const message& m) { v.in_flight(m); });
    coherence::line_data stored;
    store_.read(v.line(), stored);
    v.memory(stored);
}

void line_places::debug_write(coherence::line_t line, const coherence::line_data& data,
                              coherence::byte_mask mask) {
    slices_[hash_.home(line)]->debug_write(line, data.data(), mask);
    for_each_message([&](message& m) { coherence::debug_write(m, line, data.data(), mask); });
    store_.write(line, data, mask);
}

std::size_t line_places::under_way() const {
    std::size_t n = carrier_.size();
    for (const memory_stop* const c : controllers_) n += c->messages().size();
    return n;
}

}  // namespace knc::card
