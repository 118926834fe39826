#include <platform/signal_filter.h>

#include <fnmatch.h>

#include <sstream>
#include <vector>

#include <fmt/format.h>

#include <platform/input_error.h>

namespace platform {

namespace {

bool matches(const std::string& part, const std::string& name) {
    if (part == "all") return true;
    if (name.compare(0, part.size(), part) == 0 &&
        (name.size() == part.size() || name[part.size()] == '.'))
        return true;
    return fnmatch(part.c_str(), name.c_str(), 0) == 0;
}

}  // namespace

knc::base::signal_list select_signals(const knc::base::signal_list& all,
                                      const std::string& scopes) {
    std::vector<bool> chosen(all.size());
    std::istringstream parts{scopes};
    for (std::string part; std::getline(parts, part, ',');) {
        bool found = false;
        for (std::size_t i = 0; i < all.size(); ++i) {
            if (!matches(part, all[i].name)) continue;
            chosen[i] = found = true;
        }
        if (!found)
            throw input_error(
                fmt::format("trace scope '{}' names no signal (knc-vp list signals)", part));
    }
    knc::base::signal_list list;
    for (std::size_t i = 0; i < all.size(); ++i)
        if (chosen[i]) list.push_back(all[i]);
    return list;
}

}  // namespace platform
