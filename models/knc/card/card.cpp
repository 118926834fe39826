#include <knc/card/card.h>

#include <algorithm>
#include <optional>
#include <ostream>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <knc/card/coherent_memory.h>
#include <knc/card/scheduler.h>
#include <knc/card/device_agent.h>
#include <knc/card/host_aperture.h>
#include <knc/card/interrupt_fabric.h>
#include <knc/card/ram_lines.h>
#include <knc/card/router.h>
#include <knc/card/line_places.h>
#include <knc/card/controller.h>
#include <knc/card/fabric_probe.h>
#include <knc/memory/ram.h>
#include <knc/ring/ring.h>
#include <knc/sbox/pc_ports.h>
#include <knc/sbox/testdev.h>

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
    i.signature = isa::signature(p.stepping);
    i.parameters = p.sbox;
    return i;
}

}  // namespace

struct card::impl final : core::outside, card_if, sbox::test_if, coherence::error_if {
    struct start_point {
        std::uint32_t eip, eax, ebx;
    };

    impl(card& c, const parameters& p, run_control run)
        : owner(c),
          config(p),
          control(std::move(run)),
          clock(p.clock_hz),
          code(p.memory_size),
          memory("memory", p.memory_size),
          lines(memory, code),
          hierarchy(p.caches ? std::make_unique<memory_hierarchy>(*this) : nullptr),
          addresses("addresses", memory_seen(), p.memory_size),
          agent(
              "agent", clock, p.core.device_cycles, p.caches,
              {[this](const core::device_request& r, base::cycle_t at) {
                   tiles[r.core]->cpu().device_done(r, at);
               },
               [this] { schedule.synchronize(); }, [this](const std::string& text) { warn(text); },
               [this](const coherence::message& m, base::cycle_t at) {
                   hierarchy->aperture.receive(m, at);
               }}),
          fabric("fabric", p.ipi_cycles, hierarchy ? cache::least_send_cycles(p.cache) : 0,
                 p.core.device_cycles),
          registers("sbox", identity_of(p)),
          schedule("scheduler", clock, control, p.core.device_cycles,
                   {hierarchy ? &hierarchy->ring : nullptr, cache::least_send_cycles(p.cache)}) {
        fabric.io_apic.bind(registers);
        fabric.scheduler.bind(schedule);
        registers.interrupts.bind(fabric);
        registers.reset_request.bind(schedule);
        schedule.interrupts.bind(fabric);
        schedule.devices.bind(agent);
        schedule.devices.bind(registers);
        schedule.card.bind(*this);
        for (std::uint16_t i = 0; i < p.tiles; ++i) {
            tiles.push_back(std::make_unique<tile>(fmt::format("tile{}", i).c_str(), i, config,
                                                   clock, code, *this,
                                                   hierarchy ? &hierarchy->hash : nullptr));
            schedule.tiles.bind(*tiles.back());
            tiles.back()->cpu().memory.bind(addresses.in);
            if (hierarchy) {
                tiles.back()->stop->ring.bind(hierarchy->ring.tile(i));
                tiles.back()->directory->errors.bind(*this);
                tiles.back()->l2->errors.bind(*this);
                hierarchy->lines.add(tiles.back()->directory->logic());
            }
            for (std::size_t t = 0; t < tile::threads; ++t)
                fabric.attach(tiles.back()->apic_module(t));
        }
        if (hierarchy) {
            agent.network->bind(hierarchy->ring.sbox());
            agent.errors.bind(*this);
        }
        agent.devices.bind(addresses.in);
        host.bind(addresses.in);
        if (hierarchy) aperture.bind(hierarchy->aperture.target);
        window.register_b_transport(this, &impl::window_transport);
        window.register_transport_dbg(this, &impl::window_debug);
        addresses.map(host_window, host_window_size, window);
        addresses.map(sbox::block_address, sbox::block_size, registers.target);
        registers.host_interrupt.bind(owner.host_interrupt);
        if (p.testdev_enable) {
            testdev = std::make_unique<sbox::testdev>("testdev");
            testdev->run.bind(*this);
            addresses.map(sbox::testdev::page_address, sbox::testdev::page_size, testdev->target);
        }
        if (p.testdev_enable && p.profile == isa::profile::compat) {
            ports = std::make_unique<sbox::pc_ports>("ports");
            ports->run.bind(*this);
            agent.ports.bind(ports->target);
        }
    }

    // The target for addresses of the memory.
    router::target_socket& memory_seen() {
        if (hierarchy) return hierarchy->coherent.target;
        return memory.target;
    }

    // sbox::test_if
    void console(char c) override {
        if (control.console) control.console(c);
    }
    void exit(std::uint32_t value) override { schedule.request_stop(stop_reason::firmware, value); }
    void marker(std::uint32_t number) override {
        if (control.marker) control.marker(number, clock.cycle(sc_core::sc_time_stamp()));
    }

