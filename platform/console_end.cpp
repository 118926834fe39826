#include <platform/console_end.h>

#include <cerrno>
#include <fstream>
#include <system_error>

#include <fmt/format.h>

#include <platform/console_standard.h>
#include <platform/console_stream.h>
#include <platform/input_error.h>

namespace platform {

namespace {

class to_file final : public console_end {
  public:
    explicit to_file(const std::string& path) : out_(path, std::ios::binary) {
        if (!out_)
            throw input_error(
                fmt::format("--console: {}: {}", path, std::generic_category().message(errno)));
    }
    void write(const std::string& all) override {
        out_.put(all.back());
        if (all.back() == '\n') out_.flush();
    }
    void finish() override { out_.flush(); }

  private:
    std::ofstream out_;
};

class nowhere final : public console_end {
  public:
    void write(const std::string&) override {}
};

}  // namespace

console_choice parse_console(const std::string& text) {
    using kind = console_choice::kind;
    if (text == "stdio") return {kind::standard, {}};
    if (text == "pty") return {kind::pty, {}};
    if (text == "none") return {kind::none, {}};
    for (const auto& [prefix, of] :
         {std::pair{std::string{"socket:"}, kind::socket}, {std::string{"file:"}, kind::file}})
        if (text.rfind(prefix, 0) == 0 && text.size() > prefix.size())
            return {of, text.substr(prefix.size())};
    throw input_error(
        fmt::format("one of stdio, pty, socket:PATH, file:PATH, none is wanted, not '{}'", text));
}

std::unique_ptr<console_end> make_console_end(const console_choice& c, terminal& t, bool quiet) {
    using kind = console_choice::kind;
    switch (c.of) {
        case kind::standard:
            return std::make_unique<console_standard>(t, quiet);
        case kind::pty:
            return make_pty_console();
        case kind::socket:
            return make_socket_console(c.path);
        case kind::file:
            return std::make_unique<to_file>(c.path);
        case kind::none:
            break;
    }
    return std::make_unique<nowhere>();
}

}  // namespace platform
