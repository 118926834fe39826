#include <platform/gdb_requests.h>

#include <algorithm>

#include <fmt/format.h>

#include <platform/gdb_commands.h>
#include <platform/gdb_packet.h>
#include <platform/gdb_registers.h>

namespace platform {

using namespace gdb_error;

std::string gdb_requests::answer(char what, std::string_view rest) {
    switch (what) {
        case 'q':
            return general_query(rest);
        case 'H':
            return select_thread(rest);
        case 'T':
            return thread_of(rest) ? "OK" : no_such_thread;
        case 'g':
            return registers();
        case 'p':
            return read_register(rest);
        case 'P':
            return write_register(rest);
        case 'm':
            return read_memory(rest);
        case 'M':
        case 'X':
            return write_memory(rest, what == 'X');
        case 'Z':
        case 'z':
            return change_stop(rest, what == 'Z');
        default:
            return {};
    }
}

// ---- threads

std::string gdb_requests::general_query(std::string_view text) {
    if (begins(text, "Supported"))
        return fmt::format(
            "PacketSize={:x};QStartNoAckMode+;qXfer:features:read+;qXfer:threads:read+;"
            "swbreak+;hwbreak+;vContSupported+",
            gdb_packet_bytes);
    if (text == "C") return fmt::format("QC{:x}", current_ + 1);
    if (text == "Attached") return "1";
    if (text == "fThreadInfo") return first_threads();
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
std::string gdb_requests::transfer(std::string_view text) {
    std::string list;
    const std::string* whole = nullptr;
    if (take_word(text, "features:read:target.xml:")) {
        whole = &target_.registers().description();
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

std::string gdb_requests::first_threads() const {
    std::string list;
    for (std::size_t n = 0; n < target_.threads(); ++n)
        if (target_.exists(n)) list += fmt::format("{}{:x}", list.empty() ? 'm' : ',', n + 1);
    return list;
}

std::string gdb_requests::thread_list() const {
    std::string text = "<?xml version=\"1.0\"?>\n<threads>\n";
    for (std::size_t n = 0; n < target_.threads(); ++n)
        if (target_.exists(n))
            text += fmt::format("<thread id=\"{:x}\" core=\"{}\" name=\"{}\">{}</thread>\n", n + 1,
                                n, target_.name(n), target_.state(n));
    return text + "</threads>\n";
}

std::optional<std::size_t> gdb_requests::thread_of(std::string_view id) const {
    if (id == "0" || id == "-1") return current_;
    const auto number = take_hex(id);
    if (!number || !id.empty() || *number == 0 || *number > target_.threads()) return {};
    return *number - 1;
}

std::string gdb_requests::select_thread(std::string_view text) {
    const bool to_resume = take(text, 'c');
    if (!to_resume && !take(text, 'g')) return bad_request;
    const auto thread = thread_of(text);
    if (!thread) return no_such_thread;
    (to_resume ? resumed_ : selected_) = *thread;
    return "OK";
}

// ---- registers and memory

std::string gdb_requests::registers() const {
    std::string all;
    for (std::size_t n = 0; n < target_.registers().count(); ++n) all += register_text(n);
    return all;
}

std::string gdb_requests::register_text(std::size_t number) const {
    if (number != target_.registers().ip() || pretended_ != selected_)
        return to_hex(target_.read_register(selected_, number));
    return to_hex(target_.registers().ip_bytes(target_.rip(selected_) + 1));
}

std::string gdb_requests::read_register(std::string_view text) const {
    const auto number = take_hex(text);
    if (!number || *number >= target_.registers().count() || !text.empty()) return bad_request;
    return register_text(*number);
}

std::string gdb_requests::write_register(std::string_view text) {
    const gdb_register_set& all = target_.registers();
    const auto number = take_hex(text);
    if (!number || *number >= all.count() || !take(text, '=')) return bad_request;
    const auto bytes = from_hex(text);
    if (!bytes || bytes->size() != all.bytes(*number)) return bad_request;
    if (!target_.write_register(selected_, *number, *bytes)) return not_readable;
    if (*number == all.ip()) stops_.forget(selected_);
    return "OK";
}

bool gdb_requests::move(std::size_t thread, std::uint64_t la) {
    const gdb_register_set& all = target_.registers();
    if (!target_.write_register(thread, all.ip(), all.ip_bytes(la))) return false;
    stops_.forget(thread);
    return true;
}

std::string gdb_requests::read_memory(std::string_view text) {
    const auto r = take_range(text);
    if (!r || !text.empty()) return bad_request;
    const std::uint64_t size = std::min<std::uint64_t>(r->size, gdb_packet_bytes / 2);
    const std::string bytes = target_.read_memory(selected_, r->address, size);
    return bytes.empty() && size != 0 ? bad_address : to_hex(bytes);
}

std::string gdb_requests::write_memory(std::string_view text, bool binary) {
    const auto r = take_range(text);
    if (!r || !take(text, ':')) return bad_request;
    const auto bytes = binary ? std::optional<std::string>{text} : from_hex(text);
    if (!bytes || bytes->size() != r->size) return bad_request;
    return target_.write_memory(selected_, r->address, *bytes) ? "OK" : bad_address;
}

// ---- stops

// TYPE,ADDRESS,SIZE
std::string gdb_requests::change_stop(std::string_view text, bool insert) {
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

}  // namespace platform
