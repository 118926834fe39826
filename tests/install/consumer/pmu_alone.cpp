// The PMU alone in a foreign design: programmed over TLM, fed by an event source of our own, its
// PMI line watched.
#include <systemc>

#include <knc/base/clock.h>
#include <knc/pmu/pmu.h>

#include "bus_master.h"

namespace {

using sc_core::SC_NS;
constexpr std::uint64_t ghz = 1'000'000'000;

// Raises one event every 10 ns and remembers nothing.
struct event_source : sc_core::sc_module {
    sc_core::sc_port<knc::pmu::event_sink_if> sink{"sink"};

    SC_HAS_PROCESS(event_source);
    explicit event_source(sc_core::sc_module_name name) : sc_module(name) { SC_THREAD(run); }
    void run() {
        for (int n = 0; n < 20; ++n) {
            wait(10, SC_NS);
            sink->raise(0, knc::base::branches);
        }
    }
};

struct bench : bus_master {
    sc_core::sc_in<bool> pmi{"pmi"};
    int edges = 0;
    sc_core::sc_time edge_at;

    SC_HAS_PROCESS(bench);
    explicit bench(sc_core::sc_module_name name) : bus_master(name) {
        SC_THREAD(run);
        SC_METHOD(on_pmi);
        sensitive << pmi.pos();
        dont_initialize();
    }
    void on_pmi() {
        ++edges;
        edge_at = sc_core::sc_time_stamp();
    }
    void run() {
        const std::uint64_t five_below = (1ull << 40) - 5;
        // BRANCHES, OS, INT, EN: events of thread 0, which is at CPL 0.
        expect(write(0x20, five_below, 8) == tlm::TLM_OK_RESPONSE, "write of IA32_PerfCntr0");
        expect(write(0x28, 0x520012, 8) == tlm::TLM_OK_RESPONSE, "write of IA32_PerfEvtSel0");
        expect(write(0x2F, 1, 8) == tlm::TLM_OK_RESPONSE, "write of IA32_PERF_GLOBAL_CTRL");
        expect(write(0x28, 1u << 19, 8) == tlm::TLM_COMMAND_ERROR_RESPONSE, "reserved bit refused");
        expect(write(0x2D, 0, 8) == tlm::TLM_COMMAND_ERROR_RESPONSE, "read-only register refused");
        expect(write(0x22, 0, 8) == tlm::TLM_COMMAND_ERROR_RESPONSE, "unknown MSR refused");

        wait(75, SC_NS);  // events at 10, 20 .. 70 ns: the fifth, at 50 ns, overflows
        std::uint64_t v = 0;
        expect(edges == 1, "one PMI edge");
        expect(edge_at >= sc_core::sc_time(50, SC_NS) && edge_at <= sc_core::sc_time(51, SC_NS),
               "edge in the clock of the fifth event");
        expect(pmi.read(), "line stays up");
        expect(read(0x2D, v, 8) == tlm::TLM_OK_RESPONSE && v == 1, "status bit 0");
        expect(read(0x20, v, 8) == tlm::TLM_OK_RESPONSE && v == 2,
               "two events beyond the overflow");
        expect(write(0x2E, 1, 8) == tlm::TLM_OK_RESPONSE, "status cleared");
        wait(5, SC_NS);
        expect(!pmi.read(), "line down when the status is");
        expect(edges == 1, "no other edge");
    }
};

}  // namespace

int sc_main(int, char**) {
    const knc::base::clock clock{ghz};
    knc::pmu::pmu pmu{"pmu", knc::pmu::parameters{}, clock};
    sc_core::sc_signal<bool> lines[knc::base::threads_per_core];
    event_source source{"source"};
    bench b{"bench"};
    b.socket.bind(pmu.msr);
    source.sink.bind(pmu.events);
    for (std::size_t t = 0; t < knc::base::threads_per_core; ++t) pmu.pmi_lines[t].bind(lines[t]);
    b.pmi.bind(lines[0]);
    sc_core::sc_start(1, sc_core::SC_US);
    return failures == 0 && b.edges == 1 ? 0 : 1;
}
