#include <knc/card/card.h>

#include <algorithm>
#include <optional>
#include <ostream>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <knc/base/archive.h>
#include <knc/card/bootstrap.h>
#include <knc/card/cmt.h>
#include <knc/card/coherent_memory.h>
#include <knc/card/scheduler.h>
#include <knc/card/device_agent.h>
#include <knc/card/device_probe.h>
#include <knc/card/host_aperture.h>
#include <knc/card/interrupt_fabric.h>
#include <knc/card/outbox.h>
#include <knc/card/ram_lines.h>
#include <knc/card/router.h>
#include <knc/card/uncore.h>
#include <knc/card/waits.h>
#include <knc/memory/ram.h>
#include <knc/ring/stop.h>
#include <knc/sbox/pc_ports.h>
#include <knc/sbox/testdev.h>
#include <knc/sbox/uart.h>

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

struct card::impl final : core::diagnostics_if,
                          card_if,
                          sbox::test_if,
                          sbox::line_if,
                          coherence::error_if {
    impl(card& c, const parameters& p, run_control run, const parts& own)
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
        if (p.has_l3() && hierarchy->standard != nullptr)
            agent.shared_cache.bind(*hierarchy->standard);
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

    void add_test_devices() {
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

    void add_tile(std::uint16_t i, const parts& own) {
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
        if (t.stop) outboxes.back()->connect(*t.stop);
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

    // See scheduler::lookaheads; 0 without caches. An interrupt message is arbitrated in a multiple
    // of it, and a device answers no earlier.
    base::cycle_t idle_lookahead() const {
        if (!hierarchy) return 0;
        const base::cycle_t least = cache::least_send_cycles(config.cache);
        const base::cycle_t limit =
            std::min<base::cycle_t>({least + hierarchy->between->lookahead(), config.ipi_cycles,
                                     config.core.device_cycles});
        return limit / least * least;
    }

    // The target for addresses of the memory.
    router::target_socket& memory_seen() {
        if (hierarchy) return hierarchy->coherent.target;
        return memory.target;
    }

    // sbox::line_if
    void transmit(char c) override {
        if (control.console) control.console(c);
    }
    std::optional<char> receive() override {
        return control.input ? control.input() : std::nullopt;
    }
    // sbox::test_if
    void exit(std::uint32_t value) override { schedule.request_stop(stop_reason::firmware, value); }
    void marker(std::uint32_t number) override {
        if (control.marker) control.marker(number, clock.cycle(sc_core::sc_time_stamp()));
        schedule.marked(number);
    }
    void fast_forward(bool on) override { schedule.request_fast_forward(on); }

    // card_if
    void start() override { power_on(); }
    void start_image() override {
        const auto entry = firmware.start_image();
        if (!entry) return;
        tile& t = *tiles[config.boot_core];
        t.apic(0).reset();  // what came meanwhile was the bootstrap's
        t.cpu().boot(0, *entry);
    }
    core::functional_place empty_caches(base::cycle_t now, core::functional_goal& goal) override {
        if (hierarchy) {
            std::vector<coherence::line_t> held;
            for (auto& t : tiles) {
                t->l2->each_line([&](coherence::line_t l) { held.push_back(l); });
                // The L3 is inclusive, but has other lines, too.
                if (t->l3)
                    t->l3->logic().logic().each_line(
                        [&](coherence::line_t l) { held.push_back(l); });
            }
            hierarchy->coherent.write_back(held);
            for (auto& t : tiles) t->empty_caches();
            hierarchy->between->reset(now);
        } else {
            for (auto& t : tiles) t->empty_caches();
        }
        const fast_forward_control& f = control.fast_forward;
        return {memory.data(), agent, goal, f.quantum, f.warm};
    }
    std::string why_timed() const override {
        for (const auto& t : tiles) {
            if (t->cpu().has_debugger()) return "a debugger is attached";
            if (t->l2 && !t->l2->each_line([](coherence::line_t) {}))
                return "an L2 does not know its lines";
        }
        return {};
    }
    void rest() override {
        if (hierarchy) hierarchy->aperture.close();
    }
    std::string why_not_saved() const {
        if (foreign) return "an L2 or a network is not the card's own";
        if (accessible() || owner.system.size() != 0) return "a host is connected";
        for (const auto& t : tiles)
            if (t->cpu().has_debugger()) return "a debugger is attached";
        if (agent.pending_from() != base::never) return "an access to a device is under way";
        return {};
    }
    void serialize(base::archive& a) {
        a.part("card");
        a(resets, schedule, fabric, registers, firmware);
        if (uart) a(*uart, *testdev);
        if (ports) a(*ports);
        if (hierarchy) hierarchy->between->serialize(a);
        if (monitor) a(*monitor);
        a.part("memory");
        a(memory, code);
        for (auto& t : tiles) {
            a.part(t->basename());
            a(*t);
        }
        a.part("end");
    }
    bool accessible() const override {
        return owner.mmio.size() != 0 || owner.aperture.size() != 0 || owner.reset.size() != 0;
    }
    bool waits_for_input() const override {
        return control.asleep && control.input_open() && uart &&
               uart->logic().receive_interrupt_enabled();
    }
    // The state that the card's bootstrap leaves, unless the reset pin is 1.
    void power_on() {
        firmware.wait_for_image(false);
        if (owner.reset.size() != 0 && owner.reset->read()) return;
        for (auto& t : tiles) t->cpu().enable_caches();
        if (boot)
            tiles[config.boot_core]->cpu().boot(0, *boot);
        else
            firmware.wait_for_image(true);
    }
    void reset(base::cycle_t now) override {
        ++resets;
        for (auto& t : tiles) t->reset();
        code.reset();
        if (hierarchy) {
            hierarchy->between->reset(now);
            hierarchy->aperture.reset();
        }
        agent.reset();
        fabric.reset();
        registers.reset();
        if (monitor) monitor->reset();
        if (uart) uart->reset();
        if (ports) ports->reset();
        power_on();
    }
    void begin_apart(bool shared) override {
        code.run_apart();
        leaving.kept = shared;
    }
    void end_apart() override {
        code.publish();
        if (!std::exchange(leaving.kept, false)) return;
        if (!leaving.any.load(std::memory_order_relaxed)) return;
        leaving.any.store(false, std::memory_order_relaxed);
        for (auto& o : outboxes) o->release();
        fabric.release();
    }
    void begin_sample() override {
        for (auto& t : tiles) t->begin_sample();
    }
    void sample() override {
        for (auto& t : tiles) t->sample();
        if (!all_sampled) return;
        if (hierarchy) hierarchy->between->sample();
        if (monitor) monitor->sample();
        devices.sample(device_parts(), schedule.now());
    }
    // Of all that belongs to no tile.
    void list_shared_signals(base::signal_list& list) const {
        const auto append = [&list](const base::signal_list& more) {
            list.insert(list.end(), more.begin(), more.end());
        };
        if (hierarchy) append(hierarchy->between->signals());
        if (monitor) append(monitor->signals("cmt"));
        devices.list_signals(device_parts(), list);
    }
    bool samples_tiles_only() const override { return !all_sampled; }
    device_probe::parts device_parts() const {
        return {
            registers,  agent,        fabric, firmware, hierarchy ? &hierarchy->aperture : nullptr,
            uart.get(), testdev.get()};
    }

    // The caches on a Pentium's bus learn of an access of the host to memory.
    void inquire(const tlm::tlm_generic_payload& p) {
        const std::uint64_t first = p.get_address(), size = p.get_data_length();
        if (!config.on_bus() || size > config.memory_size || first > config.memory_size - size)
            return;
        const bool write = p.is_write();
        for (auto& t : tiles) t->inquire(first, size, write);
        // The map of code takes what lies in one page.
        for (std::uint64_t at = first, end = first + size; write && at < end;) {
            const std::uint64_t next = std::min(end, (at | 0xfff) + 1);
            code.written(at, static_cast<unsigned>(next - at));
            at = next;
        }
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
    // core::diagnostics_if
    void model_error(const std::string& text) override { SC_REPORT_ERROR("model", text.c_str()); }
    void warn(const std::string& text) override {
        if (control.warning) control.warning(text);
    }
    void unsupported(const std::string& text) override {
        schedule.stop_now(stop_reason::unsupported, text);
    }

    // The memory system between the tiles' caches and the memory.
    struct memory_hierarchy {
        memory_hierarchy(impl& card, const parts& own)
            : hash(card.config.tiles, checked(card.config.uncore).controllers,
                   card.config.uncore.hash),
              between(make_network(card, own)),
              coherent("coherent", card.config.memory_size, *between, card.tiles, card.code),
              sbox_stop("sbox_stop"),
              aperture("host_aperture", card.clock, card.config.core.device_cycles,
                       card.config.sbox.host_line_cycles, hash) {
            coherent.store.bind(card.memory.target);
            sbox_stop.ring.bind(between->sbox());
        }
        std::unique_ptr<network> make_network(impl& card, const parts& own) {
            const network_place at{card.config, card.clock, hash, card.lines};
            if (own.make_network) return own.make_network(at);
            auto made = std::make_unique<uncore>(at, card);
            standard = made.get();
            return made;
        }
        void add(tile& t, unsigned n) {
            t.stop->ring.bind(between->tile(n));
            if (t.directory) standard->add(*t.directory);
            if (t.l3) standard->add(*t.l3);
        }
        coherence::network_if& clocked() const {
            return standard != nullptr ? standard->clocked() : *between;
        }
        void bind_sbox(impl& card) {
            card.agent.network->bind(sbox_stop.devices);
            aperture.network.bind(sbox_stop.l2);
            aperture.memory.bind(card.addresses.in);
            aperture.addresses.bind(card.addresses);
            aperture.errors.bind(card);
        }
        const coherence::address_hash hash;
        uncore* standard = nullptr;  // `between`, if it is the card's own network
        const std::unique_ptr<network> between;
        coherent_memory coherent;
        ring::stop sbox_stop;
        host_aperture aperture;
    };

    // The windows to the host's address space.
    static constexpr std::uint64_t host_window = 0x80'0000'0000,
                                   host_window_size =
                                       sbox::page_table::windows * sbox::page_table::window_bytes;

    card& owner;
    const parameters config;
    const run_control control;
    const bool foreign;  // parts of the user take the place of the card's
    const base::clock clock;
    isa::code_map code;
    memory::ram memory;
    ram_lines lines;
    departures leaving;
    std::vector<std::unique_ptr<outbox>> outboxes;  // of the tiles
    std::vector<std::unique_ptr<tile>> tiles;
    std::unique_ptr<memory_hierarchy> hierarchy;
    router addresses;
    device_agent agent;
    interrupt_fabric fabric;
    sbox::sbox registers;
    bootstrap firmware;
    scheduler schedule;
    std::unique_ptr<cmt> monitor;  // with cache monitoring
    std::unique_ptr<sbox::uart> uart;
    std::unique_ptr<sbox::testdev> testdev;
    std::unique_ptr<sbox::pc_ports> ports;
    tlm_utils::simple_initiator_socket<impl> host{"host_port"};
    tlm_utils::simple_initiator_socket_optional<impl> aperture{"aperture_port"};
    tlm_utils::simple_target_socket<impl> window{"host_window"};
    std::optional<isa::entry_point> boot;
    bool all_sampled = true;  // not only signals of tiles
    std::uint64_t resets = 0;
    device_probe devices;
};

card::card(sc_core::sc_module_name name, const parameters& p, run_control control, const parts& own)
    : sc_module(name), impl_(std::make_unique<impl>(*this, p, std::move(control), own)) {
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
    boot({eip, eax, ebx});
}
void card::boot(const isa::entry_point& e) {
    impl_->boot = e;
}

void card::input_ready() {
    if (impl_->uart) impl_->uart->input_ready();
}
base::cycle_t card::set_deadline(base::cycle_t at) {
    return impl_->schedule.set_deadline(at);
}
void card::request_attention(base::cycle_t at) {
    impl_->schedule.request_attention(at);
}

void card::request_observation(base::cycle_t at) {
    impl_->schedule.request_observation(at);
}

void card::set_trace_window(base::cycle_t from, base::cycle_t to) {
    impl_->schedule.set_trace_window(from, to);
}

bool card::sample_only(const base::signal_list& wanted) {
    std::set<const std::uint64_t*> values;
    for (const base::signal& s : wanted) values.insert(s.value);
    bool tiles_only = true;
    for (auto& t : impl_->tiles) tiles_only = t->sample_only(values) && tiles_only;
    base::signal_list others;
    impl_->list_shared_signals(others);
    impl_->all_sampled =
        !tiles_only || std::any_of(others.begin(), others.end(), [&](const base::signal& s) {
            return values.count(s.value) != 0;
        });
    return std::any_of(impl_->tiles.begin(), impl_->tiles.end(),
                       [](const auto& t) { return t->records_cycles(); });
}

void card::watch_overflows(std::function<bool(base::cycle_t)> f) {
    impl_->schedule.watch_overflows(std::move(f));
}

network_counts card::carried() const {
    return impl_->hierarchy ? impl_->hierarchy->between->counts() : network_counts{};
}

ring_counts card::ring() const {
    return impl_->hierarchy ? impl_->hierarchy->between->ring() : ring_counts{};
}

bool card::read_msr(std::size_t thread, std::uint32_t number, std::uint64_t& value) {
    if (impl_->monitor && impl_->monitor->read(thread, number, impl_->schedule.now(), value))
        return true;
    return (*this)[thread / tile::threads].cpu().read_msr(thread % tile::threads, number, value);
}

bool card::write_msr(std::size_t thread, std::uint32_t number, std::uint64_t value) {
    if (impl_->monitor && impl_->monitor->write(thread, number, impl_->schedule.now(), value))
        return true;
    return (*this)[thread / tile::threads].cpu().write_msr(thread % tile::threads, number, value);
}

void card::stop(const std::string& detail) {
    impl_->schedule.stop_now(stop_reason::user, detail);
}

const std::vector<fast_forward_record>& card::fast_forwards() const {
    return impl_->schedule.fast_forwards();
}
std::string card::why_not_saved() const {
    return impl_->why_not_saved();
}
void card::serialize(base::archive& a) {
    impl_->serialize(a);
}

const cmt* card::cache_monitor() const {
    return impl_->monitor.get();
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

void card::dump(std::ostream& out, core::code_names_if* names) const {
    write_conclusion(out, impl_->tiles, names);
    for (const auto& t : impl_->tiles) t->cpu().dump(out, names);
    if (impl_->hierarchy) write_misses(out, impl_->tiles, impl_->hierarchy->hash);
    write_messages(out, impl_->fabric, impl_->schedule.now());
}

void card::keep_profile(core::code_finder_if& f) {
    impl_->code.attach(f);
    for (const auto& t : impl_->tiles) t->cpu().keep_profile(f);
}

void card::attach(base::recorder_if& r, bool instructions) {
    impl_->fabric.attach(r);
    for (const auto& t : impl_->tiles) t->attach(r, instructions);
}

base::signal_list card::signals() const {
    base::signal_list list;
    for (std::size_t i = 0; i < impl_->tiles.size(); ++i)
        impl_->tiles[i]->list_signals(fmt::format("tile{}", i), list);
    impl_->list_shared_signals(list);
    return list;
}

void card::watch_line(std::uint64_t paddr) {
    for (const auto& t : impl_->tiles) t->watch_line(paddr / coherence::line_bytes);
}

void card::name_functions(core::function_numbers_if& f) {
    for (const auto& t : impl_->tiles) t->cpu().name_functions(f);
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
    impl_->inquire(p);
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
        host_transport(p, delay);
}

}  // namespace knc::card
