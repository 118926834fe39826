#include <knc/card/cmt.h>

#include <cstring>

#include <fmt/format.h>

#include <knc/base/event.h>

namespace knc::card {

cmt::cmt(sc_core::sc_module_name name, const pmu::cmt_parameters& p, std::size_t threads,
         const std::vector<l3_slice*>& slices)
    : sc_module(name), p_(p), slices_(slices), logic_(p, threads, *this), sampled_(p.l3_rmids) {
    registers.bind(*this);
}

void cmt::reset() {
    logic_.reset();
}

cache::l3_usage cmt::usage(std::uint32_t rmid) const {
    cache::l3_usage sum;
    for (const l3_slice* const s : slices_) {
        const cache::l3_usage& u = s->logic().usage()[rmid];
        sum.lines += u.lines;
        sum.fetched += u.fetched;
        sum.written += u.written;
        sum.seen |= u.seen;
    }
    return sum;
}

// A core rejects what the registers do not accept before the access leaves it.
void cmt::access(core::device_request& r, base::cycle_t at) {
    const std::size_t thread = r.core * base::threads_per_core + r.thread;
    const auto msr = static_cast<std::uint32_t>(r.address);
    std::uint64_t value = 0;
    if (r.write) {
        std::memcpy(&value, r.data.data(), sizeof value);
        logic_.write(thread, msr, at, value);
    } else if (logic_.read(thread, msr, at, value)) {
        std::memcpy(r.data.data(), &value, sizeof value);
    }
}

base::signal_list cmt::signals(const std::string& prefix) const {
    base::signal_list list;
    for (std::size_t n = 0; n < sampled_.size(); ++n)
        list.push_back({fmt::format("{}.rmid{}", prefix, n), 32, &sampled_[n],
                        "lines of the L3 with this monitoring ID", base::signal_form::number});
    return list;
}

void cmt::sample() {
    for (std::size_t n = 0; n < sampled_.size(); ++n)
        sampled_[n] = usage(static_cast<std::uint32_t>(n)).lines;
}

}  // namespace knc::card
