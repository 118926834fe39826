#include <platform/gdb_server.h>

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include <platform/gdb_packet.h>
#include <platform/gdb_registers.h>

namespace platform {

namespace {

constexpr std::chrono::milliseconds poll_interval{5};
// Of a client whose threads run; it should not send any.
constexpr int most_requests = 64;

// Takes `option` from the end of `text`, if it is there.
bool take_last(std::string& text, std::string_view option) {
    if (text.size() < option.size() ||
        text.compare(text.size() - option.size(), option.size(), option) != 0)
        return false;
    text.resize(text.size() - option.size());
    return true;
}

}  // namespace

gdb_choice parse_gdb(const std::string& text) {
    gdb_choice c{text};
    for (bool more = true; more;) {
        if (take_last(c.place, ",wait"))
            c.wait = true;
        else if (take_last(c.place, ",i386"))
            c.code = gdb_code::i386;
        else if (take_last(c.place, ",i8086"))
            c.code = gdb_code::i8086;
        else
            more = false;
    }
    return c;
}

// ---- when the run looks here

bool gdb_server::poll() {
    const auto now = host_clock::now();
    if (now - looked_ < poll_interval) return wanted_;
    return look();
}

bool gdb_server::look() {
    looked_ = host_clock::now();
    const bool had_client = connection_.connected();
    if (connection_.accept()) wanted_ = true;
    for (int n = 0; n < most_requests && connection_.connected() && !wanted_; ++n) {
        const gdb_connection::item i = connection_.take();
        if (i.what == gdb_connection::kind::none) break;
        if (i.what == gdb_connection::kind::interrupt)
            interrupted_ = wanted_ = true;
        else if (i.content == "k")
            kill();
    }
    if (had_client && !connection_.connected()) forget_client();
    return wanted_;
}

void gdb_server::attend() {
    if (!std::exchange(wanted_, false)) return;
    if (!std::exchange(interrupted_, false)) {
        // A new client asks for the stop itself.
        requests_.select(first_thread());
        last_stop_ = stop_answer(requests_.current(), "");
        serve();
        return;
    }
    const auto& step = stops_.stepping();
    const std::size_t last = requests_.current();
    const std::size_t thread = step ? step->thread : target_.runs(last) ? last : first_thread();
    stop(thread, by_signal("T02", thread));
}

void gdb_server::wait_for_client() {
    connection_.wait_for_client();
    wanted_ = true;
    attend();
}

void gdb_server::before_instruction(std::size_t thread) {
    const auto reason = stops_.at_instruction(thread);
    if (!reason) return;
    while (stops_.stepping() && stops_.stepping()->alone && stops_.stepping()->thread != thread &&
           connection_.connected())
        stop_amid_step(stops_.stepping()->thread);
    if (connection_.connected()) stop(thread, stop_answer(thread, *reason));
}

// While gdb steps a thread over a breakpoint, it expects that only this thread runs, and accepts a
// stop of no other. Here all threads run. If another one has to stop first, the step is shown as
// over, in the middle of the instruction; gdb lets the threads go on, and gets the stop at once.
void gdb_server::stop_amid_step(std::size_t thread) {
    requests_.pretend(thread);
    stop(thread, stop_answer(thread, ""));
    requests_.pretend({});
}

void gdb_server::finish(int status, bool stuck) {
    look();
    if (stuck && connection_.connected())
        stop(requests_.current(), by_signal("T06", requests_.current()));
    if (connection_.connected()) connection_.send(fmt::format("W{:02x}", status & 0xff));
    connection_.leave();
}

void gdb_server::stop(std::size_t thread, const std::string& answer) {
    requests_.select(thread);
    wanted_ = interrupted_ = false;
    last_stop_ = answer;
    connection_.send(answer);
    serve();
}

// Until the threads go on, or the client has gone.
void gdb_server::serve() {
    stopped_ = true;
    while (stopped_) {
        const gdb_connection::item i = connection_.wait();
        if (i.what == gdb_connection::kind::none) return forget_client();
        if (i.what == gdb_connection::kind::packet) obey(i.content);
    }
}

void gdb_server::forget_client() {
    connection_.leave();
    stops_.clear();
    stopped_ = wanted_ = interrupted_ = false;
}

// ---- requests

// An empty answer says that a request is not known.
void gdb_server::obey(const std::string& packet) {
    std::string_view rest{packet};
    const char what = rest.empty() ? '\0' : rest.front();
    if (!rest.empty()) rest.remove_prefix(1);
    std::string answer;
    switch (what) {
        case '?':
            answer = last_stop_;
            break;
        case 'Q':
            answer = set(rest);
            break;
        case 'c':
        case 's':
            answer = resume_one(rest, what == 's');
            break;
        case 'v':
            if (rest == "Cont?") {
                answer = "vCont;c;C;s;S;r";
            } else if (take_word(rest, "Cont;")) {
                answer = resume(rest);
            } else if (begins(rest, "Kill")) {
                connection_.send("OK");
                return kill();
            }
            break;
        case 'D':
            connection_.send("OK");
            return forget_client();
        case 'k':
            return kill();
        default:
            answer = requests_.answer(what, rest);
    }
    // A run that goes on answers when it stops.
    if (stopped_) connection_.send(answer);
}

void gdb_server::kill() {
    target_.end();
    forget_client();
}

std::string gdb_server::set(words text) {
    if (text != "StartNoAckMode") return {};
    connection_.stop_acknowledging();
    return "OK";
}

std::size_t gdb_server::first_thread() const {
    std::size_t first = 0;
    while (first + 1 < target_.threads() && !target_.exists(first)) ++first;
    for (std::size_t n = first; n < target_.threads(); ++n)
        if (target_.runs(n)) return n;
    return first;
}

std::string gdb_server::stop_answer(std::size_t thread, words reason) const {
    return fmt::format("T05{}thread:{:x};", reason, thread + 1);
}

// `signal`: T02, SIGINT, or T06, SIGABRT; a stop_answer() is T05, SIGTRAP.
std::string gdb_server::by_signal(const std::string& signal, std::size_t thread) const {
    return signal + stop_answer(thread, "").substr(signal.size());
}

// ACTION[:THREAD];... The first action that fits a thread is meant. All threads go on in any case.
std::string gdb_server::resume(words text) {
    std::optional<gdb_stops::step> step;
    bool others = false;
    while (!text.empty()) {
        words action = take_until(text, ';');
        words thread{action};
        action = take_until(thread, ':');
        const char what = action.empty() ? '\0' : action.front();
        if (what != 'c' && what != 'C' && what != 's' && what != 'S' && what != 'r')
            return gdb_error::bad_request;
        const bool all = thread.empty() || thread == "-1";
        const auto which = all ? std::optional{requests_.resumed()} : requests_.thread_of(thread);
        if (!which) return gdb_error::no_such_thread;
        const bool steps = what != 'c' && what != 'C';
        if (!steps || all) others = true;
        if (!steps || step) continue;
        step = gdb_stops::step{*which};
        if (what != 'r') continue;
        action.remove_prefix(1);
        const auto r = take_range(action);
        if (!r) return gdb_error::bad_request;
        step->low = r->address;
        step->high = r->size;
    }
    if (step) step->alone = !others;
    stops_.go(step);
    go_on();
    return {};
}

// [ADDRESS]
std::string gdb_server::resume_one(words text, bool step) {
    const std::size_t thread = requests_.resumed();
    if (!text.empty()) {
        const auto la = take_hex(text);
        if (!la || !text.empty() || !requests_.move(thread, *la)) return gdb_error::bad_request;
    }
    stops_.go(step ? std::optional{gdb_stops::step{thread}} : std::nullopt);
    go_on();
    return {};
}

void gdb_server::go_on() {
    stopped_ = false;
}

}  // namespace platform
