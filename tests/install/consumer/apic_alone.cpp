// The local APIC alone in a foreign design: its page over TLM, a PMI pin of ours, and its processor
// interface, through which our processor takes the vector.
#include <systemc>

#include <knc/apic/apic.h>
#include <knc/base/clock.h>

#include "bus_master.h"

namespace {

using sc_core::SC_NS;

struct bench : bus_master {
    sc_core::sc_out<bool> pmi{"pmi"};
    sc_core::sc_in<bool> intr{"intr"};
    sc_core::sc_port<knc::apic::processor_if> processor{"processor"};

    SC_HAS_PROCESS(bench);
    explicit bench(sc_core::sc_module_name name) : bus_master(name) { SC_THREAD(run); }

    void pulse() {
        pmi.write(true);
        wait(3, SC_NS);
        pmi.write(false);
        wait(3, SC_NS);
    }
    void run() {
        constexpr std::uint64_t svr = 0x0F0, lvt_pmc = 0x340, eoi = 0x0B0, isr3 = 0x130;
        constexpr std::uint64_t vector = 0x62, masked = 1u << 16;
        std::uint64_t v = 0;
        expect(write(svr, 0x1FF, 4) == tlm::TLM_OK_RESPONSE, "APIC enabled");
        expect(write(lvt_pmc, vector, 4) == tlm::TLM_OK_RESPONSE, "LVT entry written");

        pulse();
        expect(intr.read(), "interrupt announced");
        expect(processor->acknowledge() == vector, "vector of the LVT entry");
        wait(3, SC_NS);
        expect(!intr.read(), "nothing more announced");
        expect(read(isr3, v, 4) == tlm::TLM_OK_RESPONSE && v == 1u << (vector % 32), "in service");
        expect(read(lvt_pmc, v, 4) == tlm::TLM_OK_RESPONSE && v == (vector | masked),
               "the entry masked itself");

        pulse();
        expect(!intr.read(), "an edge is lost while the entry is masked");
        expect(write(lvt_pmc, vector, 4) == tlm::TLM_OK_RESPONSE, "unmasked");
        expect(write(eoi, 0, 4) == tlm::TLM_OK_RESPONSE, "EOI");
        expect(read(isr3, v, 4) == tlm::TLM_OK_RESPONSE && v == 0, "no longer in service");
        pulse();
        expect(intr.read(), "the next edge is announced");
        expect(processor->acknowledge() == vector, "and has the vector");
        expect(read(0x020, v, 4) == tlm::TLM_OK_RESPONSE && v == 5ull << 23, "9-bit ID at 31:23");
        done = true;
    }
    bool done = false;
};

}  // namespace

int sc_main(int, char**) {
    knc::apic::apic apic{"apic", knc::apic::parameters{},         5,
                         true,   knc::base::clock{1'000'000'000}, knc::apic::drive::self};
    sc_core::sc_signal<bool> pmi, intr;
    bench b{"bench"};
    b.socket.bind(apic.mmio);
    b.processor.bind(apic.processor);
    b.pmi.bind(pmi);
    apic.pmi.bind(pmi);
    apic.intr.bind(intr);
    b.intr.bind(intr);
    sc_core::sc_start(1, sc_core::SC_US);
    expect(b.done, "the bench came to its end");
    return failures == 0 ? 0 : 1;
}
