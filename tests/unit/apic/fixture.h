// A local APIC with a bus that records what it is told.
#ifndef TESTS_UNIT_APIC_FIXTURE_H
#define TESTS_UNIT_APIC_FIXTURE_H

#include <cstdint>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <knc/apic/local_apic.h>

namespace apic_test {

using namespace knc::apic;
using knc::base::cycle_t;
using knc::base::never;

struct recording_bus : bus {
    std::vector<std::pair<interrupt_message, cycle_t>> sent;
    std::vector<std::pair<std::uint8_t, cycle_t>> eois;
    int external = -1;  // vector of the external interrupt controller, -1: there is none

    void send(const interrupt_message& m, cycle_t now) override { sent.emplace_back(m, now); }
    void eoi_broadcast(std::uint8_t vector, cycle_t now) override {
        eois.emplace_back(vector, now);
    }
    bool external_vector(std::uint8_t& vector, cycle_t) override {
        if (external < 0) return false;
        vector = static_cast<std::uint8_t>(external);
        return true;
    }
};

inline interrupt_message fixed(std::uint8_t vector, std::uint16_t destination = 0) {
    interrupt_message m;
    m.vector = vector;
    m.destination = destination;
    return m;
}

inline interrupt_message of_mode(delivery_mode mode, std::uint8_t vector = 0) {
    interrupt_message m = fixed(vector);
    m.mode = mode;
    return m;
}

// One APIC of ID 5 that is the boot processor's, at clock `now`.
struct apic_fixture : testing::Test {
    recording_bus wire;
    parameters options;
    local_apic apic{options, 5, true, wire};
    cycle_t now = 100;

    std::uint32_t read(std::uint32_t offset) {
        std::uint32_t value = 0xDEADBEEF;
        apic.read(offset, value, now);
        return value;
    }
    bool write(std::uint32_t offset, std::uint32_t value) { return apic.write(offset, value, now); }
    void enable() { write(reg::svr, 0x1FF); }
    // The error status since the last call.
    std::uint32_t errors() {
        write(reg::esr, 0);
        return read(reg::esr);
    }
    void receive(std::uint8_t vector) { apic.receive(fixed(vector), now); }
    std::uint8_t acknowledge() { return apic.acknowledge(now); }
    void eoi() { write(reg::eoi, 0); }
};

}  // namespace apic_test

#endif
