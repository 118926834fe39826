// A system of a host, two cards with clocks of their own, and a foreign core with a PMU and a local
// APIC: docs/integration.md, "An example: a host and two cards".
//
//   soc [BZIMAGE [COMMAND LINE]]
//
// With a kernel's bzImage there is a third card, on which it is booted.
#include <cstdio>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <systemc>

#include <knc/card/card.h>
#include <knc/card/snapshot.h>
#include <knc/monitor/metric.h>
#include <knc/monitor/rows.h>

#include "foreign_core.h"
#include "host.h"
#include "host_memory.h"
#include "image_host.h"
#include "transcript.h"

namespace {

// A card with its place in the system.
struct card_in_slot {
    card_in_slot(const char* name, const knc::card::parameters& p, const knc::card::run_control& c,
                 slot& s)
        : card(name, p, c),
          interrupt((std::string{name} + "_interrupt").c_str()),
          reset((std::string{name} + "_reset").c_str()) {
        s.memory.bind(card.aperture);
        s.registers.bind(card.mmio);
        s.debugger.bind(card.host);
        card.host_interrupt.bind(interrupt);
        s.interrupt.bind(interrupt);
        card.reset.bind(reset);
        s.reset.bind(reset);
    }
    knc::card::card card;
    sc_core::sc_signal<bool> interrupt, reset;
};

knc::card::parameters parameters(std::uint32_t tiles, std::uint64_t clock_hz) {
    knc::card::parameters p;
    p.tiles = tiles;
    p.clock_hz = clock_hz;
    return p;
}

std::optional<std::string> read_file(const char* path) {
    std::ifstream in{path, std::ios::binary};
    std::string bytes{std::istreambuf_iterator<char>{in}, {}};
    if (in.is_open() && !in.bad()) return bytes;
    std::fprintf(stderr, "%s: cannot be read\n", path);
    return {};
}

// What a monitor shows of the whole run.
void report(const knc::card::card& c) {
    namespace monitor = knc::monitor;
    const monitor::platform_shape shape = knc::card::shape_of(c);
    const monitor::row row =
        monitor::card_row(shape, monitor::start_of(shape), knc::card::snapshot_of(c));
    const auto value = [&](const char* metric) {
        return *monitor::find_metric(metric)->value(row, shape.clock_hz);
    };
    const std::uint64_t instructions = row.count[knc::base::instructions_executed];
    expect_equal(instructions, c.instructions(), "the monitor's instructions");
    std::printf("%s: %u tile(s) of %.1f MHz, %llu instructions, IPC %.3f, EXEC %.3f\n", c.name(),
                shape.tiles, static_cast<double>(shape.clock_hz) / 1e6,
                static_cast<unsigned long long>(instructions), value("IPC"), value("EXEC"));
}

}  // namespace

int sc_main(int argc, char** argv) {
    host_memory memory{"host_memory"};
    host h{"host", memory};
    foreign_core other{"foreign"};

    // The simulation ends when all cards have.
    const int cards = argc > 1 ? 3 : 2;
    int over = 0;
    const auto control = [&over, cards](const char* name) {
        knc::card::run_control c;
        c.ended = [&over, cards, name] {
            say(name, "has ended its run");
            if (++over == cards) sc_core::sc_stop();
        };
        return c;
    };
    card_in_slot first{"card0", parameters(1, 1'100'000'000), control("card0"), h.slot0};
    card_in_slot second{"card1", parameters(2, 1'238'000'000), control("card1"), h.slot1};
    first.card.system.bind(memory.port_of[0].socket);
    second.card.system.bind(memory.port_of[1].socket);
    first.card.boot(card_program::entry());
    second.card.boot(card_program::entry());

    std::unique_ptr<image_host> booter;
    std::unique_ptr<card_in_slot> third;
    if (argc > 1) {
        const auto image = read_file(argv[1]);
        if (!image) return 2;
        booter = std::make_unique<image_host>("booter", *image, argc > 2 ? argv[2] : "");
        knc::card::run_control c = control("card2");
        c.console = [line = std::string{}](char ch) mutable {
            if (ch != '\n') {
                line += ch;
                return;
            }
            say("card2", "writes: " + line);
            line.clear();
        };
        third =
            std::make_unique<card_in_slot>("card2", parameters(1, 1'053'000'000), c, booter->card);
    }
    // No line of SystemC's own between ours.
    sc_core::sc_report_handler::set_actions("/OSCI/SystemC", sc_core::SC_DO_NOTHING);
    sc_core::sc_start();

    expect(h.done, "the host came to its end");
    expect(other.done, "the foreign core came to its end");
    expect(over == cards, "all cards have ended their runs");
    for (const auto& [c, code] : {std::pair{&first.card, 40u}, std::pair{&second.card, 41u}}) {
        expect(c->result().reason == knc::card::stop_reason::firmware, "ended by its program");
        expect_equal(c->result().code, code, "the exit code");
    }
    // Each fourth instruction is a branch. The core sees an interrupt two instructions after the
    // branch that causes it.
    expect(other.taken_at_branch == std::vector<std::uint64_t>{250, 500, 750},
           "an interrupt for each 250 branches");
    expect_equal(other.instructions, 750 * 4 + 2, "the foreign core's instructions");
    expect_equal(other.counted, other.instructions, "the PMU's count of instructions");
    report(first.card);
    report(second.card);
    if (third) {
        expect(booter->started, "the image was started");
        expect(third->card.result().reason == knc::card::stop_reason::firmware,
               "ended by the kernel");
        expect_equal(third->card.result().code, 0, "the kernel's exit code");
        report(third->card);
    }
    return failures == 0 ? 0 : 1;
}
