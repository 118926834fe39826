// A core of another design with the PMU and the local APIC of the card: a state machine of 500 MHz
// that reports its instructions and branches as events, and takes the PMU's interrupt.
//
// Models: one instruction per clock, of which each fourth is a branch; an interrupt every
// `branches` branches, whose handler takes 20 clocks. Leaves out: everything else of a processor.
#ifndef SOC_FOREIGN_CORE_H
#define SOC_FOREIGN_CORE_H

#include <cstdint>
#include <vector>

#include <systemc>

#include <knc/apic/apic.h>
#include <knc/pmu/pmu.h>

#include "link.h"
#include "transcript.h"

class foreign_core : public sc_core::sc_module {
  public:
    static constexpr std::uint64_t hz = 500'000'000;
    static constexpr std::uint64_t branches = 250, vector = 0x62;
    static constexpr int interrupts = 3;

    std::vector<std::uint64_t> taken_at_branch;  // the number of branches before each interrupt
    std::uint64_t instructions = 0, counted = 0;
    bool done = false;

    SC_HAS_PROCESS(foreign_core);
    explicit foreign_core(sc_core::sc_module_name name)
        : sc_module(name),
          pmu("pmu", knc::pmu::parameters{}, knc::base::clock{hz}),
          apic("apic", knc::apic::parameters{}, /*id*/ 5, /*boot processor*/ true,
               knc::base::clock{hz}, knc::apic::drive::self) {
        msr.bind(pmu.msr);
        mmio.bind(apic.mmio);
        pmu.pmi_lines[0].bind(pmi_);
        apic.pmi.bind(pmi_);
        apic.intr.bind(intr_);
        SC_THREAD(run);
    }

  private:
    static constexpr std::uint64_t counter0 = 0x20, counter1 = 0x21, select0 = 0x28, select1 = 0x29,
                                   status_clear = 0x2E, control = 0x2F, at_ring_0 = 1 << 17,
                                   with_interrupt = 1 << 20, enabled = 1 << 22 | at_ring_0;
    static constexpr std::uint64_t preset = (1ull << 40) - branches;

    void wrmsr(std::uint64_t number, std::uint64_t v) {
        expect(msr.write(number, v, 8), "the foreign core writes an MSR");
    }
    void store(std::uint64_t offset, std::uint64_t v) {
        expect(mmio.write(offset, v, 4), "the foreign core writes a register of its APIC");
    }

    void run() {
        constexpr std::uint64_t branch_event = 0x12, instruction_event = 0x16;
        store(0x0F0, 0x1FF);
        store(0x340, vector);
        wrmsr(counter0, preset);
        wrmsr(select0, branch_event | enabled | with_interrupt);
        wrmsr(select1, instruction_event | enabled);
        wrmsr(control, 3);
        std::uint64_t branch_count = 0;
        while (taken_at_branch.size() < interrupts) {
            wait(2, sc_core::SC_NS);
            ++instructions;
            pmu.events->raise(0, knc::base::instructions_executed);
            if (instructions % 4 == 0) {
                ++branch_count;
                pmu.events->raise(0, knc::base::branches);
            }
            if (intr_.read()) handle(branch_count);
        }
        wrmsr(control, 0);
        expect(msr.read(counter1, counted, 8), "the foreign core reads a counter");
        say(name(), std::to_string(counted) + " instructions counted, all interrupts taken");
        done = true;
    }
    void handle(std::uint64_t branch_count) {
        expect_equal(apic.processor->acknowledge(), vector, "the vector of the PMU's interrupt");
        say(name(), "takes the PMU's interrupt after branch " + std::to_string(branch_count));
        taken_at_branch.push_back(branch_count);
        wrmsr(counter0, preset);
        wrmsr(status_clear, 1);
        store(0x340, vector);  // the entry has masked itself
        store(0x0B0, 0);       // EOI
        wait(40, sc_core::SC_NS);
    }

    link msr{"msr"}, mmio{"mmio"};
    knc::pmu::pmu pmu;
    knc::apic::apic apic;
    sc_core::sc_signal<bool> pmi_{"pmi"}, intr_{"intr"};
};

#endif
