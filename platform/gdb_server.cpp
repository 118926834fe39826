#include <platform/gdb_server.h>

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include <platform/gdb_commands.h>
#include <platform/gdb_registers.h>

namespace platform {

namespace {

constexpr std::chrono::milliseconds poll_interval{5};
// Of a client whose threads run; it should not send any.
constexpr int most_requests = 64;

// Errors are numbers that gdb does not look at: those of Linux.
constexpr const char *no_such_thread = "E03", *not_readable = "E05", *bad_address = "E0e",
                     *bad_request = "E16";

bool begins(std::string_view text, std::string_view with) {
    return text.substr(0, with.size()) == with;
}

// Takes `with` from the begin of `text`, if it is there.
bool take_word(std::string_view& text, std::string_view with) {
    if (!begins(text, with)) return false;
    text.remove_prefix(with.size());
    return true;
}

// "ADDRESS,SIZE".
struct range {
    std::uint64_t address = 0, size = 0;
};
std::optional<range> take_range(std::string_view& text) {
    const auto address = take_hex(text);
    if (!address || !take(text, ',')) return {};
    const auto size = take_hex(text);
    if (!size) return {};
    return range{*address, *size};
}

}  // namespace

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
        current_ = selected_ = resumed_ = first_thread();
        last_stop_ = stop_answer(current_, "");
        serve();
        return;
    }
    const auto& step = stops_.stepping();
    const std::size_t thread = step                     ? step->thread
                               : target_.runs(current_) ? current_
                                                        : first_thread();
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
    pretended_ = thread;
    stop(thread, stop_answer(thread, ""));
    pretended_.reset();
}

void gdb_server::finish(int status, bool stuck) {
    look();
    if (stuck && connection_.connected()) stop(current_, by_signal("T06", current_));
    if (connection_.connected()) connection_.send(fmt::format("W{:02x}", status & 0xff));
    connection_.leave();
}

void gdb_server::stop(std::size_t thread, const std::string& answer) {
    current_ = selected_ = resumed_ = thread;
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
        case 'q':
            answer = general_query(rest);
            break;
        case 'Q':
            answer = set(rest);
            break;
        case 'H':
            answer = select_thread(rest);
            break;
        case 'T':
            answer = thread_of(rest) ? "OK" : no_such_thread;
            break;
        case 'g':
            answer = registers();
            break;
        case 'p':
            answer = read_register(rest);
            break;
        case 'P':
            answer = write_register(rest);
            break;
        case 'm':
            answer = read_memory(rest);
            break;
        case 'M':
        case 'X':
            answer = write_memory(rest, what == 'X');
            break;
        case 'Z':
        case 'z':
            answer = change_stop(rest, what == 'Z');
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
            break;
    }
    // A run that goes on answers when it stops.
    if (stopped_) connection_.send(answer);
}

void gdb_server::kill() {
    target_.end();
    forget_client();
}

std::string gdb_server::general_query(words text) {
    if (begins(text, "Supported"))
        return fmt::format(
            "PacketSize={:x};QStartNoAckMode+;qXfer:features:read+;qXfer:threads:read+;"
            "swbreak+;hwbreak+;vContSupported+",
            gdb_packet_bytes);
    if (text == "C") return fmt::format("QC{:x}", current_ + 1);
    if (text == "Attached") return "1";
    if (text == "fThreadInfo") {
        std::string list;
        for (std::size_t n = 0; n < target_.threads(); ++n)
            if (target_.exists(n)) list += fmt::format("{}{:x}", list.empty() ? 'm' : ',', n + 1);
        return list;
    }
    if (text == "sThreadInfo") return "l";
    if (take_word(text, "ThreadExtraInfo,")) {
        const auto thread = thread_of(text);
        if (!thread) return no_such_thread;
        return to_hex(target_.name(*thread) + ' ' + target_.state(*thread));
    }
    if (take_word(text, "Xfer:")) return transfer(text);
    if (take_word(text, "Rcmd,")) {
        const auto command = from_hex(text);
        if (!command) return bad_request;
        const std::string shown = run_gdb_command(target_, selected_, *command);
        return to_hex(shown.substr(0, gdb_packet_bytes / 2));
    }
    return {};
}

// OBJECT:read:ANNEX:OFFSET,LENGTH
std::string gdb_server::transfer(words text) {
    std::string list;
    const std::string* whole = nullptr;
    if (take_word(text, "features:read:target.xml:")) {
        whole = &gdb_target_description();
    } else if (take_word(text, "threads:read::")) {
        list = thread_list();
        whole = &list;
    } else {
        return begins(text, "features:read:") || begins(text, "threads:read:") ? "E00" : "";
    }
    const auto part = take_range(text);
    if (!part || !text.empty()) return bad_request;
    // Escapes may double the size.
    const std::uint64_t size = std::min<std::uint64_t>(part->size, gdb_packet_bytes / 2 - 1);
    if (part->address >= whole->size()) return "l";
    const bool last = whole->size() - part->address <= size;
    return (last ? 'l' : 'm') + whole->substr(part->address, size);
}

