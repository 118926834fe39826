#include <platform/gdb_stops.h>

#include <algorithm>

#include <fmt/format.h>

namespace platform {

namespace {

constexpr std::uint64_t longest_watch = 0x10000;

std::optional<gdb_watch::kind> watch_kind(unsigned type) {
    switch (type) {
        case 2:
            return gdb_watch::kind::write;
        case 3:
            return gdb_watch::kind::read;
        case 4:
            return gdb_watch::kind::access;
        default:
            return {};
    }
}

}  // namespace

gdb_stops::gdb_stops(gdb_target_if& target) : target_(target), passed_(target.threads()) {}

bool gdb_stops::insert(unsigned type, std::uint64_t la, std::uint64_t size) {
    if (type == 0 || type == 1) {
        breakpoint& b = breakpoints_[la];
        (type == 0 ? b.software : b.hardware) = true;
        return true;
    }
    const auto kind = watch_kind(type);
    if (!kind || size == 0 || size > longest_watch || la + (size - 1) < la) return false;
    const gdb_watch w{*kind, la, size};
    if (std::find(watches_.begin(), watches_.end(), w) == watches_.end()) watches_.push_back(w);
    return true;
}

bool gdb_stops::remove(unsigned type, std::uint64_t la, std::uint64_t size) {
    if (type == 0 || type == 1) {
        const auto b = breakpoints_.find(la);
        if (b == breakpoints_.end()) return true;
        (type == 0 ? b->second.software : b->second.hardware) = false;
        if (!b->second.software && !b->second.hardware) breakpoints_.erase(b);
        return true;
    }
    const auto kind = watch_kind(type);
    if (!kind) return false;
    const gdb_watch w{*kind, la, size};
    watches_.erase(std::remove(watches_.begin(), watches_.end(), w), watches_.end());
    return true;
}

void gdb_stops::clear() {
    breakpoints_.clear();
    watches_.clear();
    go({});
}

void gdb_stops::go(const std::optional<step>& s) {
    step_ = s;
    if (s) pass(s->thread);
    lifted_.reset();
    if (s && s->alone) {
        const std::uint64_t la = passed_[s->thread].la;
        if (before_.count(la) != 0) lifted_ = la;
    } else {
        before_ = breakpoints_;
    }
    target_.watch(watches_);
    const bool all = !breakpoints_.empty() || !watches_.empty() || lifted_;
    for (std::size_t n = 0; n < passed_.size(); ++n)
        target_.ask(n, all || (step_ && step_->thread == n));
}

void gdb_stops::pass(std::size_t thread) {
    passed_[thread] = place_of(thread);
}

bool gdb_stops::breaks(std::size_t thread, std::uint64_t la) const {
    if (breakpoints_.count(la) != 0) return true;
    return lifted_ && la == *lifted_ && thread != step_->thread;
}

std::optional<std::string> gdb_stops::at_instruction(std::size_t thread) {
    const place at = place_of(thread);
    if (at == passed_[thread]) return {};
    if (const auto hit = target_.take_hit(thread)) {
        constexpr const char* names[] = {"watch", "rwatch", "awatch"};
        passed_[thread] = at;
        return fmt::format("{}:{:x};", names[static_cast<std::size_t>(hit->of)], hit->address);
    }
    const bool stepped =
        step_ && step_->thread == thread && (at.la < step_->low || at.la >= step_->high);
    const bool met = breaks(thread, at.la);
    if (!stepped && !met) return {};
    passed_[thread] = at;
    if (!met) return "";
    const auto b = breakpoints_.find(at.la);
    return b != breakpoints_.end() && !b->second.software ? "hwbreak:;" : "swbreak:;";
}

}  // namespace platform
