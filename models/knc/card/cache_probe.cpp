#include <knc/card/cache_probe.h>

#include <fmt/format.h>

#include <knc/coherence/directory_protocol.h>
#include <knc/coherence/l2_protocol.h>
#include <knc/coherence/l3_protocol.h>

namespace knc::card {

namespace {

constexpr unsigned count_width = 16;

// The titles of all states of a protocol.
template <class State>
std::vector<const char*> titles() {
    std::vector<const char*> names;
    for (unsigned n = 0; n < static_cast<unsigned>(State::count); ++n)
        names.push_back(coherence::name_of(static_cast<State>(n)));
    return names;
}

const base::value_names l1_states{"l1_state", {"I", "S", "E", "M", "arriving"}};
const base::value_names code_states{"code_state", {"-", "valid"}};
const base::value_names l2_states{"l2_state", titles<coherence::l2_state>()};
const base::value_names directory_states{"directory_state", titles<coherence::directory_state>()};
const base::value_names l3_states{"l3_state", titles<coherence::l3_state>()};

}  // namespace

cache_probe::cache_probe(const parts& p, const base::ledger& l)
    : of_(p),
      ledger_(l),
      l1d_events_({base::data_read, base::data_write, base::data_read_miss, base::data_write_miss,
                   base::data_cache_lines_written_back, base::l1_data_pf1, base::l1_data_pf1_miss,
                   base::bank_conflicts}),
      l1i_events_({base::code_read, base::code_cache_miss}),
      l2_events_({base::l2_read_hit_e, base::l2_read_hit_m, base::l2_read_hit_s, base::l2_read_miss,
                  base::l2_write_hit, base::l2_data_read_miss_cache_fill,
                  base::l2_data_write_miss_cache_fill, base::l2_data_read_miss_mem_fill,
                  base::l2_data_write_miss_mem_fill, base::l2_victim_req_with_data,
                  base::snp_hit_l2, base::snp_hitm_l2, base::hwp_l2miss}) {}

void cache_probe::list_signals(const std::string& prefix, base::signal_list& list) const {
    const auto count = [&](const std::string& name, const std::uint64_t& v, const char* meaning) {
        list.push_back({prefix + name, count_width, &v, meaning, base::signal_form::level});
    };
    list.push_back({prefix + ".l1d.line", 3, &l1d_line_, "state of the line trace.line",
                    base::signal_form::pattern, &l1_states});
    l1d_events_.list_signals(prefix + ".l1d.", list);
    list.push_back({prefix + ".l1i.line", 1, &l1i_line_, "a copy of the line trace.line",
                    base::signal_form::pattern, &code_states});
    l1i_events_.list_signals(prefix + ".l1i.", list);
    list.push_back({prefix + ".l2.line", 4, &l2_line_, "state of the line trace.line",
                    base::signal_form::pattern, &l2_states});
    count(".l2.misses", l2_.mshrs, "lines requested and not received yet (MSHRs in use)");
    count(".l2.evictions", l2_.victims, "lines in the victim buffer");
    count(".l2.streams", l2_.streams, "streams that the prefetcher follows");
    count(".l2.messages", l2_.messages, "messages from the ring that it has not processed");
    count(".l2.deferred", l2_.deferred, "snoops that wait for a pinned line");
    l2_events_.list_signals(prefix + ".l2.", list);
    for (std::size_t t = 0; t < of_.threads; ++t)
        count(fmt::format(".t{}.stores_waiting", t), stores_[t],
              "stores of the thread in its store buffer");
    if (of_.directory != nullptr) list_directory(prefix + ".directory.", list);
    if (of_.l3 != nullptr) list_l3(prefix + ".l3.", list);
}

void cache_probe::list_directory(const std::string& prefix, base::signal_list& list) const {
    const auto& d = directory_;
    list.push_back({prefix + "line", 5, &d.state,
                    "state of the line trace.line, if this slice is its home",
                    base::signal_form::pattern, &directory_states});
    list.push_back(
        {prefix + "line_holders", 64, &d.holders, "bit n: tile n has a copy of that line"});
    list.push_back({prefix + "line_owner", 8, &d.owner, "its owner, a tile; 255: none",
                    base::signal_form::number});
    list.push_back({prefix + "lines", 32, &d.lines, "lines of which some tile has a copy",
                    base::signal_form::number});
    list.push_back({prefix + "transactions", count_width, &d.transactions,
                    "lines with a request in progress", base::signal_form::level});
    list.push_back({prefix + "queued", count_width, &d.queued,
                    "requests that wait for the end of another one for their line",
                    base::signal_form::level});
    list.push_back({prefix + "messages", 32, &d.messages, "messages accepted since the start",
                    base::signal_form::number});
}

void cache_probe::sample(base::cycle_t now) {
    l1d_events_.sample(ledger_);
    l1i_events_.sample(ledger_);
    l2_events_.sample(ledger_);
    if (line_ != no_line) {
        l1d_line_ = static_cast<std::uint64_t>(of_.l1d.logic().state(line_, now));
        l1i_line_ = of_.l1i.logic().code_at_hand(line_, now) != nullptr;
        l2_line_ = static_cast<std::uint64_t>(of_.l2.state_of(line_));
    }
    l2_ = of_.l2.used();
    for (std::size_t t = 0; t < stores_.size(); ++t)
        stores_[t] = of_.l1d.logic().stores(static_cast<unsigned>(t)).size();
    if (of_.directory != nullptr) sample_directory();
    if (of_.l3 != nullptr) sample_l3();
}

void cache_probe::sample_directory() {
    const coherence::directory& d = of_.directory->logic().logic();
    directory_.lines = d.lines();
    directory_.transactions = d.busy_lines();
    directory_.queued = d.queued();
    directory_.messages = of_.directory->logic().counted().messages;
    const coherence::directory::summary s = d.summary_of(line_);
    directory_.state = static_cast<std::uint64_t>(s.state);
    directory_.holders = s.holders;
    directory_.owner = s.owner;
}

void cache_probe::list_l3(const std::string& prefix, base::signal_list& list) const {
    const auto& d = directory_;
    list.push_back({prefix + "line", 5, &d.state,
                    "state of the line trace.line, if this slice is its home",
                    base::signal_form::pattern, &l3_states});
    list.push_back(
        {prefix + "line_holders", 64, &d.holders, "bit n: tile n has a copy of that line"});
    list.push_back({prefix + "line_owner", 8, &d.owner, "its owner, a tile; 255: none",
                    base::signal_form::number});
    list.push_back(
        {prefix + "lines", 32, &d.lines, "lines in the slice", base::signal_form::number});
    list.push_back({prefix + "transactions", count_width, &d.transactions,
                    "lines with a request or an eviction in progress", base::signal_form::level});
    list.push_back({prefix + "queued", count_width, &d.queued,
                    "requests that wait for the end of another one for their line",
                    base::signal_form::level});
    list.push_back({prefix + "parked", count_width, &parked_,
                    "requests that wait for a line of their set that is not busy",
                    base::signal_form::level});
    list.push_back({prefix + "messages", 32, &d.messages, "messages accepted since the start",
                    base::signal_form::number});
}

void cache_probe::sample_l3() {
    const cache::l3_cache& c = of_.l3->logic().logic();
    directory_.lines = c.present();
    directory_.transactions = c.busy_lines();
    directory_.queued = c.queued();
    parked_ = c.parked();
    directory_.messages = of_.l3->logic().counted().messages;
    const cache::l3_cache::summary s = c.summary_of(line_);
    directory_.state = static_cast<std::uint64_t>(s.state);
    directory_.holders = s.holders;
    directory_.owner = s.owner;
}

}  // namespace knc::card
