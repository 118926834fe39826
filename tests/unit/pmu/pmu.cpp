// The SystemC module: sockets, lines, events in SystemC time.
#include <fstream>
#include <iterator>
#include <string>

#include "pmu_fixture.h"

namespace {

using namespace pmu_test;

TEST(pmu, msr_accesses) {
    system_bench s;
    s.run(10, [&] {
        s.cpu.write(msr::cntr0, 5, 0);
        s.cpu.write(msr::cntr0, 7, 3);
        EXPECT_EQ(s.cpu.read(msr::cntr0, 0), 5u);
        EXPECT_EQ(s.cpu.read(msr::cntr0, 3), 7u);
        s.cpu.until(8);
        EXPECT_EQ(s.cpu.read(msr::tsc), 8u);
    });
}

TEST(pmu, refused_accesses) {
    system_bench s;
    s.run(10, [&] {
        std::uint64_t value = 0x1234;
        const auto get = tlm::TLM_READ_COMMAND;
        const auto put = tlm::TLM_WRITE_COMMAND;
        const auto refused = tlm::TLM_COMMAND_ERROR_RESPONSE;
        EXPECT_EQ(s.cpu.access(get, 0x1B, value), refused);           // not of the PMU
        EXPECT_EQ(s.cpu.access(get, msr::ovf, value), refused);       // write-only
        EXPECT_EQ(s.cpu.access(get, 0x1'0000'0020, value), refused);  // no MSR number
        EXPECT_EQ(s.cpu.access(get, msr::cntr0, value, 4), refused);  // no such thread
        EXPECT_EQ(value, 0x1234u);                                    // data untouched
        EXPECT_EQ(s.cpu.access(put, msr::status, value), refused);    // read-only
        EXPECT_EQ(s.cpu.access(put, msr::ctrl, value = 4), refused);  // reserved bit
        EXPECT_EQ(s.cpu.read(msr::ctrl), 0u);
    });
}

TEST(pmu, malformed_accesses) {
    system_bench s;
    s.run(10, [&] {
        std::uint64_t value = 0;
        sc_time delay;
        tlm::tlm_generic_payload p;
        const auto answer = [&](unsigned length, unsigned width, unsigned char* enables) {
            processor::fill(p, tlm::TLM_READ_COMMAND, msr::cntr0, value);
            p.set_data_length(length);
            p.set_streaming_width(width);
            p.set_byte_enable_ptr(enables);
            p.set_byte_enable_length(enables == nullptr ? 0 : 8);
            s.cpu.msr->b_transport(p, delay);
            return p.get_response_status();
        };
        unsigned char enables[8] = {};
        EXPECT_EQ(answer(8, 8, nullptr), tlm::TLM_OK_RESPONSE);  // no extension: thread 0
        EXPECT_EQ(answer(4, 4, nullptr), tlm::TLM_BURST_ERROR_RESPONSE);
        EXPECT_EQ(answer(16, 16, nullptr), tlm::TLM_BURST_ERROR_RESPONSE);
        EXPECT_EQ(answer(8, 4, nullptr), tlm::TLM_BURST_ERROR_RESPONSE);
        EXPECT_EQ(answer(8, 8, enables), tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
        p.set_byte_enable_ptr(nullptr);
        p.set_command(tlm::TLM_IGNORE_COMMAND);
        s.cpu.msr->b_transport(p, delay);
        EXPECT_EQ(p.get_response_status(), tlm::TLM_OK_RESPONSE);
        EXPECT_FALSE(p.is_dmi_allowed());
    });
}

TEST(pmu, an_access_ahead_of_time_waits_for_its_clock) {
    system_bench s;
    s.run(100, [&] {
        std::uint64_t value = 0;
        tlm::tlm_generic_payload p;
        processor::fill(p, tlm::TLM_READ_COMMAND, msr::tsc, value);
        sc_time delay = ns(20);
        s.cpu.msr->b_transport(p, delay);
        EXPECT_EQ(value, 20u);
        EXPECT_EQ(sc_core::sc_time_stamp(), ns(20));
        EXPECT_EQ(delay, sc_core::SC_ZERO_TIME);
        base::access by;
        by.cycle = 30;
        p.set_extension(&by);
        s.cpu.msr->b_transport(p, delay);
        p.clear_extension(&by);
        EXPECT_EQ(value, 30u);
        EXPECT_EQ(sc_core::sc_time_stamp(), ns(30));
    });
}

TEST(pmu, debug_accesses) {
    system_bench s;
    s.run(10, [&] {
        s.cpu.write(msr::cntr1, 9);
        std::uint64_t value = 0;
        tlm::tlm_generic_payload p;
        processor::fill(p, tlm::TLM_READ_COMMAND, msr::cntr1, value);
        EXPECT_EQ(s.cpu.msr->transport_dbg(p), 8u);
        EXPECT_EQ(value, 9u);
        p.set_address(msr::ovf);
        EXPECT_EQ(s.cpu.msr->transport_dbg(p), 0u);
        p.set_address(msr::cntr1);
        p.set_command(tlm::TLM_WRITE_COMMAND);
        value = 1;
        EXPECT_EQ(s.cpu.msr->transport_dbg(p), 0u);  // debug writes are refused
        EXPECT_EQ(s.cpu.read(msr::cntr1), 9u);
    });
}

TEST(pmu, overflow_raises_the_line_when_the_clock_ends) {
    system_bench s;
    s.run(20, [&] {
        s.cpu.arm(instructions | os | intr, top - 2, 1);
        s.cpu.until(5.3);
        s.cpu.events->raise(1, base::instructions_executed, 2);
        s.cpu.until(7.6);
        s.cpu.events->raise(0, base::instructions_executed);
        s.cpu.events->raise(1, base::instructions_executed);
        s.cpu.until(12);
        EXPECT_EQ(s.cpu.read(msr::status, 1), 1u);
        s.cpu.write(msr::ovf, 1, 1);
    });
    EXPECT_EQ(s.cpu.changes, (changes{{1, true, ns(8)}, {1, false, ns(12)}}));
}

TEST(pmu, durations_overflow_at_their_clock_without_stepping) {
    system_bench s;
    s.run(2000, [&] {
        s.cpu.arm(unhalted | os | intr, top - 999, 2);                 // 1000 clocks to go
        s.cpu.arm(instructions | os | inv | cmask(1), top - 1499, 0);  // 1500 clocks without one
        s.cpu.until(10);
        s.cpu.events->set_execution_stage(2);
        s.cpu.events->hold_core(base::cpu_clk_unhalted, true);
        s.cpu.until(11.5);
        // Nothing is due before 1000 clocks have passed: at the earliest those since the start.
        EXPECT_GE(sc_core::sc_time_to_pending_activity(), ns(980));
        s.cpu.until(1010);
        EXPECT_EQ(s.cpu.read(msr::cntr0, 2), 0u);
        s.cpu.events->hold_core(base::cpu_clk_unhalted, false);
        s.cpu.until(1499);
        EXPECT_EQ(s.cpu.read(msr::cntr0), top);
        s.cpu.until(1500);
        EXPECT_EQ(s.cpu.read(msr::status), 1u);
        EXPECT_EQ(s.cpu.read(msr::cntr0, 2), 0u);  // halted since 1010
    });
    EXPECT_EQ(s.cpu.changes, (changes{{2, true, ns(1010)}}));
    EXPECT_EQ(s.pmu.ledger().total(1, base::cpu_clk_unhalted), 1000u);  // in every thread's row
}

TEST(pmu, an_idle_pmu_needs_no_activity) {
    system_bench s;
    s.run(5, [&] { s.cpu.arm(instructions | os | intr, 0); });
    EXPECT_FALSE(sc_core::sc_pending_activity());
}

TEST(pmu, edges_of_durations) {
    system_bench s;
    s.run(100, [&] {
        s.cpu.arm(microcode | os | edge | intr, top - 1);  // two rises to go
        for (double rise : {10, 30, 50}) {
            s.cpu.until(rise);
            s.cpu.events->hold(0, base::microcode_cycles, true);
            s.cpu.until(rise + 5);
            s.cpu.events->hold(0, base::microcode_cycles, false);
        }
    });
    EXPECT_EQ(s.cpu.changes, (changes{{0, true, ns(31)}}));  // clock 30 is over
}

TEST(pmu, privilege_and_spflt) {
    system_bench s;
    s.run(100, [&] {
        s.cpu.arm(microcode | usr, 0, 0, 0);
        s.cpu.arm(microcode | os, 0, 0, 1);
        s.cpu.write(msr::spflt, 2);
        s.cpu.events->hold(0, base::microcode_cycles, true);
        s.cpu.until(10);
        s.cpu.events->set_privilege(0, base::user);
        s.cpu.until(15);
        s.cpu.events->set_privilege(0, base::supervisor);
        s.cpu.until(20);
        s.cpu.events->spflt(0, true);
        s.cpu.until(27);
        s.cpu.events->spflt(0, false);
        s.cpu.until(40);
        EXPECT_EQ(s.cpu.read(msr::cntr0), 5u);  // clocks 10-14
        EXPECT_EQ(s.cpu.read(msr::cntr1), 7u);  // clocks 20-26
    });
}

TEST(pmu, contextless_overflow_pulses_the_line_of_the_execution_stage) {
    system_bench s;
    s.run(30, [&] {
        s.cpu.arm(snoop_hit_l2 | os | intr, top, 0);
        s.cpu.arm(snoop_hit_l2 | os | intr, top - 1, 1);
        s.cpu.events->set_execution_stage(3);
        s.cpu.until(10);
        s.cpu.events->raise_core(base::snp_hit_l2);  // counter of thread 0
        s.cpu.until(11);
        s.cpu.events->raise(2, base::snp_hit_l2);  // has no thread: counter of thread 1
    });
    // Two clocks in succession: two edges.
    EXPECT_EQ(
        s.cpu.changes,
        (changes{
            {3, true, ns(11)}, {3, false, ns(11.5)}, {3, true, ns(12)}, {3, false, ns(12.5)}}));
}

TEST(pmu, reset_lowers_the_lines) {
    system_bench s;
    s.run(30, [&] {
        s.cpu.arm(instructions | os | intr, top);
        s.cpu.until(10);
        s.cpu.events->raise(0, base::instructions_executed);
        s.cpu.until(20);
        s.pmu.reset();
        EXPECT_EQ(s.cpu.read(msr::status), 0u);
        s.cpu.until(25);
        EXPECT_EQ(s.cpu.read(msr::tsc), 5u);
    });
    EXPECT_EQ(s.cpu.changes, (changes{{0, true, ns(11)}, {0, false, ns(20)}}));
}

TEST(pmu, wrong_events_are_errors) {
    system_bench s;
    sc_core::sc_report_handler::set_actions("knc/pmu", sc_core::SC_DO_NOTHING);
    s.run(10, [&] {
        s.cpu.events->raise(4, base::instructions_executed);
        s.cpu.events->raise(0, base::event_count);
        s.cpu.events->raise_core(base::instructions_executed);
        s.cpu.events->set_privilege(4, base::user);
    });
    EXPECT_EQ(sc_core::sc_report_handler::get_count("knc/pmu"), 4);
    for (std::size_t t = 0; t < 4; ++t) {
        EXPECT_EQ(s.pmu.ledger().total(t, base::instructions_executed), 0u);
    }
}

TEST(pmu, driven_by_a_core) {
    base::ledger ledger;
    pmi_record record;
    pmu::knc_front_end registers{pmu::parameters{}};
    pmu::pmu pmu("pmu", registers, false, base::clock(1'000'000'000), ledger);  // lines unbound
    pmu.listener.bind(record);
    processor cpu("cpu");
    cpu.msr.bind(pmu.msr);
    cpu.events.bind(pmu.events);
    cpu.script = [&] {
        cpu.arm(instructions | os | intr, top);
        ledger.raise(0, base::instructions_executed);
        pmu.counters().settle(1000);  // far ahead of SystemC time
        EXPECT_EQ(cpu.read(msr::status), 1u);
        EXPECT_EQ(cpu.read(msr::tsc), 1000u);
        sc_core::sc_report_handler::set_actions("knc/pmu", sc_core::SC_DO_NOTHING);
        cpu.events->raise(0, base::instructions_executed);
        EXPECT_EQ(ledger.total(0, base::instructions_executed), 1u);
        pmu.sample();
        for (const base::signal& signal : pmu.signals("tile0.pmu")) {
            if (signal.name != "tile0.pmu.t0.status") continue;
            EXPECT_EQ(signal.width, 2u);
            EXPECT_EQ(*signal.value, 1u);
        }
    };
    sc_core::sc_start(ns(10));
    EXPECT_EQ(record.seen, (pmis{{0, 1000}}));
    EXPECT_EQ(sc_core::sc_report_handler::get_count("knc/pmu"), 1);
}

// A core's access with the count of its instruction: base::access::retires.
struct counted_bench {
    base::ledger ledger;
    pmi_record record;
    pmu::knc_front_end registers{pmu::parameters{}};
    pmu::pmu pmu{"pmu", registers, false, base::clock(1'000'000'000), ledger};
    processor cpu{"cpu"};
    base::access by;

    counted_bench() {
        pmu.listener.bind(record);
        cpu.msr.bind(pmu.msr);
        cpu.events.bind(pmu.events);
    }
    // The instruction is complete at clock `cycle`.
    base::access& counted(cycle_t cycle) {
        by.cycle = cycle;
        by.retires = &ledger.counts[0][base::supervisor][base::instructions_executed];
        return by;
    }
    tlm::tlm_response_status access(tlm::tlm_command command, std::uint64_t address,
                                    std::uint64_t& value, cycle_t cycle) {
        tlm::tlm_generic_payload p;
        processor::fill(p, command, address, value);
        p.set_extension(&counted(cycle));
        sc_time delay = sc_core::SC_ZERO_TIME;
        cpu.msr->b_transport(p, delay);
        p.clear_extension(&by);
        return p.get_response_status();
    }
    std::uint64_t instructions_so_far() const {
        return ledger.total(0, base::instructions_executed);
    }
};

TEST(pmu, an_accepted_access_is_counted_before_its_effect) {
    counted_bench b;
    b.cpu.script = [&] {
        b.cpu.arm(instructions | os, 0);
        std::uint64_t value = 0;
        // The RDMSR finds itself counted.
        EXPECT_EQ(b.access(tlm::TLM_READ_COMMAND, msr::cntr0, value, 10), tlm::TLM_OK_RESPONSE);
        EXPECT_EQ(value, 1u);
        EXPECT_EQ(b.by.retires, nullptr);
        EXPECT_EQ(b.pmu.counters().settled(), 10u);
        // So does RDPMC.
        EXPECT_TRUE(b.pmu.core->rdpmc(b.counted(20), 0, value));
        EXPECT_EQ(value, 2u);
        EXPECT_EQ(b.pmu.counters().settled(), 20u);
        // The WRMSR that stops the counter is counted, the one that starts it is not.
        value = 0;
        EXPECT_EQ(b.access(tlm::TLM_WRITE_COMMAND, msr::ctrl, value, 30), tlm::TLM_OK_RESPONSE);
        EXPECT_EQ(b.cpu.read(msr::cntr0), 3u);
        value = 1;
        EXPECT_EQ(b.access(tlm::TLM_WRITE_COMMAND, msr::ctrl, value, 40), tlm::TLM_OK_RESPONSE);
        EXPECT_EQ(b.cpu.read(msr::cntr0), 3u);
        // The same for SPFLT: counter 0 is under its control, and runs until the preference ends.
        b.cpu.write(msr::spflt, base::bit(63) | 1);
        b.pmu.core->spflt(b.counted(50), false);
        EXPECT_EQ(b.cpu.read(msr::cntr0), 4u);
        b.pmu.core->spflt(b.counted(60), true);
        EXPECT_EQ(b.cpu.read(msr::cntr0), 4u);
        EXPECT_EQ(b.instructions_so_far(), 6u);
    };
    sc_core::sc_start(ns(10));
}

TEST(pmu, a_refused_access_is_not_counted) {
    counted_bench b;
    b.cpu.script = [&] {
        b.cpu.arm(instructions | os, 0);
        std::uint64_t value = 4;  // reserved bit
        const auto refused = tlm::TLM_COMMAND_ERROR_RESPONSE;
        EXPECT_EQ(b.access(tlm::TLM_WRITE_COMMAND, msr::ctrl, value, 10), refused);
        EXPECT_NE(b.by.retires, nullptr);
        EXPECT_EQ(b.access(tlm::TLM_READ_COMMAND, msr::ovf, value, 10), refused);
        EXPECT_EQ(b.access(tlm::TLM_READ_COMMAND, 0x22, value, 10), refused);
        EXPECT_FALSE(b.pmu.core->rdpmc(b.counted(10), 2, value));
        EXPECT_NE(b.by.retires, nullptr);
        EXPECT_EQ(b.instructions_so_far(), 0u);
        EXPECT_EQ(b.pmu.counters().settled(), 0u);
    };
    sc_core::sc_start(ns(10));
}

// The PMI of an access's own count comes before the access's effect.
TEST(pmu, the_count_of_an_access_may_overflow_the_counter) {
    counted_bench b;
    b.cpu.script = [&] {
        b.cpu.arm(instructions | os | intr, top);
        std::uint64_t value = 0;
        EXPECT_EQ(b.access(tlm::TLM_READ_COMMAND, msr::status, value, 10), tlm::TLM_OK_RESPONSE);
        EXPECT_EQ(value, 1u);
        EXPECT_EQ(b.record.seen, (pmis{{0, 10}}));
    };
    sc_core::sc_start(ns(10));
}

TEST(pmu, waveform) {
    const std::string base_name = testing::TempDir() + "knc_pmu_waveform";
    {
        system_bench s;
        sc_core::sc_trace_file* file = sc_core::sc_create_vcd_trace_file(base_name.c_str());
        file->set_time_unit(1, sc_core::SC_PS);
        s.pmu.trace(file, "pmu");
        s.run(10, [&] {
            s.cpu.arm(instructions | os, 0x55);
            for (double t : {3, 4, 6}) {
                s.cpu.until(t);
                s.cpu.events->raise(0, base::instructions_executed);
            }
        });
        sc_core::sc_close_vcd_trace_file(file);
    }
    std::ifstream in(base_name + ".vcd");
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    EXPECT_NE(text.find("cntr0"), std::string::npos);
    // 0x55 to 0x58, each at the clock after its event.
    for (const char* value : {"#4000\nb1010110 ", "#5000\nb1010111 ", "#7000\nb1011000 "}) {
        EXPECT_NE(text.find(value), std::string::npos) << value << "\n" << text;
    }
}

}  // namespace
