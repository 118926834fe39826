// The SystemC module: register page and messages over TLM, driven by a core and by itself.

#include <array>
#include <cstring>

#include <knc/apic/apic.h>
#include <knc/base/access.h>

#include "fixture.h"

namespace apic_test {

using sc_core::SC_NS;
using sc_core::sc_time;

// The rest of the system: register accesses and the interrupt fabric, both by hand.
struct outside : sc_core::sc_module {
    tlm_utils::simple_initiator_socket<outside> mmio{"mmio"}, to_apic{"to_apic"};
    tlm_utils::simple_target_socket<outside> from_apic{"from_apic"};
    sc_core::sc_port<processor_if, 1, sc_core::SC_ZERO_OR_MORE_BOUND> cpu{"cpu"};

    struct seen {
        std::uint64_t address;
        interrupt_message m;
        cycle_t cycle;
        sc_time when;
    };
    std::vector<seen> log;

    explicit outside(sc_core::sc_module_name n) : sc_module(n) {
        from_apic.register_b_transport(this, &outside::fabric_transport);
    }
    void fabric_transport(tlm::tlm_generic_payload& t, sc_time& delay) {
        std::uint64_t coded = 0;
        ASSERT_EQ(t.get_data_length(), sizeof coded);
        std::memcpy(&coded, t.get_data_ptr(), sizeof coded);
        const auto* who = t.get_extension<knc::base::access>();
        ASSERT_NE(who, nullptr);
        log.push_back(
            {t.get_address(), decode(coded), who->cycle, sc_core::sc_time_stamp() + delay});
        t.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);  // nobody there: must not matter
    }
    // `cycle`: of the access extension; none if negative.
    tlm::tlm_response_status access(tlm_utils::simple_initiator_socket<outside>& socket,
                                    tlm::tlm_command command, std::uint64_t address, void* data,
                                    unsigned size, std::int64_t cycle = -1,
                                    sc_time delay = sc_core::SC_ZERO_TIME) {
        tlm::tlm_generic_payload t;
        knc::base::access who;
        who.cycle = static_cast<cycle_t>(cycle);
        t.set_command(command);
        t.set_address(address);
        t.set_data_ptr(static_cast<unsigned char*>(data));
        t.set_data_length(size);
        t.set_streaming_width(size);
        t.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
        if (cycle >= 0) t.set_extension(&who);
        socket->b_transport(t, delay);
        if (cycle >= 0) t.clear_extension(&who);
        return t.get_response_status();
    }
    std::uint32_t read(std::uint32_t offset) {
        std::uint32_t v = 0xDEADBEEF;
        EXPECT_EQ(access(mmio, tlm::TLM_READ_COMMAND, offset, &v, 4), tlm::TLM_OK_RESPONSE);
        return v;
    }
    void write(std::uint32_t offset, std::uint32_t v) {
        EXPECT_EQ(access(mmio, tlm::TLM_WRITE_COMMAND, offset, &v, 4), tlm::TLM_OK_RESPONSE);
    }
    void deliver(const interrupt_message& m, std::int64_t cycle = -1,
                 sc_time delay = sc_core::SC_ZERO_TIME) {
        std::uint64_t coded = encode(m);
        EXPECT_EQ(
            access(to_apic, tlm::TLM_WRITE_COMMAND, fabric::interrupt, &coded, 8, cycle, delay),
            tlm::TLM_OK_RESPONSE);
    }
};

