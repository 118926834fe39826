// An MSR target of our own behind a core of the library: it has one register, which counts how
// often it is read, and passes everything else on to the library's PMU.
#include <array>
#include <cstring>
#include <memory>
#include <string>

#include <systemc>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <knc/apic/apic.h>
#include <knc/cache/ideal_memory.h>
#include <knc/core/core.h>
#include <knc/isa/code_map.h>
#include <knc/memory/ram.h>
#include <knc/pmu/knc_front_end.h>
#include <knc/pmu/pmu.h>

#include "bus_master.h"

namespace {

constexpr std::uint32_t program_at = 0x1000, result_at = 0x2000;
constexpr std::uint64_t own_register = 0x1234, counter0 = 0x20;

// 32-bit code.
const unsigned char program[] = {
    0xB9, 0x34, 0x12, 0x00, 0x00,        // mov ecx, 0x1234
    0x0F, 0x32,                          // rdmsr
    0x89, 0xC3,                          // mov ebx, eax
    0x0F, 0x32,                          // rdmsr
    0x01, 0xC3,                          // add ebx, eax
    0xB8, 0x2A, 0x00, 0x00, 0x00,        // mov eax, 42
    0x31, 0xD2,                          // xor edx, edx
    0x0F, 0x30,                          // wrmsr
    0xB9, 0x20, 0x00, 0x00, 0x00,        // mov ecx, 0x20: counter 0 of the PMU
    0x0F, 0x30,                          // wrmsr: 42
    0x0F, 0x32,                          // rdmsr
    0xA3, 0x00, 0x20, 0x00, 0x00,        // mov [0x2000], eax
    0x89, 0x1D, 0x04, 0x20, 0x00, 0x00,  // mov [0x2004], ebx
    0xB9, 0x99, 0x99, 0x00, 0x00,        // mov ecx, 0x9999: nobody's
    0x0F, 0x32,                          // rdmsr: #GP, for which there is no handler
    0xF4                                 // hlt
};
constexpr std::uint64_t retired = 14;  // all up to the RDMSR that faults

struct msr_target : sc_core::sc_module {
    tlm_utils::simple_target_socket<msr_target> in{"in"};
    tlm_utils::simple_initiator_socket<msr_target> out{"out"};

    explicit msr_target(sc_core::sc_module_name name) : sc_module(name) {
        in.register_b_transport(this, &msr_target::b_transport);
    }
    void b_transport(tlm::tlm_generic_payload& p, sc_core::sc_time& delay) {
        if (p.get_address() != own_register) {
            out->b_transport(p, delay);
            return;
        }
        if (p.is_read()) {
            ++reads;
            std::memcpy(p.get_data_ptr(), &reads, sizeof reads);
        } else {
            ++writes;
            std::memcpy(&written, p.get_data_ptr(), sizeof written);
        }
        p.set_response_status(tlm::TLM_OK_RESPONSE);
    }
    std::uint64_t reads = 0, writes = 0, written = 0;
};

struct outside : knc::core::device_if, knc::core::diagnostics_if {
    void post(const knc::core::device_request&) override { expect(false, "no device"); }
    void warn(const std::string&) override { ++warnings; }
    void model_error(const std::string&) override { expect(false, "the model is right"); }
    void unsupported(const std::string&) override { expect(false, "all is supported"); }
    unsigned warnings = 0;
};

}  // namespace

int sc_main(int, char**) {
    constexpr std::size_t threads = knc::base::threads_per_core;
    const knc::base::clock clock{1'000'000'000};
    outside o;
    knc::base::ledger ledger;
    knc::isa::code_map code{1 << 20};
    knc::memory::ram memory{"memory", 1 << 20};
    knc::core::core core{
        "core", 0,   knc::core::parameters{}, knc::isa::profile::knc, knc::isa::signature(0),
        ledger, code};
    knc::cache::ideal_memory ideal{"ideal_memory"};
    knc::pmu::knc_front_end registers{knc::pmu::parameters{}};
    knc::pmu::pmu pmu{"pmu", registers, false, clock, ledger};
    msr_target msrs{"msrs"};
    core.memory.bind(memory.target);
    core.l1d.bind(ideal.l1d);
    core.l1i.bind(ideal.l1i);
    ideal.client.bind(core.l1_client);
    ideal.memory.bind(memory.target);
    core.devices.bind(o);
    core.diagnostics.bind(o);
    core.msr.bind(msrs.in);
    core.counters.bind(pmu.core);
    pmu.listener.bind(core.pmi);
    msrs.out.bind(pmu.msr);
    std::array<std::unique_ptr<knc::apic::apic>, threads> apics;
    for (std::uint16_t t = 0; t < threads; ++t) {
        apics[t] = std::make_unique<knc::apic::apic>(("apic" + std::to_string(t)).c_str(),
                                                     knc::apic::parameters{}, t, t == 0, clock);
        core.apic_page[t].bind(apics[t]->mmio);
        core.apics[t].bind(apics[t]->core);
        apics[t]->listener.bind(core.messages);
    }
    std::memcpy(memory.data() + program_at, program, sizeof program);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    core.boot(0, program_at, 0, 0);
    while (core.now() < 1000) core.run(1000);
    core.settle();

    std::uint32_t results[2];
    std::memcpy(results, memory.data() + result_at, sizeof results);
    expect(results[0] == 42, "the PMU's counter was written and read through our target");
    expect(results[1] == 1 + 2, "each RDMSR read our register once");
    expect(msrs.reads == 2, "two RDMSR, two transports");
    expect(msrs.writes == 1 && msrs.written == 42, "one WRMSR, one transport");
    expect(core.running(0) == knc::core::run_state::shutdown, "an MSR of nobody is #GP");
    expect(o.warnings == 1, "the shutdown was reported");
    expect(core.instructions(0) == retired, "each instruction retired once");
    expect(ledger.total(0, knc::base::instructions_executed) == retired, "and was counted once");
    return failures == 0 ? 0 : 1;
}