    // card_if
    void start() override {
        for (auto& t : tiles) t->connect();
        bootstrap();
    }
    bool accessible() const override {
        return owner.mmio.size() != 0 || owner.aperture.size() != 0 || owner.reset.size() != 0;
    }
    // The state that the card's bootstrap leaves, unless the reset pin is 1.
    void bootstrap() {
        if (owner.reset.size() != 0 && owner.reset->read()) return;
        for (auto& t : tiles) t->cpu().enable_caches();
        if (boot) tiles[config.boot_core]->cpu().boot(0, boot->eip, boot->eax, boot->ebx);
    }
    void reset(base::cycle_t now) override {
        ++resets;
        for (auto& t : tiles) t->reset();
        code.reset();
        if (hierarchy) {
            hierarchy->ring.reset(now);
            for (auto& c : hierarchy->controllers) c->reset();
            hierarchy->aperture.reset();
        }
        agent.reset();
        fabric.reset();
        registers.reset();
        if (testdev) testdev->reset();
        if (ports) ports->reset();
        bootstrap();
    }
    void sample() override {
        for (auto& t : tiles) t->sample();
        if (hierarchy) hierarchy->probe.sample();
    }

    // The card's accesses to its host.
    void window_transport(tlm::tlm_generic_payload& p, sc_core::sc_time& delay) {
        if (owner.system.size() == 0) {
            p.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
            return;
        }
        const std::uint64_t offset = p.get_address();
        p.set_address(registers.logic().host_address(offset));
        owner.system->b_transport(p, delay);
        p.set_address(offset);
    }
    // Stops at the end of the window in which it starts.
    unsigned window_debug(tlm::tlm_generic_payload& p) {
        if (owner.system.size() == 0) return 0;
        constexpr std::uint64_t window_bytes = sbox::page_table::window_bytes;
        const std::uint64_t offset = p.get_address();
        const unsigned length = p.get_data_length();
        const std::uint64_t room = window_bytes - offset % window_bytes;
        p.set_address(registers.logic().host_address(offset));
        p.set_data_length(static_cast<unsigned>(std::min<std::uint64_t>(length, room)));
        const unsigned n = owner.system->transport_dbg(p);
        p.set_address(offset);
        p.set_data_length(length);
        return n;
    }

    // coherence::error_if
    void protocol_error(const std::string& text) override { model_error(text); }
    // core::outside
    void post(const core::device_request& r) override {
        if (hierarchy) {
            tiles[r.core]->send(r);
            return;
        }
        agent.post(r, r.issued + config.core.device_cycles);
        schedule.synchronize();
    }
    void warn(const std::string& text) override {
        if (control.warning) control.warning(text);
    }
    void unsupported(const std::string& text) override {
        schedule.stop_now(stop_reason::unsupported, text);
    }

    // The memory system between the tiles' caches and the memory.
    struct memory_hierarchy {
        explicit memory_hierarchy(impl& card)
            : hash(card.config.tiles, checked(card.config.uncore).controllers,
                   card.config.uncore.hash),
              ring("ring", card.config.uncore.ring, card.config.tiles,
                   card.config.uncore.controllers, card.clock),
              controllers(make_controllers(card)),
              lines(hash, ring.logic(), card.lines),
              probe(add_controllers()),
              coherent("coherent", card.config.memory_size, lines, card.tiles, card.code),
              aperture(
                  "host_aperture", card.clock, card.config.core.device_cycles,
                  card.config.sbox.host_line_cycles, hash,
                  {[&card](const coherence::message& m, base::cycle_t leaves) {
                       card.agent.send(m, leaves);
                   },
                   [&card](std::uint64_t address, std::uint64_t size) {
                       return card.addresses.is_ram(address, size);
                   },
                   [&card](tlm::tlm_generic_payload& p) { return card.host->transport_dbg(p); },
                   [&card](const std::string& text) { card.model_error(text); }}) {
            coherent.store.bind(card.memory.target);
            ring.errors.bind(card);
        }
        std::vector<std::unique_ptr<controller>> make_controllers(impl& card) {
            std::vector<std::unique_ptr<controller>> all;
            for (unsigned c = 0; c < card.config.uncore.controllers; ++c) {
                all.push_back(std::make_unique<controller>(fmt::format("controller{}", c).c_str(),
                                                           c, card.config.uncore.memory, hash,
                                                           card.lines, card.clock));
                all.back()->network.bind(ring.controller(c));
                all.back()->errors.bind(card);
                ring.clocked.bind(all.back()->clocked);
            }
            return all;
        }
        const line_places& add_controllers() {
            for (const auto& c : controllers) lines.add(c->logic());
            return lines;
        }
        const coherence::address_hash hash;
        knc::ring::ring ring;
        std::vector<std::unique_ptr<controller>> controllers;
        line_places lines;
        fabric_probe probe;
        coherent_memory coherent;
        host_aperture aperture;
    };

