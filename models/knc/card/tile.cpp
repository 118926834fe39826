#include <knc/card/tile.h>

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <knc/apic/registers.h>
#include <knc/cache/l2.h>
#include <knc/pmu/quality_registers.h>

namespace knc::card {

namespace {

base::event_bounds bounds_of(const parameters& p) {
    base::event_bounds b = pmu::bounds_of_table();
    cache::set_bounds(p.cache, b);
    // WBINVD has all lines written back.
    if (p.on_bus())
        b[base::data_cache_lines_written_back] = p.cache.l1d.bytes / pentium::line_bytes + 1;
    return b;
}

// What the PMU requires of the core.
core::parameters core_of(const parameters& p) {
    core::parameters c = p.core;
    if (p.pmu.front_end == pmu::front_end_kind::perfmon) {
        c.perfmon_version = static_cast<std::uint8_t>(p.pmu.perfmon.version);
        c.reference_divider = p.pmu.perfmon.ref_divider;
        c.counts_loads = true;
        c.debug_store = p.pmu.perfmon.pebs;
        c.pebs_cycles = p.pmu.perfmon.pebs_clocks;
    }
    if (p.pmu.front_end == pmu::front_end_kind::p55c) {
        constexpr std::int8_t lint0 = 0, lint1 = 1;
        c.pentium = true;
        c.reference_divider = 1;
        if (p.pmu.p55c.pm_to == pmu::pm_target::nmi) c.pmu_pins_to = lint1;
        if (p.pmu.p55c.pm_to == pmu::pm_target::intr) c.pmu_pins_to = lint0;
    }
    c.shared_cache = p.has_l3();
    if (p.monitored()) {
        const pmu::cmt_parameters m = monitoring_of(p);
        c.cache_monitoring = {m.rmids, m.l3_rmids, m.upscale, m.bandwidth,
                              pmu::quality_registers::select_bits(m.rmids)};
    }
    if (p.has_l3()) {
        const cache::geometry& slice = p.uncore.l3.slice;
        c.cache_monitoring.l3_kilobytes = static_cast<std::uint32_t>(p.tiles * slice.bytes / 1024);
        c.cache_monitoring.l3_ways = slice.ways;
    }
    return c;
}

apic::parameters apic_of(const parameters& p) {
    apic::parameters a = p.apic;
    a.performance_lvt = a.performance_lvt && p.pmu.front_end != pmu::front_end_kind::p55c;
    return a;
}

// Tells which counters have changed since the last look.
class counter_watch {
  public:
    struct changes {
        std::size_t threads = 0;  // their number
        std::size_t last = 0;     // one of them
        bool overflow = false;
    };

    explicit counter_watch(const pmu::counter_bank& b) : bank_(b), values_(b.size()) {}

    changes look() {
        changes c;
        for (std::size_t n = 0; n < values_.size(); ++n) {
            const std::uint64_t value = bank_.value(n), before = std::exchange(values_[n], value);
            if (value == before) continue;
            const std::size_t thread = bank_.owner(n);
            if (c.threads == 0 || c.last != thread) ++c.threads;
            c.last = thread;
            c.overflow |= value < before;
        }
        return c;
    }

