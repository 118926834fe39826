// The parts of a card, and what they ask of it.
//
// Models: the parts between the tiles and around them, the reset of all, the card as its scheduler
// sees it. Leaves out: how they are connected (card_wiring.cpp), accesses from and to the host
// (card_host.cpp), what users call (card.cpp). Source: docs/architecture.md.
#ifndef KNC_CARD_CARD_IMPL_H
#define KNC_CARD_CARD_IMPL_H

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <knc/card/bootstrap.h>
#include <knc/card/card.h>
#include <knc/card/cmt.h>
#include <knc/card/coherent_memory.h>
#include <knc/card/device_agent.h>
#include <knc/card/device_probe.h>
#include <knc/card/host_aperture.h>
#include <knc/card/interrupt_fabric.h>
#include <knc/card/outbox.h>
#include <knc/card/ram_lines.h>
#include <knc/card/router.h>
#include <knc/card/scheduler.h>
#include <knc/card/uncore.h>
#include <knc/memory/ram.h>
#include <knc/ring/stop.h>
#include <knc/sbox/pc_ports.h>
#include <knc/sbox/testdev.h>
#include <knc/sbox/uart.h>

namespace knc::card {

struct card::impl final : core::diagnostics_if,
                          card_if,
                          sbox::test_if,
                          sbox::line_if,
                          coherence::error_if {
    impl(card&, const parameters&, run_control, const parts&);

    void add_test_devices();

    void add_tile(std::uint16_t i, const parts& own);

    // See scheduler::lookaheads; 0 without caches. An interrupt message is arbitrated in a multiple
    // of it, and a device answers no earlier.
    base::cycle_t idle_lookahead() const;

    // The target for addresses of the memory.
    router::target_socket& memory_seen();

    // sbox::line_if
    void transmit(char c) override;
    std::optional<char> receive() override;
    // sbox::test_if
    void exit(std::uint32_t value) override { schedule.request_stop(stop_reason::firmware, value); }
    void marker(std::uint32_t number) override;
    void fast_forward(bool on) override { schedule.request_fast_forward(on); }

    // card_if
    void start() override { power_on(); }
    void start_image() override;
    core::functional_place empty_caches(base::cycle_t now, core::functional_goal& goal) override;
    std::string why_timed() const override;
    void rest() override;
    std::string why_not_saved() const;
    void serialize(base::archive& a);
    bool accessible() const override;
    bool waits_for_input() const override;
    // The state that the card's bootstrap leaves, unless the reset pin is 1.
    void power_on();
    void reset(base::cycle_t now) override;
    void begin_apart(bool shared, bool messages) override;
    void end_apart() override;
    void begin_sample() override;
    void sample() override;
    // Of all that belongs to no tile.
    void list_shared_signals(base::signal_list& list) const;
    // Whether its signals are wanted from now on.
    void watch_network(bool on) {
        if (hierarchy && hierarchy->standard != nullptr) hierarchy->standard->watch(on);
    }
    bool samples_tiles_only() const override { return !all_sampled; }
    device_probe::parts device_parts() const;

    // The caches on a Pentium's bus learn of an access of the host to memory.
    void inquire(const tlm::tlm_generic_payload& p);

    // The card's accesses to its host.
    void window_transport(tlm::tlm_generic_payload& p, sc_core::sc_time& delay);
    // Stops at the end of the window in which it starts.
    unsigned window_debug(tlm::tlm_generic_payload& p);

    // coherence::error_if
    void protocol_error(const std::string& text) override { model_error(text); }
    // core::diagnostics_if
    void model_error(const std::string& text) override { SC_REPORT_ERROR("model", text.c_str()); }
    void warn(const std::string& text) override;
    void unsupported(const std::string& text) override;

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
            const network_place at{
                card.config, card.clock, hash, card.lines,
                tile_runner::threads(card.config.tiles, card.control.host_threads)};
            if (own.make_network) return own.make_network(at);
            auto made = std::make_unique<uncore>(at, card);
            standard = made.get();
            return made;
        }
        void add(tile& t, unsigned n) {
            t.stop->ring.bind(between->tile(n));
            if (standard != nullptr) standard->add(t.l2->network_socket(), n);
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

}  // namespace knc::card

#endif
