#include <platform/profile.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include <knc/base/event.h>

#include <platform/sampled_event.h>
#include <platform/symbols.h>

namespace platform {

namespace {

namespace base = knc::base;

std::uint64_t exact_count(const function_profile& p, std::size_t function, const profile& of) {
    std::uint64_t sum = 0;
    for (const auto privilege : {base::supervisor, base::user}) {
        if (privilege == base::user ? !of.user : !of.os) continue;
        const profile_cell c = p.count(0, function, privilege);
        sum += of.unit == "clocks" ? c.clocks : c.instructions;
    }
    return sum;
}

template <typename T>
void add(T& to, std::uint64_t weight, std::uint64_t events) {
    ++to.samples;
    to.weight += weight;
    to.events += events;
}

// A profile that is being made.
class draft {
  public:
    draft(const sample_log& l, std::uint8_t counter) {
        const sampled_event e = event_of(l, counter);
        p_.event = e.name;
        p_.unit = e.unit;
        p_.os = e.os;
        p_.user = e.user;
        p_.by_timer = e.by_timer;
        p_.period = e.by_timer ? l.interval : l.counter[counter].period;
    }

    void add_sample(const sample_log& l, const sample& s, call_stack& stacks) {
        const std::uint64_t events = events_of(l, s);
        const std::uint64_t period = p_.by_timer ? l.interval : l.counter[s.counter].period;
        if (period != p_.period) p_.period = 0;
        add(p_, s.weight, events);
        squares_ += static_cast<double>(events) * static_cast<double>(events);
        const code_place& place = stacks.at(s.rip, false);
        add(function_of(place.frames.back().function), s.weight, events);
        const std::string& innermost = place.frames.front().function;
        line_share& line = lines_[{place.line.file, place.line.line, innermost}];
        line.at = place.line;
        line.function = innermost;
        add(line, s.weight, events);
    }

    profile finish(const function_profile* exact, const std::vector<function>& functions) {
        const auto events = static_cast<double>(p_.events);
        p_.independent = squares_ == 0 ? 0 : events * events / squares_;
        if (exact != nullptr) p_.exact_unit = p_.unit;
        if (!p_.exact_unit.empty()) {
            for (std::size_t n = 0; n < functions.size(); ++n) add_exact(*exact, n, functions[n]);
        }
        for (auto& [name, f] : functions_) p_.functions.push_back(std::move(f));
        for (auto& [key, l] : lines_) p_.lines.push_back(std::move(l));
        std::stable_sort(p_.functions.begin(), p_.functions.end(),
                         [](const function_share& x, const function_share& y) {
                             return x.events != y.events ? x.events > y.events : x.exact > y.exact;
                         });
        std::stable_sort(
            p_.lines.begin(), p_.lines.end(),
            [](const line_share& x, const line_share& y) { return x.events > y.events; });
        return std::move(p_);
    }

  private:
    function_share& function_of(const std::string& name) {
        function_share& f = functions_[name];
        f.name = name;
        return f;
    }
    void add_exact(const function_profile& exact, std::size_t n, const function& f) {
        const std::uint64_t count = exact_count(exact, n, p_);
        if (count != 0) function_of(f.name).exact += count;
        p_.exact += count;
    }

    profile p_;
    double squares_ = 0;
    std::map<std::string, function_share> functions_;
    std::map<std::tuple<std::string, unsigned, std::string>, line_share> lines_;
};

double percent(std::uint64_t part, std::uint64_t whole) {
    return whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

const profile* find(const std::vector<profile>& all, const std::string& unit,
                    const profile* at_levels_of) {
    for (const profile& p : all)
        if (p.unit == unit && !p.by_timer &&
            (at_levels_of == nullptr || (p.os == at_levels_of->os && p.user == at_levels_of->user)))
            return &p;
    return nullptr;
}

}  // namespace

double profile::share(std::uint64_t of_events) const {
    return percent(of_events, events);
}
double profile::exact_share(const function_share& f) const {
    return percent(f.exact, exact);
}

double profile::bound(const function_share& f) const {
    if (independent == 0) return 100;
    const double p = exact_share(f) / 100;
    return 100 * deviations * std::sqrt(p * (1 - p) / independent);
}

bool profile::outside(const function_share& f) const {
    return !exact_unit.empty() && std::abs(share(f) - exact_share(f)) > bound(f);
}

double profile::largest_difference() const {
    double largest = 0;
    for (const function_share& f : functions)
        largest = std::max(largest, std::abs(share(f) - exact_share(f)));
    return largest;
}

std::vector<profile> make_profiles(const std::vector<sample_log>& logs, call_stack& stacks,
                                   const function_profile* exact) {
    std::map<std::uint64_t, draft> drafts;
    std::uint64_t dropped = 0;
    for (const sample_log& l : logs) {
        dropped += l.dropped;
        for (const sample& s : l.samples)
            drafts.try_emplace(key_of(l, s.counter), l, s.counter)
                .first->second.add_sample(l, s, stacks);
    }
    std::vector<profile> all;
    for (auto& [key, d] : drafts) {
        all.push_back(d.finish(exact, stacks.functions().functions()));
        all.back().dropped = dropped;
    }
    return all;
}

std::vector<function_cpi> derive_cpi(const std::vector<profile>& all) {
    const profile* const instructions = find(all, "instructions", nullptr);
    if (instructions == nullptr) return {};
    const profile* const clocks = find(all, "clocks", instructions);
    if (clocks == nullptr) return {};
    std::vector<function_cpi> result;
    for (const function_share& c : clocks->functions) {
        const auto i = std::find_if(instructions->functions.begin(), instructions->functions.end(),
                                    [&](const function_share& f) { return f.name == c.name; });
        if (c.events == 0 || i == instructions->functions.end() || i->events == 0) continue;
        result.push_back({c.name, i->events, c.events, i->exact, c.exact});
    }
    return result;
}

}  // namespace platform
