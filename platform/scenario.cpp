#include <platform/scenario.h>

#include <fmt/format.h>

#include <platform/expectation_file.h>
#include <platform/input_error.h>
#include <platform/keys.h>
#include <platform/toml_file.h>

namespace platform {

namespace {

// A clock of 10 GHz does not count further in SystemC's time.
constexpr double longest_seconds = 1e6;

class reader : private toml_file {
  public:
    using toml_file::toml_file;

    scenario whole() {
        scenario s;
        for (const auto& [name, v] : root()) {
            if (name == "preset") {
                s.preset = text(name, v);
            } else if (name == "image") {
                s.image = text(name, v);
            } else if (name == "description") {
                s.description = line(name, v);
            } else if (name == "cmdline") {
                s.cmdline = text(name, v);
            } else if (name == "initrd") {
                s.initrd = text(name, v);
            } else if (name == "symbols") {
                s.symbols = texts(name, v);
            } else if (name == "console") {
                s.console = console(v);
            } else if (name == "session") {
                for (const toml::value& e : tables(name, v)) s.session.push_back(step(e));
            } else if (name == "msr_socket") {
                s.msr_socket = text(name, v);
            } else if (name == "msr") {
                for (const toml::value& e : tables(name, v)) s.msr.push_back(access(e));
            } else if (name == "expect") {
                for (const toml::value& e : tables(name, v))
                    s.expectations.push_back(read_expectation(*this, e));
            } else {
                keys(name, v, s.keys);
            }
        }
        sort_by_key(s.keys);
        return s;
    }

    std::vector<assignment> keys_only() {
        std::vector<assignment> a;
        for (const auto& member : root()) keys(member.first, member.second, a);
        return a;
    }

  private:
    console_choice console(const toml::value& v) const {
        try {
            return parse_console(text("console", v));
        } catch (const input_error& e) {
            fail(v, fmt::format("key console: {}", e.what()));
        }
    }

    session_step step(const toml::value& table) const {
        session_step s;
        s.place = place(table);
        for (const auto& [name, v] : table.as_table()) {
            if (name == "wait")
                s.wait = text("session.wait", v);
            else if (name == "send")
                s.send = text("session.send", v);
            else if (name == "timeout")
                s.timeout = seconds("session.timeout", v);
            else
                fail(v, fmt::format("unknown key session.{}", name));
        }
        if (s.wait.empty() && s.send.empty()) fail(table, "key session: wants wait, send or both");
        return s;
    }

    msr_access access(const toml::value& table) const {
        msr_access a;
        a.place = place(table);
        int seen = 0;
        for (const auto& [name, v] : table.as_table()) {
            if (name == "at") {
                a.at = number("msr.at", v);
            } else if (name == "thread") {
                a.thread = number("msr.thread", v);
            } else if (name == "read") {
                a.number = msr_number("msr.read", v);
                ++seen;
            } else if (name == "write") {
                if (!v.is_array() || v.as_array().size() != 2)
                    fail(v, "key msr.write: [NUMBER, VALUE] is wanted");
                a.number = msr_number("msr.write", v.as_array()[0]);
                a.value = number("msr.write", v.as_array()[1]);
                a.write = true;
                ++seen;
            } else {
                fail(v, fmt::format("unknown key msr.{}", name));
            }
        }
        if (seen != 1 || table.as_table().count("at") == 0)
            fail(table, "key msr: wants at, and one of read and write");
        return a;
    }

    std::uint32_t msr_number(const std::string& key, const toml::value& v) const {
        const std::uint64_t n = number(key, v);
        if (n > 0xffff'ffff) fail(v, fmt::format("key {}: no MSR has this number", key));
        return static_cast<std::uint32_t>(n);
    }

    // None: no limit.
    std::optional<double> seconds(const std::string& key, const toml::value& v) const {
        if (v.is_string() && v.as_string().str == "none") return {};
        const double n = v.is_integer()    ? static_cast<double>(v.as_integer())
                         : v.is_floating() ? v.as_floating()
                                           : 0;
        if (!(n > 0 && n <= longest_seconds))
            fail(v, fmt::format("key {}: seconds above 0 or none are wanted", key));
        return n;
    }
};

}  // namespace

scenario read_scenario(const std::string& text, const std::string& file) {
    return reader{text, file}.whole();
}

void set_all(settings& s, const std::vector<assignment>& assignments) {
    for (const assignment& a : assignments) {
        try {
            set_key(s, a.key, a.text);
        } catch (const key_error& e) {
            throw input_error(fmt::format("{}: {}", a.place, e.what()));
        }
    }
}

void apply_keys(settings& s, const std::string& text, const std::string& file) {
    set_all(s, reader{text, file}.keys_only());
}

}  // namespace platform
