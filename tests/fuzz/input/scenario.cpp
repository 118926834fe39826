// A scenario file with any content, from the file to the checked request.
//
// The files that it names are those beside it: firmware.elf, a small image, and what the input
// itself spells.
#include <filesystem>
#include <fstream>

#include <unistd.h>

#include <platform/keys.h>
#include <platform/run_options.h>

#include <unit/platform/elf_builder.h>

#include "target.h"

namespace {

class directory {
  public:
    directory() : path_(std::filesystem::temp_directory_path() / "knc_fuzz_XXXXXX") {
        std::string name = path_.string();
        fuzz::require(mkdtemp(name.data()) != nullptr, "a directory for the scenario");
        path_ = name;
        platform::elf_builder elf;
        elf.add_symbol("main", 0x100010, 0x20, STT_FUNC);
        write("firmware.elf", elf.bytes());
    }
    ~directory() { std::filesystem::remove_all(path_); }

    std::string write(const char* name, const std::string& content) const {
        const std::string path = (path_ / name).string();
        std::ofstream{path, std::ios::binary} << content;
        return path;
    }

  private:
    std::filesystem::path path_;
};

// Files outside of the directory are none of this test's: a device may have no end.
bool leaves_the_directory(const std::string& text) {
    return text.find("dev") != std::string::npos || text.find("proc") != std::string::npos ||
           text.find("sys/") != std::string::npos;
}

// What a run takes for granted.
void check(const platform::run_request& r) {
    platform::check_consistency(r.config);
    const auto& card = r.config.card;
    fuzz::require(!r.firmware.segments.empty(), "an image has content");
    fuzz::require(card.tiles != 0 && card.boot_core < card.tiles, "there is a boot thread");
    for (const platform::msr_access& a : r.msr_accesses)
        fuzz::require(a.thread < card.tiles * knc::base::threads_per_core, "the thread exists");
    // Each value can be written as it is read.
    for (const platform::key& k : platform::keys()) {
        platform::settings copy = r.config;
        const std::string text = platform::value_text(k, r.config);
        platform::set_key(copy, k.name, text);
        fuzz::require(platform::value_text(k, copy) == text, "a value survives as text");
    }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const directory here;
    const std::string text = fuzz::text_of(data, size);
    if (leaves_the_directory(text)) return 0;
    platform::run_options o;
    o.file = here.write("s.toml", text);
    // A file by its path, or the image by its name.
    fuzz::accepted({"/", "firmware.elf: "}, [&] { check(platform::prepare(o)); });
    return 0;
}
