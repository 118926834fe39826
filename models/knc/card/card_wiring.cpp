// How the parts of a card are made and connected.
#include <knc/card/card_impl.h>

#include <algorithm>

#include <fmt/format.h>

namespace knc::card {

namespace {

// The identification that the card's bootstrap writes.
sbox::identity identity_of(const parameters& p) {
    constexpr std::uint32_t channels_per_controller = 2;
    sbox::identity i;
    i.clock_hz = p.clock_hz;
    i.memory_bytes = p.memory_size;
    i.cores = p.tiles;
    i.channels = p.uncore.controllers * channels_per_controller;
    i.data_rate_mtps = p.uncore.memory.gddr5.data_rate_mtps;
    i.l2_bytes = static_cast<std::uint32_t>(p.cache.l2.bytes);
    i.boot_apic_id = p.boot_core * static_cast<std::uint32_t>(tile::threads);
    i.signature = signature(p);
    i.parameters = p.sbox;
    return i;
}

}  // namespace

card::impl::impl(card& c, const parameters& p, run_control run, const parts& own)
    : owner(c),
      config(settled(p)),
      control(std::move(run)),
      foreign(own.make_l2 || own.make_network),
      clock(p.clock_hz),
      code(p.memory_size),
      memory("memory", p.memory_size),
      lines(memory, code),
      hierarchy(p.has_ring() ? std::make_unique<memory_hierarchy>(*this, own) : nullptr),
      addresses("addresses", memory_seen(), p.memory_size),
      agent("agent", clock, p.core.device_cycles, p.has_ring()),
      fabric("fabric", p.ipi_cycles, idle_lookahead(), p.core.device_cycles),
      registers("sbox", identity_of(p)),
      firmware("bootstrap", p),
      schedule("scheduler", clock, control,
               {p.core.device_cycles, cache::least_send_cycles(p.cache), idle_lookahead()}) {
    fabric.io_apic.bind(registers);
    fabric.scheduler.bind(schedule);
    fabric.keep_in(leaving);
    registers.interrupts.bind(firmware);
    firmware.fabric.bind(fabric);
    firmware.scheduler.bind(schedule);
    firmware.addresses.bind(addresses.in);
    registers.reset_request.bind(schedule);
    schedule.interrupts.bind(fabric);
    schedule.devices.bind(agent);
    schedule.devices.bind(registers);
    schedule.card.bind(*this);
    if (hierarchy) schedule.network.bind(hierarchy->clocked());
    agent.scheduler.bind(schedule);
    agent.diagnostics.bind(*this);
    agent.errors.bind(*this);
    for (std::uint16_t i = 0; i < p.tiles; ++i) add_tile(i, own);
    if (hierarchy) hierarchy->bind_sbox(*this);
    if (p.has_l3() && hierarchy->standard != nullptr) agent.shared_cache.bind(*hierarchy->standard);
    if (p.monitored() && hierarchy->standard != nullptr) {
        monitor = std::make_unique<cmt>("cmt", monitoring_of(p), p.tiles * tile::threads,
                                        hierarchy->standard->l3_slices());
        agent.registers.bind(monitor->registers);
    }
    agent.devices.bind(addresses.in);
    host.bind(addresses.in);
    if (hierarchy) aperture.bind(hierarchy->aperture.target);
    window.register_b_transport(this, &impl::window_transport);
    window.register_transport_dbg(this, &impl::window_debug);
    addresses.map(host_window, host_window_size, window);
    addresses.map(sbox::block_address, sbox::block_size, registers.target);
    if (config.profile == isa::profile::p55c)
        addresses.map_again(sbox::low_block_address, sbox::block_address);
    registers.host_interrupt.bind(owner.host_interrupt);
    if (p.testdev_enable) add_test_devices();
}

void card::impl::add_test_devices() {
    uart = std::make_unique<sbox::uart>("uart", clock, config.uart);
    uart->line.bind(*this);
    uart->interrupts.bind(registers);
    schedule.devices.bind(*uart);
    testdev = std::make_unique<sbox::testdev>("testdev");
    testdev->run.bind(*this);
    testdev->uart.bind(*uart);
    addresses.map(sbox::testdev::page_address, sbox::testdev::page_size, testdev->target);
    if (config.profile == isa::profile::knc) return;
    ports = std::make_unique<sbox::pc_ports>("ports");
    ports->run.bind(*this);
    ports->uart.bind(*uart);
    agent.ports.bind(ports->target);
}

void card::impl::add_tile(std::uint16_t i, const parts& own) {
    const std::string name = fmt::format("tile{}", i);
    if (hierarchy) {
        const tile::surroundings around{hierarchy->hash, lines, own};
        tiles.push_back(std::make_unique<tile>(name.c_str(), i, config, clock, code, &around));
        hierarchy->add(*tiles.back(), i);
    } else {
        tiles.push_back(std::make_unique<tile>(name.c_str(), i, config, clock, code));
        tiles.back()->devices.bind(agent.requests);
        agent.cores.bind(tiles.back()->cpu().device_answers);
    }
    tile& t = *tiles.back();
    core::diagnostics_if& log = *this;
    coherence::error_if& errors = *this;
    outboxes.push_back(std::make_unique<outbox>(leaving, log, errors));
    // The card's own network keeps by itself what tiles send on several threads.
    if (t.stop && own.make_network) outboxes.back()->connect(*t.stop);
    t.bind_memory(addresses.in);
    t.errors.bind(*outboxes.back());
    t.diagnostics.bind(*outboxes.back());
    schedule.tiles.bind(t);
    for (std::size_t n = 0; n < t.thread_count(); ++n) fabric.attach(t.apic_module(n));
    if (const pmu::pm_target to = config.pmu.p55c.pm_to;
        config.pmu.front_end == pmu::front_end_kind::p55c && pmu::leads_to_io_apic(to)) {
        t.cpu().pmu_wire.bind(fabric);
        fabric.wire_pmu(pmu::io_apic_input(to));
    }
}

base::cycle_t card::impl::idle_lookahead() const {
    if (!hierarchy) return 0;
    const base::cycle_t least = cache::least_send_cycles(config.cache);
    const base::cycle_t limit =
        std::min<base::cycle_t>({least + hierarchy->between->lookahead(), config.ipi_cycles,
                                 least + config.core.device_cycles});
    return limit / least * least;
}

router::target_socket& card::impl::memory_seen() {
    if (hierarchy) return hierarchy->coherent.target;
    return memory.target;
}

}  // namespace knc::card
