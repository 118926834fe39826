#include <knc/card/fabric_probe.h>

#include <fmt/format.h>

namespace knc::card {
namespace {

constexpr const char* channel_names[ring::channels] = {"data", "address", "acknowledge"};
constexpr const char* direction_names[ring::directions] = {"up", "down"};
constexpr unsigned count_width = 16;

}  // namespace

fabric_probe::fabric_probe(const line_places& f)
    : fabric_(f), stops_(f.carrier().stops().stops()), controllers_(f.controllers().size()) {}

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
                list.push_back(
                    {name, copies, &stops_[s].occupied[c][d],
                     "bit n: the slot of ring n that passed the stop carried a message on"});
                list.push_back({name + "_waiting", count_width, &stops_[s].waiting[c][d],
                                "messages of the stop that wait for such a slot",
                                base::signal_form::level});
            }
        }
        if (at.what == ring::agent::controller)
            list.push_back(
                {stop + ".requests_waiting", count_width, &controllers_[at.number].waiting,
                 "requests for which the controller has no room", base::signal_form::level});
    }
    list.push_back({prefix + ".under_way", count_width, &under_way_, "all messages in flight",
                    base::signal_form::level});
    for (unsigned n = 0; n < controllers_.size(); ++n) list_controller(n, controllers_[n], list);
}

void fabric_probe::list_controller(unsigned n, const controller_values& v,
                                   base::signal_list& list) const {
    const std::string name = fmt::format("controller{}.", n);
    const auto count = [&](const char* what, unsigned width, const std::uint64_t& value,
                           const char* meaning) {
        list.push_back(
            {name + what, width, &value, meaning,
             width == count_width ? base::signal_form::level : base::signal_form::number});
    };
    count("reads", count_width, v.reads, "reads in the queue");
    count("writes", count_width, v.writes, "writes in the queue");
    list.push_back({name + "writing", 1, &v.writing, "it serves writes, not reads"});
    list.push_back({name + "open_banks", fabric_.controllers()[n]->banks(), &v.open_banks,
                    "bit n: bank n has an open row"});
    count("row_hits", 40, v.row_hits, "lines that found their row open");
    count("row_closed", 40, v.row_closed, "lines that found their bank closed");
    count("row_conflicts", 40, v.row_conflicts, "lines that found another row open");
    count("refreshes", 40, v.refreshes, "refreshes");
    count("lines_read", 40, v.lines_read, "reads accepted since the start");
    count("lines_written", 40, v.lines_written, "writes accepted since the start");
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
    for (unsigned n = 0; n < controllers_.size(); ++n) {
        const memory_stop& c = *fabric_.controllers()[n];
        const memory::gddr5_channel::occupancy used = c.logic().used();
        const memory::gddr5_counts counts = c.logic().counts();
        controllers_[n] = {
            c.waiting(),      used.reads,      used.writes,       used.open_banks,
            used.writing,     counts.row_hits, counts.row_closed, counts.row_conflicts,
            counts.refreshes, c.reads(),       c.writes()};
    }
    under_way_ = fabric_.under_way();
}

}  // namespace knc::card
