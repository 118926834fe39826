#include <knc/card/tile.h>

#include <fmt/format.h>

#include <knc/cache/debug_access.h>
#include <knc/card/device_messages.h>

namespace knc::card {

namespace {

base::event_bounds bounds_of(const parameters& p) {
    base::event_bounds b = pmu::bounds_of_table();
    cache::set_bounds(p.cache, b);
    return b;
}

}  // namespace

tile::tile(sc_core::sc_module_name name, std::uint16_t index, const parameters& p,
           const base::clock& clock, isa::code_map& code, core::outside& out,
           const coherence::address_hash* hash)
    : sc_module(name),
      outside_(out),
      index_(index),
      cache_parameters_(p.cache),
      hash_(hash),
      core_("core", index, p.core, p.profile, isa::signature(p.stepping), ledger_, code, out),
      pmu_registers_(p.pmu),
      pmu_("pmu", pmu_registers_, p.pmu.audit, clock, ledger_, core_, bounds_of(p)),
      pmu_probe_(pmu_registers_) {
    core_.msr.bind(pmu_.msr);
    core_.counters.bind(pmu_.core);
    for (std::size_t t = 0; t < threads; ++t) {
        const auto id = static_cast<std::uint16_t>(index * threads + t);
        const bool bsp = index == p.boot_core && t == 0;
        apics_[t] =
            std::make_unique<apic::apic>(fmt::format("apic{}", t).c_str(), p.apic, id, bsp, clock);
        core_.apic_page[t]->bind(apics_[t]->mmio);
        apics_[t]->listener.bind(*this);
    }
    if (hash == nullptr) return;
    if (const std::string why = cache::impossible(p.cache); !why.empty())
        SC_REPORT_FATAL("tile", fmt::format("parameter cache.{}", why).c_str());
    make_caches(p, clock);
}

void tile::make_caches(const parameters& p, const base::clock& clock) {
    const auto node = static_cast<std::uint8_t>(index_);
    cache::l1_client_if& client = core_.l1_client();
    l1d = std::make_unique<cache::l1d>("l1d", p.cache, ledger_, pins_, client);
    l1i = std::make_unique<cache::l1i>("l1i", p.cache, ledger_, pins_, client);
    l2 = std::make_unique<cache::l2>("l2", node, p.cache, *hash_, ledger_, pins_, client, clock);
    stop = std::make_unique<ring::stop>("stop");
    directory = std::make_unique<card::directory>("directory", node, *hash_, p.uncore, clock);
    coherence::endpoint::owner& self = *this;
    devices_ = std::make_unique<coherence::endpoint>("devices", clock, self);
    l1d->l2.bind(l2->l1d);
    l1d->l2_events.bind(l2->events);
    l1d->code.bind(l1i->copies);
    l1i->l2.bind(l2->l1i);
    l1i->data.bind(l1d->stores);
    l2->network.bind(stop->l2);
    directory->network.bind(stop->directory);
    devices_->bind(stop->core);
    core_.connect(l1d->logic(), l1i->logic());
}

void tile::reset() {
    core_.settle();
    pmu_registers_.reset();
    for (const auto& a : apics_) a->logic().reset();
    if (l2) {
        pins_ = {};
        l2->reset();
        l1d->reset();
        l1i->reset();
        directory->reset();
    }
    core_.reset();
}

void tile::view(coherence::debug_view& v) const {
    cache::view(l1d->logic(), l2->logic(), v);
}

void tile::debug_write(coherence::line_t line, const std::uint8_t* data,
                       coherence::byte_mask mask) {
    cache::debug_write(l1d->logic(), l1i->logic(), l2->logic(), line, data, mask);
}

void tile::send(const core::device_request& r) {
    devices_->send(request_message(r), r.issued + cache_parameters_.request_cycles);
}

void tile::protocol_error(const std::string& text) {
    outside_.model_error(text);
}

void tile::receive(const coherence::message& m, base::cycle_t cycle) {
    core_.device_done(answer_of(m), cycle);
}

void tile::connect() {
    std::array<apic::local_apic*, threads> units{};
    for (std::size_t t = 0; t < threads; ++t) units[t] = &apics_[t]->logic();
    core_.connect(units);
    if (hash_ != nullptr) return;
    if (core_.direct_memory() == nullptr)
        SC_REPORT_FATAL("tile", "the memory behind the core grants no direct access");
    ideal_ = std::make_unique<cache::ideal_memory>(core_.direct_memory(), core_.l1_client());
    core_.connect(*ideal_, *ideal_);
}

void tile::list_signals(const std::string& prefix, base::signal_list& list) const {
    core_.list_signals(prefix, list);
    const auto add = [&list](const base::signal_list& more) {
        list.insert(list.end(), more.begin(), more.end());
    };
    add(pmu_probe_.signals(prefix + ".pmu"));
    for (std::size_t t = 0; t < threads; ++t)
        add(apic_probes_[t].signals(fmt::format("{}.t{}.apic.", prefix, t)));
    if (!l2) return;
    list.push_back({prefix + ".l2.misses", 16, &cache_sampled_.misses});
    list.push_back({prefix + ".l2.evictions", 16, &cache_sampled_.evictions});
    for (std::size_t t = 0; t < threads; ++t)
        list.push_back(
            {fmt::format("{}.t{}.stores_waiting", prefix, t), 8, &cache_sampled_.stores[t]});
}

void tile::sample() {
    core_.settle();
    core_.sample();
    pmu_probe_.sample();
    for (std::size_t t = 0; t < threads; ++t)
        apic_probes_[t].sample(apics_[t]->logic(), core_.now());
    if (!l2) return;
    cache_sampled_.misses = l2->logic().mshrs_used();
    cache_sampled_.evictions = l2->logic().agent().victims_used();
    for (std::size_t t = 0; t < threads; ++t)
        cache_sampled_.stores[t] = l1d->logic().stores(static_cast<unsigned>(t)).size();
}

}  // namespace knc::card
