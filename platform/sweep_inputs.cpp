#include <platform/sweep_inputs.h>

#include <filesystem>

#include <platform/digest.h>
#include <platform/keys.h>
#include <platform/program.h>
#include <platform/run_options.h>

namespace platform {

using json = nlohmann::ordered_json;

const std::string& file_digests::of(const std::string& path) {
    const auto [known, is_new] = known_.try_emplace(path);
    if (!is_new) return known->second;
    return known->second = sha256_text(read_file(path));
}

json inputs_of(const run_request& r, file_digests& digests) {
    json files = json::array(), keys = json::object();
    for (const std::string& path : r.files)
        files.push_back({{"name", std::filesystem::path{path}.filename().string()},
                         {"sha256", digests.of(path)}});
    for (const key& k : platform::keys()) keys[std::string{k.name}] = value_text(k, r.config);
    return {{"program", {{"version", KNC_VERSION}, {"sha256", digests.of(program_file())}}},
            {"preset", r.preset},
            {"cmdline", r.cmdline},
            {"files", files},
            {"keys", keys}};
}

}  // namespace platform
