#include <platform/profile.h>

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include <knc/base/event.h>
#include <knc/pmu/event_table.h>
#include <knc/pmu/knc_registers.h>

namespace platform {

namespace {

namespace base = knc::base;
namespace pmu = knc::pmu;

// What an event select counts that the core keeps per address.
std::string exact_unit(base::event e) {
    if (e == base::instructions_executed) return "instructions";
    if (e == base::cpu_clk_unhalted) return "clocks";
    return "";
}

struct source {
    std::string event, unit;
    std::uint64_t period = 0;
    bool os = true, user = true;
};

source describe(const sample_buffer& b, std::uint8_t counter) {
    if (counter >= b.evtsel.size()) return {"timer", "clocks"};
    const std::uint64_t v = b.evtsel[counter];
    const auto select = static_cast<std::uint8_t>(base::bits(v, 7, 0));
    const auto umask = static_cast<std::uint8_t>(base::bits(v, 15, 8));
    const base::event e = pmu::find_event(select, umask);
    source s;
    s.period = b.period[counter];
    s.os = base::test(v, pmu::event_select::os);
    s.user = base::test(v, pmu::event_select::usr);
    s.event = e == base::event_count ? fmt::format("event {:#04x}/{:#04x}", select, umask)
                                     : std::string{pmu::info(e).name};
    // A counter mask or edge detection counts something else than the event.
    const bool plain = base::bits(v, 31, 24) == 0 && !base::test(v, pmu::event_select::edge);
    if (e != base::event_count && plain) s.unit = exact_unit(e);
    return s;
}

std::uint64_t exact_count(const function_profile& p, std::size_t function, const source& s) {
    std::uint64_t sum = 0;
    for (const auto privilege : {base::supervisor, base::user}) {
        if (privilege == base::user ? !s.user : !s.os) continue;
        const profile_cell c = p.count(0, function, privilege);
        sum += s.unit == "clocks" ? c.clocks : c.instructions;
    }
    return sum;
}

profile make_profile(const sample_buffer& b, std::uint8_t counter, const function_table& functions,
                     const function_profile* exact) {
    const source s = describe(b, counter);
    profile p;
    p.event = s.event;
    p.period = s.period;
    p.dropped = b.dropped;
    if (exact != nullptr) p.exact_unit = s.unit;

    std::map<std::string, function_share> shares;
    const auto share_of = [&](const std::string& name) -> function_share& {
        function_share& f = shares[name];
        f.name = name;
        return f;
    };
    for (const sample& x : b.samples) {
        if (x.counter != counter) continue;
        const function* f = functions.find(x.rip);
        ++share_of(f == nullptr ? no_function : f->name).samples;
        ++p.samples;
    }
    if (!p.exact_unit.empty()) {
        for (std::size_t n = 0; n < functions.functions().size(); ++n) {
            const std::uint64_t count = exact_count(*exact, n, s);
            if (count != 0) share_of(functions.functions()[n].name).exact += count;
            p.exact += count;
        }
    }
    for (auto& [name, f] : shares) p.functions.push_back(std::move(f));
    std::stable_sort(p.functions.begin(), p.functions.end(),
                     [](const function_share& x, const function_share& y) {
                         return x.samples != y.samples ? x.samples > y.samples : x.exact > y.exact;
                     });
    return p;
}

double percent(std::uint64_t part, std::uint64_t whole) {
    return whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

double profile::share(const function_share& f) const {
    return percent(f.samples, samples);
}
double profile::exact_share(const function_share& f) const {
    return percent(f.exact, exact);
}

double profile::largest_difference() const {
    double largest = 0;
    for (const function_share& f : functions)
        largest = std::max(largest, std::abs(share(f) - exact_share(f)));
    return largest;
}

std::vector<profile> make_profiles(const sample_buffer& b, const image& i,
                                   const function_profile* exact) {
    const function_table functions{i};
    std::vector<profile> all;
    for (const std::uint8_t counter : {std::uint8_t{0}, std::uint8_t{1}, timer_sample}) {
        profile p = make_profile(b, counter, functions, exact);
        if (p.samples != 0) all.push_back(std::move(p));
    }
    return all;
}

void write_samples(std::ostream& out, const sample_buffer& b, const image& i) {
    const function_table functions{i};
    out << "# rip function+offset tsc value apic_id cpl counter\n";
    for (const sample& s : b.samples) {
        const function* f = functions.find(s.rip);
        out << fmt::format(
            "{:#018x} {} {} {} {} {} {}\n", s.rip,
            f == nullptr ? no_function : fmt::format("{}+{:#x}", f->name, s.rip - f->address),
            s.tsc, s.value, s.thread, s.cpl,
            s.counter == timer_sample ? "timer" : std::to_string(s.counter));
    }
}

void write_folded(std::ostream& out, const std::vector<profile>& profiles, const image& i) {
    for (const profile& p : profiles) {
        for (const function_share& f : p.functions) {
            if (f.samples == 0) continue;
            out << i.name << ';' << (profiles.size() > 1 ? p.event + ';' : "") << f.name << ' '
                << f.samples << '\n';
        }
    }
}

}  // namespace platform