struct bench {
    outside rest{"rest"};
    apic model;
    explicit bench(drive d)
        : model("apic", parameters{}, 5, true, knc::base::clock(1'000'000'000), d) {
        rest.mmio.bind(model.mmio);
        rest.to_apic.bind(model.bus_in);
        model.bus_out.bind(rest.from_apic);
    }
};

TEST(module, register_page_over_tlm) {
    bench b(drive::core);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    b.rest.write(reg::svr, 0x1FF);
    b.rest.write(reg::lvt_pmc, 0x000400);
    EXPECT_EQ(b.rest.read(reg::lvt_pmc), 0x400u);
    EXPECT_EQ(b.rest.read(reg::id), 5u << 23);
    EXPECT_EQ(b.rest.read(0x040), 0u);  // reserved: reads 0, noted in the ESR
    b.rest.write(reg::esr, 0);
    EXPECT_EQ(b.rest.read(reg::esr), 0x80u);
}

TEST(module, refuses_other_accesses) {
    bench b(drive::core);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    std::uint64_t v = 0;
    const auto read = [&](std::uint64_t address, unsigned size) {
        return b.rest.access(b.rest.mmio, tlm::TLM_READ_COMMAND, address, &v, size);
    };
    for (unsigned size : {1u, 2u, 8u}) {
        b.rest.write(reg::esr, 0);
        EXPECT_EQ(read(reg::svr, size), tlm::TLM_BURST_ERROR_RESPONSE) << size;
        b.rest.write(reg::esr, 0);
        EXPECT_EQ(b.rest.read(reg::esr), 0x80u) << size;
    }
    EXPECT_EQ(read(reg::svr + 4, 4), tlm::TLM_BURST_ERROR_RESPONSE);
    EXPECT_EQ(read(0x1000, 4), tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(b.rest.access(b.rest.mmio, tlm::TLM_WRITE_COMMAND, reg::tpr, &v, 8),
              tlm::TLM_BURST_ERROR_RESPONSE);
    unsigned char enables = 0xFF;
    tlm::tlm_generic_payload t;
    t.set_read();
    t.set_address(reg::svr);
    t.set_data_ptr(reinterpret_cast<unsigned char*>(&v));
    t.set_data_length(4);
    t.set_streaming_width(4);
    t.set_byte_enable_ptr(&enables);
    t.set_byte_enable_length(1);
    sc_time delay;
    b.rest.mmio->b_transport(t, delay);
    EXPECT_EQ(t.get_response_status(), tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
}

TEST(module, debug_access_reads_any_bytes_and_changes_nothing) {
    bench b(drive::core);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    b.rest.write(reg::svr, 0x1A5);
    std::array<unsigned char, 0x20> data{};
    tlm::tlm_generic_payload t;
    t.set_read();
    t.set_address(reg::dfr + 2);
    t.set_data_ptr(data.data());
    t.set_data_length(data.size());
    EXPECT_EQ(b.rest.mmio->transport_dbg(t), data.size());
    EXPECT_EQ(data[0], 0xFF);    // DFR byte 2
    EXPECT_EQ(data[2], 0x00);    // between registers
    EXPECT_EQ(data[0xE], 0xA5);  // SVR byte 0
    EXPECT_EQ(data[0xF], 0x01);
    t.set_address(0xFF0);
    EXPECT_EQ(b.rest.mmio->transport_dbg(t), 0x10u);  // up to the end of the page
    t.set_write();
    t.set_address(reg::svr);
    EXPECT_EQ(b.rest.mmio->transport_dbg(t), 0u);
    EXPECT_EQ(b.rest.read(reg::svr), 0x1A5u);
    b.rest.write(reg::esr, 0);
    EXPECT_EQ(b.rest.read(reg::esr), 0u);
}

TEST(module, time_does_not_go_back_behind_an_access_that_was_ahead) {
    bench b(drive::core);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    b.rest.write(reg::initial_count, 1000);  // at clock 0, divided by 2
    std::uint32_t v = 0;
    b.rest.access(b.rest.mmio, tlm::TLM_READ_COMMAND, reg::id, &v, 4, 400);
    // SystemC time is still 0, but the APIC has seen clock 400: 200 counts have passed.
    tlm::tlm_generic_payload t;
    t.set_read();
    t.set_address(reg::current_count);
    t.set_data_ptr(reinterpret_cast<unsigned char*>(&v));
    t.set_data_length(4);
    EXPECT_EQ(b.rest.mmio->transport_dbg(t), 4u);
    EXPECT_EQ(v, 800u);
    EXPECT_EQ(b.rest.read(reg::current_count), 800u);
}

TEST(module, core_driven_messages_wait_for_the_clock_they_carry) {
    bench b(drive::core);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    local_apic& u = b.model.logic();
    u.write(reg::svr, 0x1FF, 0);
    b.rest.deliver(fixed(0x41), 700);
    b.rest.deliver(fixed(0x42), -1, sc_time(900, SC_NS));  // 1 GHz: clock 900
    EXPECT_EQ(u.next_event(), 700u);
    sc_core::sc_start(2000, SC_NS);  // SystemC time does not drive it
    EXPECT_FALSE(u.pending());
    u.advance(700);
    EXPECT_EQ(u.acknowledge(700), 0x41);
    EXPECT_EQ(u.next_event(), 900u);
}

TEST(module, messages_leave_with_their_clock) {
    bench b(drive::core);
    sc_core::sc_start(100, SC_NS);
    local_apic& u = b.model.logic();
    u.write(reg::svr, 0x1FF, 150);
    u.write(reg::icr_high, 0x00070000, 150);
    u.write(reg::icr_low, 0x4041, 160);
    interrupt_message level = fixed(0x91);
    level.level_triggered = true;
    u.receive(level, 170);
    u.acknowledge(170);
    u.write(reg::eoi, 0, 180);
    ASSERT_EQ(b.rest.log.size(), 2u);
    EXPECT_EQ(b.rest.log[0].address, fabric::interrupt);
    EXPECT_EQ(b.rest.log[0].m.destination, 7);
    EXPECT_EQ(b.rest.log[0].m.source_id, 5);
    EXPECT_EQ(b.rest.log[0].cycle, 160u);
    EXPECT_EQ(b.rest.log[0].when,
              sc_time(160, SC_NS));  // annotated for whoever ignores the extension
    EXPECT_EQ(b.rest.log[1].address, fabric::eoi);
    EXPECT_EQ(b.rest.log[1].m.vector, 0x91);
    EXPECT_EQ(b.rest.log[1].cycle, 180u);
}

TEST(module, refuses_other_messages) {
    bench b(drive::core);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    std::uint64_t v = 0x4041;
    EXPECT_EQ(b.rest.access(b.rest.to_apic, tlm::TLM_WRITE_COMMAND, fabric::interrupt, &v, 4),
              tlm::TLM_BURST_ERROR_RESPONSE);
    EXPECT_EQ(b.rest.access(b.rest.to_apic, tlm::TLM_READ_COMMAND, fabric::interrupt, &v, 8),
              tlm::TLM_BURST_ERROR_RESPONSE);
    EXPECT_EQ(b.rest.access(b.rest.to_apic, tlm::TLM_WRITE_COMMAND, 0x100, &v, 8),
              tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(b.model.logic().next_event(), never);
}

TEST(module, everything_may_stay_unbound) {
    apic alone("alone", parameters{}, 5, true, knc::base::clock(1'000'000'000), drive::self);
    sc_core::sc_start(10, SC_NS);
    alone.logic().write(reg::svr, 0x1FF, 10);
    alone.logic().write(reg::icr_low, 0xC4041, 10);  // a message with nowhere to go
    EXPECT_FALSE(alone.logic().pending());
}

// Driven by itself: a processor model of another system, which is the test.
struct free_bench : bench {
    sc_core::sc_signal<bool> pmi{"pmi"}, lint1{"lint1"}, thermal{"thermal"};
    sc_core::sc_signal<bool> intr{"intr"}, nmi{"nmi"}, init{"init"}, startup{"startup"};
    free_bench() : bench(drive::self) {
        model.pmi.bind(pmi);
        model.lint1.bind(lint1);
        model.thermal.bind(thermal);
        model.intr.bind(intr);
        model.nmi.bind(nmi);
        model.init.bind(init);
        model.startup.bind(startup);
        rest.cpu.bind(model.processor);
        sc_core::sc_start(100, SC_NS);
        rest.write(reg::svr, 0x1FF);
    }
    void run(double ns) { sc_core::sc_start(ns, SC_NS); }
};

TEST(module, self_driven_timer) {
    free_bench b;
    b.rest.write(reg::divide, 0xB);
    b.rest.write(reg::lvt_timer, lvt::periodic | 0x31);
    b.rest.write(reg::initial_count, 50);  // at 100 ns: zero at 150, 200 ...
    b.run(49);
    EXPECT_FALSE(b.intr.read());
    EXPECT_EQ(b.rest.read(reg::current_count), 1u);
    b.run(2);
    EXPECT_TRUE(b.intr.read());
    EXPECT_EQ(b.rest.cpu->acknowledge(), 0x31);
    b.rest.write(reg::eoi, 0);
    b.run(1);
    EXPECT_FALSE(b.intr.read());
    b.run(49);
    EXPECT_TRUE(b.intr.read());
}

TEST(module, self_driven_pmi_pin_acts_on_the_rising_edge) {
    free_bench b;
    b.rest.write(reg::lvt_pmc, 0xFE);
    b.pmi.write(true);
    b.run(5);
    EXPECT_TRUE(b.intr.read());
    EXPECT_EQ(b.rest.read(reg::lvt_pmc), 0x100FEu);
    EXPECT_EQ(b.rest.cpu->acknowledge(), 0xFE);
    b.rest.write(reg::lvt_pmc, 0xFE);
    b.rest.write(reg::eoi, 0);
    b.run(5);
    EXPECT_FALSE(b.intr.read());  // the line stays 1: no edge
    b.pmi.write(false);
    b.run(5);
    EXPECT_FALSE(b.intr.read());
    b.pmi.write(true);
    b.run(5);
    EXPECT_TRUE(b.intr.read());
}

TEST(module, self_driven_nmi_thermal_and_priorities) {
    free_bench b;
    b.rest.write(reg::lvt_lint1, 0x400);
    b.lint1.write(true);
    b.run(5);
    EXPECT_TRUE(b.nmi.read());
    EXPECT_TRUE(b.rest.cpu->take_nmi());
    b.run(1);
    EXPECT_FALSE(b.nmi.read());
    b.rest.write(reg::lvt_thermal, 0x4A);
    b.rest.cpu->write_cr8(4);
    b.thermal.write(true);
    b.run(5);
    EXPECT_FALSE(b.intr.read());
    EXPECT_EQ(b.rest.cpu->read_cr8(), 4);
    b.rest.cpu->write_cr8(3);
    b.run(1);
    EXPECT_TRUE(b.intr.read());
}

TEST(module, self_driven_message_with_delay) {
    free_bench b;
    b.rest.deliver(fixed(0x41), -1, sc_time(40, SC_NS));  // takes effect at 140 ns
    b.run(39);
    EXPECT_FALSE(b.intr.read());
    b.run(2);
    EXPECT_TRUE(b.intr.read());
    EXPECT_EQ(b.rest.cpu->acknowledge(), 0x41);
}

TEST(module, self_driven_init) {
    free_bench b;
    b.rest.deliver(of_mode(delivery_mode::init));
    b.run(5);
    EXPECT_TRUE(b.init.read());
    EXPECT_TRUE(b.rest.cpu->take_init());
    b.run(1);
    EXPECT_FALSE(b.init.read());
    EXPECT_EQ(b.rest.read(reg::svr), 0xFFu);  // registers as after reset
}

TEST(module, self_driven_startup) {
    outside rest("rest");
    apic model("apic", parameters{}, 6, false, knc::base::clock(1'000'000'000), drive::self);
    sc_core::sc_signal<bool> startup{"startup"};
    rest.mmio.bind(model.mmio);
    rest.to_apic.bind(model.bus_in);
    model.bus_out.bind(rest.from_apic);
    model.startup.bind(startup);
    rest.cpu.bind(model.processor);
    sc_core::sc_start(5, SC_NS);
    rest.deliver(of_mode(delivery_mode::startup, 0x9A));
    sc_core::sc_start(5, SC_NS);
    EXPECT_TRUE(startup.read());
    std::uint8_t vector = 0;
    EXPECT_TRUE(rest.cpu->take_startup(vector));
    EXPECT_EQ(vector, 0x9A);
    sc_core::sc_start(5, SC_NS);
    EXPECT_FALSE(startup.read());
}

}  // namespace apic_test
