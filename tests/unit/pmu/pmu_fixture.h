// A PMU module bound to a scripted processor.
#ifndef KNC_TESTS_UNIT_PMU_PMU_FIXTURE_H
#define KNC_TESTS_UNIT_PMU_PMU_FIXTURE_H

#include <functional>
#include <ostream>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <tlm_utils/simple_initiator_socket.h>

#include <knc/base/access.h>
#include <knc/pmu/pmu.h>

#include "fixture.h"

namespace pmu_test {

using sc_core::sc_time;

inline sc_time ns(double n) {
    return {n, sc_core::SC_NS};
}

// Stands for a foreign processor: runs a script in a thread process and watches the lines.
struct processor : sc_core::sc_module {
    tlm_utils::simple_initiator_socket<processor> msr{"msr"};
    sc_core::sc_port<pmu::event_sink_if> events{"events"};
    sc_core::sc_vector<sc_core::sc_signal<bool>> lines{"line", 4};

    SC_HAS_PROCESS(processor);
    explicit processor(sc_core::sc_module_name name) : sc_module(name) {
        SC_THREAD(run);
        for (std::size_t t = 0; t < 4; ++t) {
            sc_core::sc_spawn_options on_change;
            on_change.spawn_method();
            on_change.dont_initialize();
            on_change.set_sensitivity(&lines[t]);
            sc_core::sc_spawn(
                [this, t] {
                    changes.push_back({t, lines[t].read(), sc_core::sc_time_stamp()});
                },
                sc_core::sc_gen_unique_name("watch"), &on_change);
        }
    }

    tlm::tlm_response_status access(tlm::tlm_command command, std::uint64_t address,
                                    std::uint64_t& value, unsigned thread = 0) {
        tlm::tlm_generic_payload p;
        fill(p, command, address, value);
        base::access by;
        by.thread = static_cast<std::uint8_t>(thread);
        by.cycle = base::clock(1'000'000'000).cycle(sc_core::sc_time_stamp());
        p.set_extension(&by);
        sc_time delay = sc_core::SC_ZERO_TIME;
        msr->b_transport(p, delay);
        p.clear_extension(&by);
        return p.get_response_status();
    }
    static void fill(tlm::tlm_generic_payload& p, tlm::tlm_command command, std::uint64_t address,
                     std::uint64_t& value) {
        p.set_command(command);
        p.set_address(address);
        p.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
        p.set_data_length(8);
        p.set_streaming_width(8);
        p.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    }
    void write(std::uint64_t address, std::uint64_t value, unsigned thread = 0) {
        EXPECT_EQ(access(tlm::TLM_WRITE_COMMAND, address, value, thread), tlm::TLM_OK_RESPONSE)
            << address;
    }
    std::uint64_t read(std::uint64_t address, unsigned thread = 0) {
        std::uint64_t value = ~std::uint64_t{0};
        EXPECT_EQ(access(tlm::TLM_READ_COMMAND, address, value, thread), tlm::TLM_OK_RESPONSE)
            << address;
        return value;
    }
    void arm(std::uint64_t select, std::uint64_t value, unsigned thread = 0, unsigned n = 0) {
        write(msr::cntr0 + n, value, thread);
        write(msr::evtsel0 + n, select | en, thread);
        write(msr::ctrl, read(msr::ctrl, thread) | base::bit(n), thread);
    }
    // Until `n` ns after the start.
    void until(double n) { wait(ns(n) - sc_core::sc_time_stamp()); }

    struct change {
        std::size_t thread;
        bool level;
        sc_time at;
        bool operator==(const change& o) const {
            return thread == o.thread && level == o.level && at == o.at;
        }
    };
    std::function<void()> script;
    std::vector<change> changes;

  private:
    void run() {
        if (script) script();
    }
};

inline std::ostream& operator<<(std::ostream& out, const processor::change& c) {
    return out << "line " << c.thread << (c.level ? " up " : " down ") << c.at;
}
using changes = std::vector<processor::change>;

// 1 GHz: clock n begins at n ns.
struct system_bench {
    explicit system_bench(const pmu::parameters& p = {})
        : pmu("pmu", p, base::clock(1'000'000'000)) {
        cpu.msr.bind(pmu.msr);
        cpu.events.bind(pmu.events);
        for (std::size_t t = 0; t < 4; ++t) pmu.pmi_lines[t].bind(cpu.lines[t]);
    }
    void run(double until, std::function<void()> script) {
        cpu.script = std::move(script);
        sc_core::sc_start(ns(until));
    }
    pmu::pmu pmu;
    processor cpu{"cpu"};
};

}  // namespace pmu_test

#endif
