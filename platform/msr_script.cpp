#include <platform/msr_script.h>

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include <platform/input_error.h>

namespace platform {

void check_threads(const std::vector<msr_access>& accesses, std::size_t threads) {
    for (const msr_access& a : accesses)
        if (a.thread >= threads)
            throw input_error(fmt::format("{}: key msr.thread: the card has threads 0 to {}",
                                          a.place, threads - 1));
}

msr_script::msr_script(std::vector<msr_access> accesses) : accesses_(std::move(accesses)) {
    std::stable_sort(accesses_.begin(), accesses_.end(),
                     [](const msr_access& a, const msr_access& b) { return a.at < b.at; });
}

knc::base::cycle_t msr_script::next() const {
    return present_ < accesses_.size() ? accesses_[present_].at : knc::base::never;
}

void msr_script::perform(knc::base::cycle_t now, msr_target_if& target,
                         std::vector<msr_result>& results) {
    for (; next() <= now; ++present_) {
        const msr_access& a = accesses_[present_];
        std::uint64_t value = a.value;
        const bool done = a.write ? target.write(a.thread, a.number, a.value)
                                  : target.read(a.thread, a.number, value);
        results.push_back({a.at, a.thread, a.number, a.write, !done, done || a.write ? value : 0});
    }
}

}  // namespace platform
