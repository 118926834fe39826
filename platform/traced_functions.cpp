#include <platform/traced_functions.h>

namespace platform {

namespace {

// "PROGRAM: FUNCTION+OFFSET" without the program: a viewer has little room.
std::string without_program(const std::string& name) {
    const std::size_t end = name.find(": ");
    return end == std::string::npos ? name : name.substr(end + 2);
}

}  // namespace

traced_functions::traced_functions(knc::core::code_names_if& names,
                                   const std::vector<std::string>& known)
    : names_(names) {
    for (const std::string& name : known) numbers_.try_emplace(name, numbers_.size() + 1);
}

std::uint64_t traced_functions::number(const knc::core::code_location& at) {
    const auto [f, is_new] = known_.try_emplace({at.ip, at.paddr}, 0);
    if (is_new) f->second = find(at);
    return f->second;
}

std::uint64_t traced_functions::find(const knc::core::code_location& at) {
    const std::string place = without_program(names_.name(at));
    const std::size_t plus = place.rfind('+');
    if (plus == std::string::npos) return 0;  // no function is known
    std::string& known = instructions_[at.ip];
    if (known.empty())
        known = place;
    else if (('|' + known + '|').find('|' + place + '|') == std::string::npos)
        known += '|' + place;
    const auto [name, number] =
        *numbers_.try_emplace(place.substr(0, plus), numbers_.size() + 1).first;
    functions_.emplace(number, name);
    return number;
}

}  // namespace platform