std::string gdb_server::thread_list() const {
    std::string text = "<?xml version=\"1.0\"?>\n<threads>\n";
    for (std::size_t n = 0; n < target_.threads(); ++n)
        if (target_.exists(n))
            text += fmt::format("<thread id=\"{:x}\" core=\"{}\" name=\"{}\">{}</thread>\n", n + 1,
                                n, target_.name(n), target_.state(n));
    return text + "</threads>\n";
}

std::string gdb_server::set(words text) {
    if (text != "StartNoAckMode") return {};
    connection_.stop_acknowledging();
    return "OK";
}

// 0: any thread; -1: all.
std::optional<std::size_t> gdb_server::thread_of(words id) const {
    if (id == "0" || id == "-1") return current_;
    const auto number = take_hex(id);
    if (!number || !id.empty() || *number == 0 || *number > target_.threads()) return {};
    return *number - 1;
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

std::string gdb_server::select_thread(words text) {
    const bool to_resume = take(text, 'c');
    if (!to_resume && !take(text, 'g')) return bad_request;
    const auto thread = thread_of(text);
    if (!thread) return no_such_thread;
    (to_resume ? resumed_ : selected_) = *thread;
    return "OK";
}

// ---- registers and memory

std::string gdb_server::registers() const {
    std::string all;
    for (std::size_t n = 0; n < gdb_register_count(); ++n)
        all += read_register(fmt::format("{:x}", n));
    return all;
}

std::string gdb_server::read_register(words text) const {
    const auto number = take_hex(text);
    if (!number || *number >= gdb_register_count() || !text.empty()) return bad_request;
    std::string bytes = target_.read_register(selected_, *number);
    if (*number == gdb_rip && pretended_ == selected_) ++bytes[0];
    return to_hex(bytes);
}

std::string gdb_server::write_register(words text) {
    const auto number = take_hex(text);
    if (!number || *number >= gdb_register_count() || !take(text, '=')) return bad_request;
    const auto bytes = from_hex(text);
    if (!bytes || bytes->size() != gdb_register_bytes(*number)) return bad_request;
    if (!target_.write_register(selected_, *number, *bytes)) return not_readable;
    if (*number == gdb_rip) stops_.forget(selected_);
    return "OK";
}

std::string gdb_server::read_memory(words text) {
    const auto r = take_range(text);
    if (!r || !text.empty()) return bad_request;
    const std::uint64_t size = std::min<std::uint64_t>(r->size, gdb_packet_bytes / 2);
    const std::string bytes = target_.read_memory(selected_, r->address, size);
    return bytes.empty() && size != 0 ? bad_address : to_hex(bytes);
}

std::string gdb_server::write_memory(words text, bool binary) {
    const auto r = take_range(text);
    if (!r || !take(text, ':')) return bad_request;
    const auto bytes = binary ? std::optional<std::string>{text} : from_hex(text);
    if (!bytes || bytes->size() != r->size) return bad_request;
    return target_.write_memory(selected_, r->address, *bytes) ? "OK" : bad_address;
}

// ---- stops

// TYPE,ADDRESS,SIZE
std::string gdb_server::change_stop(words text, bool insert) {
    const auto type = take_hex(text);
    if (!type || !take(text, ',')) return bad_request;
    const auto r = take_range(text);
    if (!r || !text.empty()) return bad_request;
    if (*type > 4) return {};
    const auto t = static_cast<unsigned>(*type);
    const bool done =
        insert ? stops_.insert(t, r->address, r->size) : stops_.remove(t, r->address, r->size);
    return done ? "OK" : bad_request;
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
            return bad_request;
        const bool all = thread.empty() || thread == "-1";
        const auto which = all ? std::optional{resumed_} : thread_of(thread);
        if (!which) return no_such_thread;
        const bool steps = what != 'c' && what != 'C';
        if (!steps || all) others = true;
        if (!steps || step) continue;
        step = gdb_stops::step{*which};
        if (what != 'r') continue;
        action.remove_prefix(1);
        const auto r = take_range(action);
        if (!r) return bad_request;
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
    if (!text.empty()) {
        const auto la = take_hex(text);
        if (!la || !text.empty()) return bad_request;
        const std::uint64_t value = *la;
        if (!target_.write_register(resumed_, gdb_rip,
                                    {reinterpret_cast<const char*>(&value), sizeof value}))
            return bad_request;
        stops_.forget(resumed_);
    }
    stops_.go(step ? std::optional{gdb_stops::step{resumed_}} : std::nullopt);
    go_on();
    return {};
}

void gdb_server::go_on() {
    stopped_ = false;
}

}  // namespace platform