    // The windows to the host's address space.
    static constexpr std::uint64_t host_window = 0x80'0000'0000,
                                   host_window_size =
                                       sbox::page_table::windows * sbox::page_table::window_bytes;

    card& owner;
    const parameters config;
    const run_control control;
    const base::clock clock;
    isa::code_map code;
    memory::ram memory;
    ram_lines lines;
    std::vector<std::unique_ptr<tile>> tiles;
    std::unique_ptr<memory_hierarchy> hierarchy;
    router addresses;
    device_agent agent;
    interrupt_fabric fabric;
    sbox::sbox registers;
    scheduler schedule;
    std::unique_ptr<sbox::testdev> testdev;
    std::unique_ptr<sbox::pc_ports> ports;
    tlm_utils::simple_initiator_socket<impl> host{"host_port"};
    tlm_utils::simple_initiator_socket_optional<impl> aperture{"aperture_port"};
    tlm_utils::simple_target_socket<impl> window{"host_window"};
    std::optional<start_point> boot;
    std::uint64_t resets = 0;
};

card::card(sc_core::sc_module_name name, const parameters& p, run_control control)
    : sc_module(name), impl_(std::make_unique<impl>(*this, p, std::move(control))) {
    host.register_b_transport(this, &card::host_transport);
    host.register_transport_dbg(this, &card::host_debug);
    mmio.register_b_transport(this, &card::mmio_transport);
    mmio.register_transport_dbg(this, &card::mmio_debug);
    aperture.register_b_transport(this, &card::aperture_transport);
    aperture.register_transport_dbg(this, &card::host_debug);
}

card::~card() = default;

const parameters& card::config() const {
    return impl_->config;
}
std::size_t card::tiles() const {
    return impl_->tiles.size();
}
tile& card::operator[](std::size_t i) {
    return *impl_->tiles[i];
}
const tile& card::operator[](std::size_t i) const {
    return *impl_->tiles[i];
}

void card::boot(std::uint32_t eip, std::uint32_t eax, std::uint32_t ebx) {
    impl_->boot = {eip, eax, ebx};
}

const outcome& card::result() const {
    return impl_->schedule.result();
}
std::uint64_t card::resets() const {
    return impl_->resets;
}
base::cycle_t card::now() const {
    return impl_->schedule.now();
}

std::uint64_t card::instructions() const {
    std::uint64_t n = 0;
    for (const auto& t : impl_->tiles) n += t->cpu().instructions();
    return n;
}

void card::dump(std::ostream& out) const {
    for (const auto& t : impl_->tiles) t->cpu().dump(out);
}

base::signal_list card::signals() const {
    base::signal_list list;
    for (std::size_t i = 0; i < impl_->tiles.size(); ++i)
        impl_->tiles[i]->list_signals(fmt::format("tile{}", i), list);
    if (impl_->hierarchy) impl_->hierarchy->probe.list_signals("ring", list);
    return list;
}

// Each edge resets the card; after the falling edge the boot thread starts.
void card::end_of_elaboration() {
    if (reset.size() == 0) return;
    SC_HAS_PROCESS(card);
    SC_METHOD(reset_changed);
    sensitive << reset->value_changed_event();
    dont_initialize();
}
void card::reset_changed() {
    impl_->schedule.request_reset();
}

void card::host_transport(tlm::tlm_generic_payload& p, sc_core::sc_time& delay) {
    impl_->host->b_transport(p, delay);
}
unsigned card::host_debug(tlm::tlm_generic_payload& p) {
    return impl_->host->transport_dbg(p);
}

void card::mmio_transport(tlm::tlm_generic_payload& p, sc_core::sc_time& delay) {
    const std::uint64_t offset = p.get_address();
    if (offset >= sbox::block_size) {
        p.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
        return;
    }
    p.set_address(sbox::block_address + offset);
    impl_->host->b_transport(p, delay);
    p.set_address(offset);
}
unsigned card::mmio_debug(tlm::tlm_generic_payload& p) {
    const std::uint64_t offset = p.get_address();
    if (offset >= sbox::block_size) return 0;
    p.set_address(sbox::block_address + offset);
    const unsigned n = impl_->host->transport_dbg(p);
    p.set_address(offset);
    return n;
}

void card::aperture_transport(tlm::tlm_generic_payload& p, sc_core::sc_time& delay) {
    if (impl_->hierarchy)
        impl_->aperture->b_transport(p, delay);
    else
        impl_->host->b_transport(p, delay);
}

}  // namespace knc::card
