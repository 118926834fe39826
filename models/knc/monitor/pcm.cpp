#include <knc/monitor/pcm.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <utility>

#include <knc/monitor/client.h>
#include <knc/monitor/metric.h>
#include <knc/monitor/rows.h>
#include <knc/pmu/event_table.h>
#include <knc/pmu/p55c_events.h>
#include <knc/pmu/p55c_registers.h>
#include <knc/pmu/perfmon_events.h>

namespace knc::pcm {

namespace {

// The event that a counter of the PMU would count. A Pentium's code may be of two events: that of
// the counter that the unit mask names.
base::event event_of(pmu::front_end_kind k, std::uint8_t select, std::uint8_t umask) {
    if (k == pmu::front_end_kind::perfmon) return pmu::find_perfmon_event(select, umask, true);
    if (k != pmu::front_end_kind::p55c) return pmu::find_event(select, umask);
    const pmu::p55c_event* const e =
        umask < pmu::p55c::counters ? pmu::find_p55c_event(select, umask, false) : nullptr;
    return e != nullptr ? e->cell : base::event_count;
}

// nullptr: the row has none of this name.
const monitor::metric* metric_in(const monitor::row& r, std::string_view name) {
    const monitor::metric* const m = monitor::find_metric(name, r);
    return m != nullptr && m->exists_in(r) ? m : nullptr;
}

}  // namespace

monitor::row BasicCounterState::since(const BasicCounterState& before) const {
    monitor::row r = counts_;
    for (std::size_t q = 0; q < r.count.size(); ++q)
        if (!monitor::is_level(q)) r.count[q] -= before.counts_.count[q];
    // A thread may have had another monitoring ID before.
    std::uint64_t traffic = 0;
    for (const std::uint64_t id : traffic_ids_)
        traffic += traffic_[id] - (id < before.traffic_.size() ? before.traffic_[id] : 0);
    r.count[monitor::total_traffic] = r.count[monitor::local_traffic] = traffic;
    return r;
}

PCM* PCM::getInstance() {
    static PCM the_one;
    return &the_one;
}

void PCM::attach(const std::string& path) {
    getInstance()->cleanup();
    getInstance()->path_ = path;
}

void PCM::attach(monitor::source_if& source) {
    getInstance()->cleanup();
    getInstance()->source_ = &source;
}

bool PCM::connect() {
    if (source_ != nullptr) return true;
    const char* const named = std::getenv("KNC_VP_SOCKET");
    if (path_.empty() && named != nullptr) path_ = named;
    if (path_.empty()) {
        error_ = "no platform is named";
        return false;
    }
    try {
        connection_ = std::make_unique<monitor::client>(path_);
    } catch (const std::exception& e) {
        error_ = e.what();
        return false;
    }
    source_ = connection_.get();
    return true;
}

bool PCM::choose(const CustomCoreEventDescription* events, std::uint32_t number) {
    for (std::uint32_t n = 0; n < number; ++n) {
        const auto select = static_cast<std::uint8_t>(events[n].event_number);
        const auto umask = static_cast<std::uint8_t>(events[n].umask_value);
        const base::event e = event_of(shape().registers, select, umask);
        if (select != events[n].event_number || umask != events[n].umask_value ||
            e == base::event_count || !shape().events[e])
            return false;
        custom_.push_back(e);
    }
    return true;
}

PCM::ErrorCode PCM::program(ProgramMode mode, const void* events) {
    custom_.clear();
    error_.clear();
    ExtendedCustomCoreEventDescription wanted;
    bool good = mode == DEFAULT_EVENTS;
    if (mode == CUSTOM_CORE_EVENTS) {
        wanted = {static_cast<const CustomCoreEventDescription*>(events), custom_events};
        good = events != nullptr;
    } else if (mode == EXT_CUSTOM_CORE_EVENTS && events != nullptr) {
        wanted = *static_cast<const ExtendedCustomCoreEventDescription*>(events);
        good = wanted.events != nullptr;
    }
    if (good && !connect()) return MSRAccessDenied;
    if (!good || !choose(wanted.events, wanted.number)) {
        error_ = "no such mode, or no such event";
        return UnknownError;
    }
    if (last_.ended) {
        error_ = "the run has ended";
        return MSRAccessDenied;
    }
    return counts_ == Counts::msr ? take_counters() : Success;
}

// Of the guest, for the custom events or for all that the metrics need.
PCM::ErrorCode PCM::take_counters() {
    std::vector<std::size_t> events = custom_;
    const auto add = [&](const monitor::formula& f) {
        for (const monitor::term& t : f.terms())
            if (monitor::msr_source::can_count(shape(), t.what) &&
                std::find(events.begin(), events.end(), t.what) == events.end())
                events.push_back(t.what);
    };
    if (events.empty())
        for (const monitor::metric& m : monitor::metrics()) {
            if (m.place == monitor::metric_place::report) continue;
            add(m.numerator);
            add(m.denominator);
        }
    if (events.empty()) {
        error_ = "the monitor does not know the counters of this PMU";
        cleanup();
        return UnknownError;
    }
    counters_ = std::make_unique<monitor::msr_source>(*source_, std::move(events));
    if (counters_->take()) {
        source_ = counters_.get();
        hold_ = true;
        return Success;
    }
    error_ = "the guest uses its counters";
    cleanup();
    return PMUBusy;
}

void PCM::cleanup() {
    source_ = nullptr;
    counters_.reset();
    connection_.reset();
    last_ = {};
    hold_ = false;
}

std::uint32_t PCM::getNumCores() const {
    return source_ == nullptr ? 0 : shape().threads();
}
std::uint32_t PCM::getNumOnlineCores() {
    std::uint32_t n = 0;
    read(0);
    for (const monitor::thread_counts& t : last_.threads) n += t.online ? 1 : 0;
    return n;
}
std::int32_t PCM::getTileId(std::uint32_t i) const {
    return i < getNumCores() ? static_cast<std::int32_t>(i / getThreadsPerCore()) : -1;
}
std::int32_t PCM::getThreadId(std::uint32_t i) const {
    return i < getNumCores() ? static_cast<std::int32_t>(i % getThreadsPerCore()) : -1;
}
bool PCM::isCoreOnline(std::uint32_t i) {
    if (i >= getNumCores()) return false;
    read(0);
    return last_.threads[i].online;
}
std::uint64_t PCM::getNominalFrequency() const {
    return source_ == nullptr ? 0 : shape().clock_hz;
}
bool PCM::memoryTrafficMetricsAvailable() const {
    return source_ != nullptr && (shape().controllers != 0 || shape().bus);
}
bool PCM::has(std::string_view metric) const {
    const auto all = monitor::metrics_of(shape());
    return source_ != nullptr && std::any_of(all.begin(), all.end(),
                                             [metric](const auto* m) { return m->name == metric; });
}
const monitor::platform_shape& PCM::shape() const {
    static const monitor::platform_shape none;
    return source_ == nullptr ? none : source_->shape();
}

void PCM::read(std::uint64_t cycle) {
    if (source_ != nullptr) last_ = source_->read(cycle, hold_);
}

void PCM::runFor(double seconds) {
    if (source_ == nullptr) return;
    const bool held = std::exchange(hold_, true);
    if (!held) read(0);
    const double cycles = seconds * static_cast<double>(shape().clock_hz);
    read(last_.cycle + static_cast<std::uint64_t>(cycles));
}

void PCM::runUntilMarker(std::uint32_t number) {
    if (source_ == nullptr || counters_) return;
    hold_ = true;
    last_ = source_->read_at_mark(number);
}

template <class State>
State PCM::state(monitor::row r, unsigned first, unsigned threads) const {
    State s;
    s.counts_ = r;
    if (shape().bandwidth_ids != 0) s.traffic_ = last_.traffic;
    s.traffic_ids_ = monitor::traffic_ids(shape(), last_, r.kind, first, threads);
    s.frequency_ = shape().clock_hz;
    s.online_ = true;
    return s;
}

CoreCounterState PCM::core_state(std::uint32_t core) const {
    if (core >= last_.threads.size()) return {};
    auto s = state<CoreCounterState>(
        monitor::thread_row(shape(), monitor::start_of(shape()), last_, core), core, 1);
    s.online_ = last_.threads[core].online;
    return s;
}

SystemCounterState PCM::getSystemCounterState() {
    if (source_ == nullptr) return {};
    read(0);
    return state<SystemCounterState>(monitor::card_row(shape(), monitor::start_of(shape()), last_),
                                     0, shape().threads());
}
SocketCounterState PCM::getSocketCounterState(std::uint32_t socket) {
    return socket == 0 ? getSystemCounterState() : SocketCounterState{};
}
CoreCounterState PCM::getCoreCounterState(std::uint32_t core) {
    if (source_ == nullptr) return {};
    read(0);
    return core_state(core);
}
void PCM::getAllCounterStates(SystemCounterState& system, std::vector<SocketCounterState>& sockets,
                              std::vector<CoreCounterState>& cores) {
    system = getSystemCounterState();
    sockets.assign(1, system);
    cores.clear();
    for (std::uint32_t n = 0; n < getNumCores(); ++n) cores.push_back(core_state(n));
}

double getMetric(std::string_view name, const BasicCounterState& before,
                 const BasicCounterState& after) {
    const monitor::row r = after.since(before);
    const monitor::metric* const m = metric_in(r, name);
    return m == nullptr ? -1 : m->value(r, after.frequency()).value_or(-1);
}

double getAvailable(std::string_view name, const BasicCounterState& before,
                    const BasicCounterState& after) {
    return metric_in(after.counts(), name) == nullptr ? 0 : getMetric(name, before, after);
}

std::uint64_t getCount(std::string_view name, const BasicCounterState& before,
                       const BasicCounterState& after) {
    const monitor::row r = after.since(before);
    const monitor::metric* const m = metric_in(r, name);
    return m == nullptr ? 0 : m->exact(r);
}

std::uint64_t getEvent(std::string_view name, const BasicCounterState& before,
                       const BasicCounterState& after) {
    const auto q = monitor::find_quantity(name, PCM::getInstance()->shape().registers);
    return q ? after.since(before).count[*q] : 0;
}

std::uint64_t getNumberOfCustomEvents(std::int32_t number, const BasicCounterState& before,
                                      const BasicCounterState& after) {
    const auto& chosen = PCM::getInstance()->customEvents();
    if (number < 0 || static_cast<std::size_t>(number) >= chosen.size()) return 0;
    return after.since(before).count[chosen[static_cast<std::size_t>(number)]];
}

}  // namespace knc::pcm
