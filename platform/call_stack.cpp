#include <platform/call_stack.h>

#include <platform/symbols.h>

namespace platform {

const function_table& call_stack::functions() {
    if (!functions_) functions_.emplace(image_);
    return *functions_;
}

const code_place& call_stack::at(std::uint64_t address, bool return_address) {
    const auto [place, fresh] = known_[return_address ? 1 : 0].try_emplace(address);
    code_place& result = place->second;
    if (!fresh) return result;
    // A call may be the last instruction of its function or line.
    const std::uint64_t within = address - (return_address ? 1 : 0);
    const function* const f = functions().find(within);
    if (f == nullptr) {
        result.frames.push_back({address, no_function, 0, false, false});
        return result;
    }
    const std::uint64_t offset = address - f->address;
    if (!lines_) lines_.emplace(image_);
    source_place source = lines_->at(within);
    for (std::string& name : source.inlined)
        result.frames.push_back({address, std::move(name), offset, true, true});
    result.frames.push_back({address, f->name, offset, true, false});
    result.line = std::move(source.at);
    return result;
}

std::vector<stack_frame> call_stack::of(const sample& s) {
    std::vector<stack_frame> all = at(s.rip, false).frames;
    for (const std::uint64_t caller : s.callers) {
        const std::vector<stack_frame>& more = at(caller, true).frames;
        if (!more.front().known) break;
        all.insert(all.end(), more.begin(), more.end());
    }
    return all;
}

}  // namespace platform
