#include <knc/card/tile.h>

#include <fmt/format.h>

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
    network_out = std::make_unique<tlm_utils::simple_initiator_socket<tile>>("network_out");
    network_in = std::make_unique<tlm_utils::simple_target_socket<tile>>("network_in");
    network_in->register_nb_transport_fw(this, &tile::nb_transport_fw);
    make_caches();
}

void tile::make_caches() {
    cache::network& out_of_here = *this;
    caches_ =
        std::make_unique<cache::hierarchy>(static_cast<std::uint8_t>(index_), cache_parameters_,
                                           *hash_, ledger_, core_.l1_client(), out_of_here);
    core_.connect(caches_->l1d(), caches_->l1i());
}

void tile::reset() {
    core_.settle();
    pmu_registers_.reset();
    for (const auto& a : apics_) a->logic().reset();
    if (caches_) make_caches();
    core_.reset();
}

void tile::send(const coherence::message& m, base::cycle_t leaves) {
    if (!sender_.send(*network_out->operator->(), m, leaves))
        protocol_error(fmt::format("the network refuses {} for line {:#x}",
                                   coherence::properties(m.kind).name, m.line));
}

void tile::send(const core::device_request& r) {
    send(request_message(r), r.issued + cache_parameters_.request_cycles);
}

void tile::protocol_error(const std::string& text) {
    outside_.model_error(text);
}

tlm::tlm_sync_enum tile::nb_transport_fw(tlm::tlm_generic_payload& p, tlm::tlm_phase& phase,
                                         sc_core::sc_time&) {
    const coherence::packet* const received = coherence::packet_of(p, phase);
    if (received == nullptr) return tlm::TLM_COMPLETED;
    if (coherence::properties(received->content.kind).receiver == coherence::receiver_kind::core)
        core_.device_done(answer_of(received->content), received->clock);
    else {
        caches_->receive(received->content, received->clock);
        core_.l1_client().event_due(received->clock);
    }
    return tlm::TLM_COMPLETED;
}

void tile::connect() {
    std::array<apic::local_apic*, threads> units{};
    for (std::size_t t = 0; t < threads; ++t) units[t] = &apics_[t]->logic();
    core_.connect(units);
}

void tile::list_signals(const std::string& prefix, base::signal_list& list) const {
    core_.list_signals(prefix, list);
    const auto add = [&list](const base::signal_list& more) {
        list.insert(list.end(), more.begin(), more.end());
    };
    add(pmu_probe_.signals(prefix + ".pmu"));
    for (std::size_t t = 0; t < threads; ++t)
        add(apic_probes_[t].signals(fmt::format("{}.t{}.apic.", prefix, t)));
    if (!caches_) return;
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
    if (!caches_) return;
    cache_sampled_.misses = caches_->misses();
    cache_sampled_.evictions = caches_->agent().victims_used();
    for (std::size_t t = 0; t < threads; ++t)
        cache_sampled_.stores[t] = caches_->waiting_stores(static_cast<unsigned>(t));
}

}  // namespace knc::card
