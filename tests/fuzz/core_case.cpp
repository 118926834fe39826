#include "core_case.h"

#include <algorithm>

namespace knc::card::test {
namespace {

using isa::code_mode;
using isa::test::source;

// Where things are. rig's to_long_mode expects GDT pointer and page tables as they are here; each
// thread has 4 KB of stack and 4 KB of first register values and IRET frame.
constexpr std::uint32_t entry64_at = 0x1000, entry32_at = 0x1800, to_long_mode_at = 0x7000,
                        gdt_at = 0x8000, gdt_pointer_at = 0x8080, idt_pointer_at = 0x8090,
                        tss_at = 0x8800, pml4_at = 0x9000, pdpt_at = 0xa000, directory_at = 0xb000,
                        pages_at = 0xc000, idt_at = 0x10000, real_code_at = 0x18000,
                        code_at = 0x20000, code_size = 0x8000, stacks_at = 0x40000,
                        frames_at = 0x50000, iret_frame = 0x100, first_masks = 0x180,
                        first_vectors = 0x200, data_at = 0x60000;
// Selectors: code and data of ring 0, of ring 3, then a task of each thread.
constexpr std::uint64_t code0 = 8, data0 = 16, code3 = 24 | 3, data3 = 32 | 3, tasks = 48;
// Device addresses as long mode sees them: the last large page it maps.
constexpr std::uint64_t devices = 0xfee0'0000, mapped_devices = 0x20'0000;

// Takes tables, stack, task and registers of its thread, then leaves by the thread's IRET frame.
KNC_PROGRAM64(entry64,
              "lidt 0x8090\nmovl $16, %eax\nmovl %eax, %ss\nmovl %eax, %ds\nmovl %eax, %es\n"
              "movl $0xC0000080, %ecx\nrdmsr\norl $0x801, %eax\nwrmsr\n"
              "movl $0xC0000082, %ecx\nmovl $0x20000, %eax\nxorl %edx, %edx\nwrmsr\n"
              "movl $1, %eax\ncpuid\nshrl $24, %ebx\nandl $3, %ebx\n"
              "movl %ebx, %eax\nshll $4, %eax\naddl $48, %eax\nltr %ax\nshll $12, %ebx\n"
              "movq 0x50000(%rbx), %rax\nmovq 0x50008(%rbx), %rcx\nmovq 0x50010(%rbx), %rdx\n"
              "movq 0x50028(%rbx), %rbp\nmovq 0x50030(%rbx), %rsi\nmovq 0x50038(%rbx), %rdi\n"
              "movq 0x50040(%rbx), %r8\nmovq 0x50048(%rbx), %r9\nmovq 0x50050(%rbx), %r10\n"
              "movq 0x50058(%rbx), %r11\nmovq 0x50060(%rbx), %r12\nmovq 0x50068(%rbx), %r13\n"
              "movq 0x50070(%rbx), %r14\nmovq 0x50078(%rbx), %r15\n"
              // VMOVDQA32 to zmm0 to 7, KMOV to k1 to 7.
              ".irp n,0,1,2,3,4,5,6,7\n.byte 0x62,0xf1,0x79,0x08,0x6f,0x83+8*\\n\n"
              ".long 0x50200+64*\\n\n.endr\n"
              ".irp n,1,2,3,4,5,6,7\nmovl 0x50180+4*\\n(%rbx), %esp\n"
              ".byte 0xc5,0xf8,0x92,0xc4+8*\\n\n.endr\n"
              "leaq 0x50100(%rbx), %rsp\nmovq 0x50018(%rbx), %rbx\niretq");
KNC_PROGRAM(entry32,
            "lgdt 0x8080\nlidt 0x8090\nmovl $16, %eax\nmovl %eax, %ss\nmovl %eax, %ds\n"
            "movl %eax, %es\nmovl %eax, %fs\nmovl %eax, %gs\n"
            "movl $1, %eax\ncpuid\nshrl $24, %ebx\nandl $3, %ebx\n"
            "movl %ebx, %eax\nshll $4, %eax\naddl $48, %eax\nltr %ax\nshll $12, %ebx\n"
            "movl 0x50000(%ebx), %eax\nmovl 0x50008(%ebx), %ecx\nmovl 0x50010(%ebx), %edx\n"
            "movl 0x50028(%ebx), %ebp\nmovl 0x50030(%ebx), %esi\nmovl 0x50038(%ebx), %edi\n"
            "leal 0x50100(%ebx), %esp\nmovl 0x50018(%ebx), %ebx\niretl");

constexpr std::uint32_t lint0 = 0x350;  // to which a Pentium's pins lead
constexpr std::uint32_t apic_offsets[] = {0x80,  0xb0,  0xd0,  0xe0,  0xf0,  0x280, 0x300,
                                          0x310, 0x320, 0x340, 0x370, 0x380, 0x3e0};

// MSRs of the PMUs; Knights Corner's are from 0x20 on.
constexpr std::uint32_t perfmon_msrs[] = {0xc1,  0xc2,  0x186, 0x187, 0x309, 0x30a,
                                          0x345, 0x38d, 0x38e, 0x38f, 0x390, 0x3f1,
                                          0x3f2, 0x4c1, 0x600, 0x1a0, 0x1d9};
std::uint32_t pmu_msr(source& s, pmu::front_end_kind k) {
    switch (k) {
        case pmu::front_end_kind::perfmon:
            return perfmon_msrs[s.below(std::size(perfmon_msrs))];
        case pmu::front_end_kind::p55c:
            return 0x10 + s.below(5);
        default:
            return 0x20 + s.below(16);
    }
}

std::uint64_t gate_to(std::uint64_t offset, std::uint64_t type) {
    return (offset & 0xffff) | code0 << 16 | type << 40 | (offset >> 16) << 48;
}

}  // namespace

core_case::core_case(const char* name, const parameters& p)
    : rig(name, p),
      profile_(p.profile),
      registers_(p.pmu.front_end),
      fabric_((std::string(name) + "_fabric").c_str(), p.ipi_cycles, 0, 0) {
    fabric_.io_apic.bind(io_apic_);
    fabric_.scheduler.bind(io_apic_);
    for (std::size_t t = 0; t < threads(); ++t) fabric_.attach(unit.apic_module(t));
}

// Numbers of MSRs, APIC registers and devices, or any.
std::uint64_t core_case::useful(source& s, bool long_mode) const {
    const std::uint64_t at = long_mode ? mapped_devices : devices;
    switch (s.below(6)) {
        case 0:
            return pmu_msr(s, registers_);
        case 1:
            return at + apic_offsets[s.below(std::size(apic_offsets))];
        case 2:
            return at + 0x10'0000 + 4 * s.below(0x50);
        case 3:
            return data_at + (s.below(0x1000) & ~0u << s.below(7));
        default:
            return s.value();
    }
}

// Some overflow soon. Records of PEBS go to memory of the thread, and sometimes elsewhere.
void core_case::start_counters(source& s, std::uint32_t thread) {
    const auto write = [&](std::uint32_t msr, std::uint64_t v) {
        unit.pmu().write(thread, msr, v);
    };
    if (registers_ == pmu::front_end_kind::p55c) {
        for (const std::uint32_t n : {0u, 1u}) write(0x12 + n, -std::uint64_t{s.below(300)});
        // Frequent events, occurrences or clocks of any level; or anything.
        constexpr std::uint32_t events[] = {0x00, 0x12, 0x16, 0x28, 0x2b, 0x30};
        const auto field = [&] {
            const std::uint64_t cc = s.chance(50) ? 3 : 7;
            return s.chance(20) ? s.any() & 0x3ff
                                : events[s.below(std::size(events))] | cc << 6 | s.below(2) << 9;
        };
        unit.apic(thread).write(lint0, 0x20 + s.below(0xe0), unit.cpu().now());
        const std::uint64_t field0 = field();
        write(0x11, field0 | field() << 16);
    }
    if (registers_ != pmu::front_end_kind::perfmon) return;
    constexpr std::uint32_t codes[] = {0x003c, 0x00c0, 0x013c, 0x4f2e, 0x412e, 0x00c4,
                                       0x00c5, 0x01d1, 0x02d1, 0x10d1, 0x0300};
    const std::uint32_t area = frames_at + 0x1000 * thread + 0x600;
    put(area + 0x20, std::uint64_t{data_at});
    put(area + 0x28, std::uint64_t{data_at});
    put(area + 0x30, std::uint64_t{data_at} + 0x800);
    put(area + 0x38, std::uint64_t{data_at} + 0x200);
    for (std::uint32_t n = 0; n < 4; ++n) {
        put(area + 0x40 + 8 * n, -std::uint64_t{s.below(500)});
        write(0x4c1 + n, -std::uint64_t{s.below(500)} & 0xffff'ffff'ffff);
        write(0x186 + n, codes[s.below(std::size(codes))] | (s.any() & 0x0034'0000) | 0x0043'0000);
    }
    for (std::uint32_t n = 0; n < 3; ++n) {
        put(area + 0x80 + 8 * n, -std::uint64_t{s.below(500)});
        write(0x309 + n, -std::uint64_t{s.below(500)} & 0xffff'ffff'ffff);
    }
    write(0x38d, s.any() & 0x0000'0bbb);
    write(0x600, s.chance(90) ? area : s.value());
    write(0x3f2, s.any() & 0xf);
    write(0x3f1, s.any() & 0x7'0000'000f);
    write(0x38f, 0x7'0000'000f);
}

void core_case::put_tables(source& s, bool long_mode) {
    const std::uint64_t flags = long_mode ? 0xa : 0xc;
    put(gdt_at + 8, 0x000f'9b00'0000'ffff | flags << 52);
    put(gdt_at + 16, std::uint64_t{0x00cf'9300'0000'ffff});
    put(gdt_at + 24, 0x000f'fb00'0000'ffff | flags << 52);
    put(gdt_at + 32, std::uint64_t{0x00cf'f300'0000'ffff});
    for (std::uint32_t t = 0; t < 4; ++t) {
        const std::uint32_t tss = tss_at + 0x80 * t, stack = stacks_at + 0x1000 * t + 0xff0;
        put(gdt_at + 48 + 16 * t, 0x0000'8900'0000'0067 | std::uint64_t{tss} << 16);
        put(gdt_at + 56 + 16 * t, std::uint64_t{0});
        put(tss + 4, stack);
        put(tss + 8, long_mode ? 0u : static_cast<std::uint32_t>(data0));
        put(tss + 36, stack - 0x800);  // interrupt stack 1
    }
    put(gdt_pointer_at, std::uint64_t{gdt_at} << 16 | 0x6f);
    put(idt_pointer_at, std::uint64_t{idt_at} << 16 | (long_mode ? 0xfff : 0x7ff));
    for (std::uint32_t v = 0; v < 256; ++v) {
        const std::uint64_t type = s.chance(5) ? s.below(256) : s.chance(30) ? 0xee : 0x8e;
        const std::uint64_t gate = gate_to(code_at + s.below(code_size), type);
        if (long_mode) {
            put(idt_at + 16 * v, gate);
            put(idt_at + 16 * v + 8, std::uint64_t{0});
        } else {
            put(idt_at + 8 * v, gate);
        }
    }
    // Two megabytes for all, the device pages, and 4 KB pages with any rights.
    put(pml4_at, std::uint64_t{pdpt_at | 7});
    put(pdpt_at, std::uint64_t{directory_at | 7});
    put(directory_at, std::uint64_t{0x87});
    put(directory_at + 8, devices | 0x9b);
    put(directory_at + 16, std::uint64_t{pages_at | 7});
    for (std::uint32_t n = 0; n < 512; ++n)
        put(pages_at + 8 * n, std::uint64_t{data_at} + (n % 16 << 12) + s.below(0x200));
}

void core_case::put_frame(source& s, std::uint32_t thread, bool long_mode) {
    const std::uint32_t at = frames_at + 0x1000 * thread;
    for (std::uint32_t n = 0; n < 16; ++n) put(at + 8 * n, useful(s, long_mode));
    isa::vector_state unit_state;
    s.vectors(unit_state);
    for (std::uint32_t n = 0; n < 8; ++n) {
        put(at + first_masks + 4 * n, std::uint32_t{unit_state.k[n]});
        put(at + first_vectors + 64 * n, unit_state.zmm[n].bytes);
    }
    const bool user = s.chance(40);
    const std::uint64_t frame[] = {code_at + s.below(code_size), user ? code3 : code0,
                                   s.any() & 0x4'0ed5,  // arithmetic, TF seldom, IF, DF, AC
                                   stacks_at + 0x1000 * thread + 0x7f0, user ? data3 : data0};
    for (std::uint32_t n = 0; n < 5; ++n) {
        std::uint64_t v = frame[n];
        if (n == 2) v = (v & ~std::uint64_t{0x100}) | (s.chance(10) ? 0x100 : 0);
        if (long_mode)
            put(at + iret_frame + 8 * n, v);
        else
            put(at + iret_frame + 4 * n, static_cast<std::uint32_t>(v));
    }
}

// By a start-up message: CS at the page of 16-bit code.
void core_case::start_real(std::size_t thread) {
    apic::interrupt_message m;
    m.mode = apic::delivery_mode::startup;
    m.vector = real_code_at >> 12;
    unit.apic(thread).receive(m, unit.cpu().now());
    unit.cpu().notify();
}

void core_case::start_thread(source& s, std::uint32_t thread, bool long_mode) {
    put_frame(s, thread, long_mode);
    if (thread != 0 && s.chance(20)) {
        start_real(thread);
    } else if (long_mode) {
        start(thread, to_long_mode_at, to_long_mode);
    } else {
        start(thread, entry32_at, entry32);
    }
    if (s.chance(30)) return;
    // A timer, so that a halt is not the end.
    constexpr std::uint32_t spurious = 0xf0, timer = 0x320, initial_count = 0x380, divide = 0x3e0,
                            periodic = 1u << 17, divide_by_1 = 11;
    const std::pair<std::uint32_t, std::uint32_t> writes[] = {
        {spurious, 0x1ff},
        {timer, periodic | (0x20 + s.below(0xe0))},
        {divide, divide_by_1},
        {initial_count, 500 + s.below(3000)}};
    for (const auto& [at, value] : writes) unit.apic(thread).write(at, value, unit.cpu().now());
}

void core_case::prepare(std::uint64_t seed) {
    source s(seed, profile_);
    const bool long_mode = !is_pentium() && s.chance(60);
    const auto fill = [&](std::uint32_t at, std::uint32_t size, code_mode m) {
        const std::vector<std::uint8_t> bytes = s.code(m, size);
        std::copy_n(bytes.begin(), size, memory.data() + at);
    };
    fill(code_at, code_size, long_mode ? code_mode::bits64 : code_mode::bits32);
    fill(real_code_at, 0x2000, code_mode::bits16);
    for (std::uint32_t n = 0; n < 0x1000; n += 8) put(data_at + n, s.value());
    put_tables(s, long_mode);
    load(entry64_at, entry64);
    for (std::uint32_t t = 0; t < threads(); ++t) {
        start_thread(s, t, long_mode);
        start_counters(s, t);
    }
    unit.cpu().notify();
}

void core_case::pass(base::cycle_t clocks, const std::function<base::cycle_t()>& stretch) {
    constexpr base::cycle_t latency = 40;
    core::core& cpu = unit.cpu();
    const base::cycle_t end = cpu.now() + clocks;
    while (cpu.now() < end) {
        cpu.run(std::min(end, cpu.now() + stretch()));
        for (core::device_request r : std::exchange(posted, {})) {
            ++accesses;
            r.data.fill(static_cast<std::uint8_t>(r.address));
            answer(r, r.issued + latency);
        }
    }
    cpu.settle();
}

}  // namespace knc::card::test