  private:
    const pmu::counter_bank& bank_;
    std::vector<std::uint64_t> values_;
};

}  // namespace

tile::tile(sc_core::sc_module_name name, std::uint16_t index, const parameters& p,
           const base::clock& clock, isa::code_map& code, const surroundings* around)
    : sc_module(name),
      index_(index),
      thread_count_(p.core.threads),
      foreign_l2_(around != nullptr && around->own.make_l2),
      core_("core", index, core_of(p), p.profile, signature(p), ledger_, code),
      monitored_(p.monitored()),
      rmids_(p.monitored() ? monitoring_of(p).rmids : 0),
      l2_geometry_(p.cache.l2),
      pmu_registers_(pmu::make_front_end(p.pmu)),
      pmu_("pmu", *pmu_registers_, p.pmu.audit, clock, ledger_, bounds_of(p)),
      pmu_probe_(*pmu_registers_),
      core_events_({base::instructions_executed, base::instructions_executed_v_pipe, base::branches,
                    base::branches_mispredicted, base::pipeline_flushes, base::pipeline_agi_stalls,
                    base::fe_stalled, base::data_page_walk, base::long_data_page_walk,
                    base::code_page_walk, base::long_code_page_walk,
                    base::vpu_instructions_executed}) {
    if (const std::string why = impossible(p); !why.empty()) SC_REPORT_FATAL("tile", why.c_str());
    core_.diagnostics.bind(diagnostics);
    core_.msr.bind(pmu_.msr);
    core_.counters.bind(pmu_.core);
    pmu_.listener.bind(core_.pmi);
    if (monitored_) pmu_.add(rmids_);
    for (std::size_t t = 0; t < thread_count_; ++t) {
        const auto id = static_cast<std::uint16_t>(index * threads + t);
        const bool bsp = index == p.boot_core && t == 0;
        apics_[t] = std::make_unique<apic::apic>(fmt::format("apic{}", t).c_str(), apic_of(p), id,
                                                 bsp, clock);
        core_.apic_page[t].bind(apics_[t]->mmio);
        core_.apics[t].bind(apics_[t]->core);
        apics_[t]->listener.bind(core_.messages);
    }
    if (around != nullptr) {
        if (const std::string why = cache::impossible(p.cache); !why.empty())
            SC_REPORT_FATAL("tile", fmt::format("parameter cache.{}", why).c_str());
        make_caches(p, clock, *around);
        return;
    }
    core_.devices.bind(devices);
    if (p.on_bus()) {
        bus_ = std::make_unique<pentium::memory_system>("caches", settled(p).pentium, ledger_);
        bus_->client.bind(core_.l1_client);
        core_.l1d.bind(bus_->l1d);
        core_.l1i.bind(bus_->l1i);
        return;
    }
    ideal_ = std::make_unique<cache::ideal_memory>("ideal_memory");
    ideal_->client.bind(core_.l1_client);
    core_.l1d.bind(ideal_->l1d);
    core_.l1i.bind(ideal_->l1i);
}

void tile::make_caches(const parameters& p, const base::clock& clock, const surroundings& around) {
    const auto node = static_cast<std::uint8_t>(index_);
    l1d = std::make_unique<cache::l1d>("l1d", p.cache, ledger_, pins_, clock);
    l1i = std::make_unique<cache::l1i>("l1i", p.cache, ledger_, pins_, clock);
    if (around.own.make_l2)
        l2 = around.own.make_l2(
            {"l2", index_, p, clock, around.hash, ledger_, pins_, around.memory});
    else
        l2 = make_l2(node, p, clock, around.hash);
    stop = std::make_unique<ring::stop>("stop");
    requester = std::make_unique<device_requester>("requester", clock, p.cache.request_cycles);
    core_.l1d.bind(l1d->core);
    core_.l1i.bind(l1i->core);
    l1d->client.bind(core_.l1_client);
    l1i->client.bind(core_.l1_client);
    l2->client.bind(core_.l1_client);
    l1d->l2.bind(l2->l1d);
    l1d->l2_events.bind(l2->events);
    l1d->code.bind(l1i->copies);
    l1i->l2.bind(l2->l1i);
    l1i->data.bind(l1d->stores);
    core_.devices.bind(requester->requests);
    requester->core.bind(core_.device_answers);
    requester->errors.bind(errors);
    requester->network.bind(stop->core);
    if (coherence::initiator_socket* const s = l2->network_socket()) s->bind(stop->l2);
    if (!around.own.make_network) make_home(node, p, clock, around.hash);
    cache_probe_.emplace(
        cache_probe::parts{*l1d, *l1i, *l2, directory.get(), l3.get(), thread_count_}, ledger_);
}

void tile::make_home(std::uint8_t node, const parameters& p, const base::clock& clock,
                     const coherence::address_hash& hash) {
    if (p.uncore.l3.exists()) {
        uncore_parameters own = p.uncore;
        if (p.monitored()) own.l3.monitored = monitoring_of(p).l3_rmids;
        l3 = std::make_unique<card::l3>("l3", node, hash, own, clock);
        l3->network.bind(stop->directory);
        l3->errors.bind(errors);
        return;
    }
    directory = std::make_unique<card::directory>("directory", node, hash, p.uncore, clock);
    directory->network.bind(stop->directory);
    directory->errors.bind(errors);
}

std::unique_ptr<cache::l2_base> tile::make_l2(std::uint8_t node, const parameters& p,
                                              const base::clock& clock,
                                              const coherence::address_hash& hash) {
    cache::parameters c = p.cache;
    c.l3 = p.uncore.l3.exists();
    auto made = std::make_unique<cache::l2>("l2", node, c, hash, ledger_, pins_, clock);
    made->errors.bind(errors);
    if (p.monitored()) made->monitor(rmids_.ids());
    return made;
}

void tile::bind_memory(tlm::tlm_base_target_socket_b<>& memory) {
    core_.memory.bind(memory);
    if (ideal_) ideal_->memory.bind(memory);
    if (bus_) bus_->memory.bind(memory);
}

void tile::attach(base::recorder_if& r, bool instructions) {
    core_.attach(r, instructions);
    for (std::size_t t = 0; t < thread_count_; ++t)
        apics_[t]->logic().attach({index_, static_cast<std::uint8_t>(t)}, r);
    if (l2) l2->attach(r);
}

void tile::reset() {
    core_.settle();
    pmu_registers_->reset();
    rmids_.reset();
    for (std::size_t t = 0; t < thread_count_; ++t) apics_[t]->logic().reset();
    empty_caches();
    if (l3) l3->reset();
    core_.reset();
}

void tile::empty_caches() {
    if (bus_) bus_->reset();
    if (!l2) return;
    pins_ = {};
    l2->reset();
    l1d->reset();
    l1i->reset();
    if (directory) directory->reset();
    if (l3) l3->empty();
}

void tile::inquire(std::uint64_t paddr, std::uint64_t size, bool write) {
    if (bus_) bus_->inquire(paddr, size, write, core_.now());
}

void tile::enter_functional(const core::functional_place& p) {
    core::functional_place own = p;
    used_.reset();
    if (p.warm) own.used = &used_.emplace(l2_geometry_);
    core_.enter_functional(own);
}

void tile::begin_warm_up() {
    core_.begin_warm_up(l2 ? used_->lines() : std::vector<cache::used_line>{});
}

void tile::end_warm_up(base::cycle_t at) {
    core_.end_warm_up(at);
    used_.reset();
}

void tile::view(coherence::debug_view& v) const {
    l2->view(l1d->logic(), v);
}

void tile::debug_write(coherence::line_t line, const std::uint8_t* data,
                       coherence::byte_mask mask) {
    l1d->logic().debug_write(line, data, mask);
    l1i->logic().debug_write(line, data, mask);
    l2->debug_write(line, data, mask);
}

void tile::list_signals(const std::string& prefix, base::signal_list& list) const {
    core_.list_signals(prefix, list);
    const auto add = [&list](const base::signal_list& more) {
        list.insert(list.end(), more.begin(), more.end());
    };
    add(pmu_probe_.signals(prefix + ".pmu"));
    for (std::size_t t = 0; t < thread_count_; ++t)
        add(apic_probes_[t].signals(fmt::format("{}.t{}.apic.", prefix, t)));
    list_cache_signals(prefix, list);
}

void tile::list_cache_signals(const std::string& prefix, base::signal_list& list) const {
    core_events_.list_signals(prefix + ".core.", list);
    if (cache_probe_) cache_probe_->list_signals(prefix, list);
    if (bus_) bus_->list_signals(prefix, list);
    if (requester)
        list.push_back({prefix + ".requester.accesses", static_cast<unsigned>(thread_count_),
                        &device_waits_, "bit n: an access of thread n to a device is under way"});
}

bool tile::sample_only(const std::set<const std::uint64_t*>& values) {
    const auto wanted = [&values](const base::signal_list& l) {
        return std::any_of(l.begin(), l.end(),
                           [&](const base::signal& s) { return values.count(s.value) != 0; });
    };
    base::signal_list of_core, of_pipelines, of_caches;
    core_.list_signals({}, of_core);
    core_.list_cycle_signals(of_pipelines);
    list_cache_signals({}, of_caches);
    sampled_.core = wanted(of_core);
    sampled_.pipelines = wanted(of_pipelines);
    sampled_.pmu = wanted(pmu_probe_.signals({}));
    for (std::size_t t = 0; t < thread_count_; ++t)
        sampled_.apic[t] = wanted(apic_probes_[t].signals({}));
    sampled_.caches = wanted(of_caches);
    sampled_.pins = pmu_registers_->pins() != 0 && sampled_.pmu;
    if (sampled_.pins) pmu_registers_->observe_pins();
    return !sampled_.pipelines && !sampled_.caches && !sampled_.pins;
}

void tile::sample() {
    core_.settle();
    if (sampled_.core) core_.sample();
    if (sampled_.pmu) pmu_probe_.sample();
    for (std::size_t t = 0; t < thread_count_; ++t)
        if (sampled_.apic[t]) apic_probes_[t].sample(apics_[t]->logic(), core_.now());
    if (!sampled_.caches) return;
    core_events_.sample(ledger_);
    core_.sample_caches();
    if (cache_probe_) cache_probe_->sample(core_.now());
    if (bus_) bus_->sample(core_.now());
    device_waits_ = core_.device_waits();
}

// The count of a timer that runs is the only value of a local APIC that changes by itself.
bool tile::timer_runs() const {
    for (std::size_t t = 0; t < thread_count_; ++t)
        if (sampled_.apic[t] && apics_[t]->logic().peek(apic::reg::current_count, core_.now()) != 0)
            return true;
    return false;
}

bool tile::still() const {
    return !sampled_.pins && core_.still() && core_.overflow_deadline() == base::never &&
           !timer_runs();
}

// The first cycle at which a signal may differ. An instruction, or another event of the core,
// changes its signals at the end of its cycle.
base::cycle_t tile::next_sample() const {
    const base::cycle_t next = core_.now() + 1;
    if (sampled_.pins || core_.counts_when_quiet() || timer_runs()) return next;
    const base::cycle_t activity = core_.next_activity();
    const base::cycle_t change = sampled_.core ? core_.next_change() : base::never;
    return std::max(next, std::min(activity == base::never ? activity : activity + 1, change));
}

void tile::run_sampled(base::cycle_t until, const sample_function& sampled) {
    counter_watch counters(core_.counters->counters());
    counters.look();
    // The PMU's registers change when a counter does, and when software accesses them.
    const bool pmu_only = !sampled_.core && !sampled_.pins &&
                          std::none_of(sampled_.apic.begin(), sampled_.apic.end(),
                                       [](bool wanted) { return wanted; });
    do {
        base::value_range changed;
        core_.run(std::min(until, next_sample()));
        if (pmu_only) {
            core_.settle();
            const counter_watch::changes c = counters.look();
            const bool accessed = core_.left();
            if (c.threads == 0 && !accessed && core_.now() < until) continue;
            // An overflow of one thread's counter may interrupt another thread.
            if (c.threads == 1 && !c.overflow && !accessed)
                changed = pmu_probe_.sample(c.last);
            else
                pmu_probe_.sample();
        } else {
            sample();
        }
        sampled(core_.now(), changed);
    } while (core_.now() < until && !core_.left());
}

}  // namespace knc::card
