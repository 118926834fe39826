#include <knc/card/fabric_probe.h>

#include <fmt/format.h>

namespace knc::card {
namespace {

constexpr const char* channel_names[ring::channels] = {"data", "address", "acknowledge"};
constexpr const char* direction_names[ring::directions] = {"up", "down"};
constexpr unsigned count_width = 16;

}  // namespace

fabric_probe::fabric_probe(const line_places& f)
    : fabric_(f), stops_(f.carrier().stops().stops()), requests_(f.controllers().size()) {}

void fabric_probe::list_signals(const std::string& prefix, base::signal_list& list) const {
    for (unsigned s = 0; s < stops_.size(); ++s) {
        const ring::place& at = fabric_.carrier().stops().at(s);
        const std::string stop = fmt::format("{}.{}", prefix, ring::name_of(at));
        for (unsigned c = 0; c < ring::channels; ++c) {
            for (unsigned d = 0; d < ring::directions; ++d) {
                const std::string name =
                    fmt::format("{}.{}_{}", stop, channel_names[c], direction_names[d]);
                const unsigned copies =
                    fabric_.carrier().rings().copies(static_cast<ring::channel>(c));
                list.push_back({name, copies, &stops_[s].occupied[c][d]});
                list.push_back({name + "_waiting", count_width, &stops_[s].waiting[c][d]});
            }
        }
        if (at.what == ring::agent::controller)
            list.push_back({stop + ".requests_waiting", count_width, &requests_[at.number]});
    }
    list.push_back({prefix + ".under_way", count_width, &under_way_});
}

void fabric_probe::sample() {
    const ring::interconnect& rings = fabric_.carrier().rings();
    for (unsigned s = 0; s < stops_.size(); ++s) {
        for (unsigned c = 0; c < ring::channels; ++c) {
            const auto what = static_cast<ring::channel>(c);
            for (unsigned d = 0; d < ring::directions; ++d) {
                const auto way = static_cast<ring::direction>(d);
                std::uint64_t bits = 0;
                for (unsigned copy = 0; copy < rings.copies(what); ++copy)
                    bits |= std::uint64_t{rings.occupied(what, way, copy, s)} << copy;
                stops_[s].occupied[c][d] = bits;
                stops_[s].waiting[c][d] = rings.waiting(what, way, s);
            }
        }
    }
    for (unsigned n = 0; n < requests_.size(); ++n)
        requests_[n] = fabric_.controllers()[n]->waiting();
    under_way_ = fabric_.under_way();
}

}  // namespace knc::card
