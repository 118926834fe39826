#include <platform/keys.h>

#include <algorithm>
#include <string>
#include <type_traits>

#include <knc/sbox/io_apic.h>

namespace platform {

namespace {

constexpr std::uint64_t unlimited = ~std::uint64_t{0};
constexpr std::uint64_t gigabyte = std::uint64_t{1} << 30;
constexpr std::uint64_t most_entries = 4096;  // of a branch target buffer, of an array of a TLB
constexpr std::uint64_t any_seed = unlimited - 1;
constexpr numbers powers_of_two = numbers::powers_of_two;

// The names of an enumeration's values, in their order.
const std::vector<std::string_view>* names(knc::isa::profile) {
    static const std::vector<std::string_view> n = {"knc", "compat", "p55c"};
    return &n;
}
const std::vector<std::string_view>* names(knc::pmu::reserved_bits) {
    static const std::vector<std::string_view> n = {"gp", "ignore"};
    return &n;
}
const std::vector<std::string_view>* names(knc::pmu::contextless_pmi) {
    static const std::vector<std::string_view> n = {"execution_stage", "owner"};
    return &n;
}

const std::vector<std::string_view>* names(knc::pmu::front_end_kind) {
    static const std::vector<std::string_view> n = {"knc", "perfmon", "p55c"};
    return &n;
}
const std::vector<std::string_view>* names(knc::pmu::tsc_in_hlt) {
    static const std::vector<std::string_view> n = {"stops", "runs"};
    return &n;
}
const std::vector<std::string_view>* names(knc::pmu::pm_target) {
    static const std::vector<std::string> inputs = [] {
        std::vector<std::string> all;
        for (unsigned i = 0; i < knc::sbox::io_apic::pins; ++i)
            all.push_back("irq " + std::to_string(i));
        return all;
    }();
    static const std::vector<std::string_view> n = [] {
        std::vector<std::string_view> all = {"none", "nmi", "intr"};
        all.insert(all.end(), inputs.begin(), inputs.end());
        return all;
    }();
    return &n;
}
const std::vector<std::string_view>* names(knc::core::rsb_event) {
    static const std::vector<std::string_view> n = {"empty", "overflow"};
    return &n;
}
const std::vector<std::string_view>* names(knc::pmu::perfmon_pmi) {
    static const std::vector<std::string_view> n = {"pulse", "line"};
    return &n;
}
const std::vector<std::string_view>* names(knc::pmu::pebs_arm) {
    static const std::vector<std::string_view> n = {"same", "next"};
    return &n;
}
const std::vector<std::string_view>* names(knc::pmu::rdpmc_fast) {
    static const std::vector<std::string_view> n = {"gp", "low32"};
    return &n;
}

const std::vector<std::string_view>* names(knc::cache::replacement) {
    static const std::vector<std::string_view> n = {"lru", "tree_plru", "random"};
    return &n;
}

const std::vector<std::string_view>* names(knc::cache::monitored_hit) {
    static const std::vector<std::string_view> n = {"keep", "move"};
    return &n;
}
const std::vector<std::string_view>* names(knc::pmu::select_scope) {
    static const std::vector<std::string_view> n = {"thread", "package"};
    return &n;
}

const std::vector<std::string_view>* names(trace_format) {
    static const std::vector<std::string_view> n = {"vcd", "fst"};
    return &n;
}

template <typename T>
member member_at(T& m) {
    if constexpr (std::is_enum_v<T>) {
        static_assert(sizeof(T) == 1);
        return choice{reinterpret_cast<std::uint8_t*>(&m), names(m)};
    } else {
        return &m;
    }
}

// clang-format off
#define AT(path) [](settings& s) { return member_at(s.path); }
const std::vector<key> table = {
    {"card.tiles",            AT(card.tiles),                  1, 62, "", "hardware: at most 62 on the die", "tiles; each is one core of four threads with its PMU and local APICs"},
    {"card.threads",          AT(card.core.threads),           1, 4, "", "hardware: 4", "threads of the core; fewer than four on a card of one tile only"},
    {"card.clock_hz",         AT(card.clock_hz),               1'000'000, 10'000'000'000, "Hz", "3120A", "frequency of the core clock"},
    {"card.memory",           AT(card.memory_size),            4'194'304, 16 * gigabyte, "bytes", "mini; the aperture holds 16 GB", "size of the memory", numbers::whole_pages},
    {"card.profile",          AT(card.profile),                0, 0, "", "ISA reference", "instruction set: knc (the hardware's), compat (also CMOV, fences, PAUSE, port I/O ...) or p55c (a Pentium with MMX)"},
    {"card.stepping",         AT(card.stepping),               0, 15, "", "3120A", "stepping in the signature of CPUID and reset"},
    {"card.ipi_cycles",       AT(card.ipi_cycles),             1, 1'000'000, "clocks", "unverified", "latency of an interrupt message between two local APICs"},
    {"boot.bsp",              AT(card.boot_core),              0, 61, "", "mini; hardware: the highest core", "core whose thread 0 boots"},
    {"testdev.enable",        AT(card.testdev_enable),         0, 0, "", "a real card has none", "test device page at 0xFEF00000; profiles compat, p55c: also UART at port 0x3F8, exit at port 0xF4"},
    {"core.announce_sse",     AT(card.core.announce_sse),      0, 0, "", "a real card has neither", "profile compat: CPUID announces SSE and SSE2, which kernels of PCs ask for; their instructions stay undefined"},
    {"p55c.mmx_to_x87_clocks", AT(card.core.mmx_to_x87_clocks), 0, 1000, "clocks", "notes on the processor say up to 50; unverified", "profile p55c: from the issue of an MMX instruction, how long x87 instructions wait beyond it"},
    {"p55c.duration_needs_clock_code", AT(card.pmu.p55c.duration_needs_clock_code), 0, 0, "", "decision", "p55c: an event that is a condition counts clocks under a clock code only, under others its starts; false: clocks under both"},
    {"p55c.tsc_in_hlt",       AT(card.pmu.p55c.tsc_in_hlt),    0, 0, "", "Intel's MMX developer's guide; the SDM says runs", "p55c: the time-stamp counter in HLT, stops or runs"},
    {"p55c.manual_events",    AT(card.pmu.p55c.manual_events), 0, 0, "", "decision", "p55c: the events that the SDM has and Intel's MMX developer's guide has not exist, too: 1C, 2E on counter 0, 30 on counter 1"},
    {"p55c.rsb_event",        AT(card.core.rsb_event),         0, 0, "", "the guide's note; its title says overflow", "p55c: RSB_OVERFLOWS counts returns that find the return stack empty, or calls that find it full (overflow)"},
    {"p55c.pm_pin_delay",     AT(card.pmu.p55c.pm_pin_delay),  1, 1000, "clocks", "SDM: about 5", "p55c: from a count to the pin that shows it"},
    {"p55c.bus_ratio",        AT(card.pmu.p55c.bus_ratio),     1, 100, "clocks", "decision", "p55c: core clocks of a clock of the bus, for which a pin shows an overflow"},
    {"p55c.read_clocks",      AT(card.pentium.read_clocks),    1, 1000, "bus clocks", "EDO memory at 66 MHz; unverified", "p55c: from the start of a read on the bus to its first 8 bytes"},
    {"p55c.burst_clocks",     AT(card.pentium.burst_clocks),   1, 1000, "bus clocks", "EDO memory at 66 MHz; unverified", "p55c: for each further 8 bytes of a burst"},
    {"p55c.write_clocks",     AT(card.pentium.write_clocks),   1, 1000, "bus clocks", "unverified", "p55c: of a write of up to 8 bytes"},
    {"p55c.write_buffers",    AT(card.pentium.write_buffers),  1, 64, "", "Intel VTune help", "p55c: writes of up to 8 bytes that wait for the bus"},
    {"p55c.pm_to",            AT(card.pmu.p55c.pm_to),         0, 0, "", "decision", "p55c: what the pins PM0 and PM1 are wired to: none, nmi (LINT1 of the local APIC), intr (LINT0) or irq N (input N of the I/O APIC)"},
    {"core.issue_interval",   AT(card.core.issue_interval),    1, 16, "clocks", "software developer's guide 2.1.2", "least distance of two issues of one thread"},
    {"core.rdtsc_cycles",     AT(card.core.rdtsc_cycles),      1, 10'000, "clocks", "PMU guide, table 1-1", "duration of RDTSC"},
    {"core.rdpmc_cycles",     AT(card.core.rdpmc_cycles),      1, 10'000, "clocks", "as RDTSC, unverified", "duration of RDPMC"},
    {"core.spflt_cycles",     AT(card.core.spflt_cycles),      1, 10'000, "clocks", "as RDTSC, unverified", "duration of SPFLT"},
    {"core.agi_cycles", AT(card.core.agi_cycles),  1, 100, "clocks", "P54C", "lost when an address register was written by the issue before"},
    {"core.banks", AT(card.core.banks),  1, 64, "", "P54C", "banks of the L1D that paired accesses may conflict in"},
    {"core.bank_bytes", AT(card.core.bank_bytes),  1, 64, "bytes", "P54C", "width of a bank"},
    {"core.bank_conflict_cycles", AT(card.core.bank_conflict_cycles),  0, 100, "clocks", "P54C", "lost by a pair that needs one bank twice"},
    {"core.event_entry_cycles", AT(card.core.event_entry_cycles), 1, 10'000, "clocks", "unverified", "from an exception or interrupt to its handler's first instruction"},
    {"core.pmi_cycles",       AT(card.core.pmi_cycles),        0, 10'000, "clocks", "nothing known, unverified", "from the rise of the PMU's line to the local APIC"},
    {"core.branch.entries", AT(card.core.branch.entries), 1, most_entries, "", "P54C", "entries of a thread's branch target buffer", powers_of_two},
    {"core.branch.ways", AT(card.core.branch.ways), 1, most_entries, "", "P54C", "ways of its sets", powers_of_two},
    {"core.branch.set_shift", AT(card.core.branch.set_shift), 0, 63, "bits", "unverified", "lowest bit of a branch's address that selects the set"},
    {"core.branch.unconditional_cycles", AT(card.core.branch.unconditional_cycles), 1, 1'000, "clocks", "P54C", "unconditional branch whose prediction did not help, in all"},
    {"core.branch.conditional_cycles_u", AT(card.core.branch.conditional_cycles_u), 1, 1'000, "clocks", "P54C", "the same of a conditional branch in U"},
    {"core.branch.conditional_cycles_v", AT(card.core.branch.conditional_cycles_v), 1, 1'000, "clocks", "P54C", "the same of a conditional branch in V"},
    {"core.tlb.data_4k.entries", AT(card.core.tlb.data_4k.entries), 1, most_entries, "", "unverified", "entries of a core's first-level TLB for 4 KB pages of data", powers_of_two},
    {"core.tlb.data_4k.ways", AT(card.core.tlb.data_4k.ways), 1, most_entries, "", "unverified", "ways of its sets", powers_of_two},
    {"core.tlb.data_64k.entries", AT(card.core.tlb.data_64k.entries), 1, most_entries, "", "unverified", "entries of a core's first-level TLB for 64 KB pages of data", powers_of_two},
    {"core.tlb.data_64k.ways", AT(card.core.tlb.data_64k.ways), 1, most_entries, "", "unverified", "ways of its sets", powers_of_two},
    {"core.tlb.data_2m.entries", AT(card.core.tlb.data_2m.entries), 1, most_entries, "", "unverified", "entries of a core's first-level TLB for 2 MB pages of data", powers_of_two},
    {"core.tlb.data_2m.ways", AT(card.core.tlb.data_2m.ways), 1, most_entries, "", "unverified", "ways of its sets", powers_of_two},
    {"core.tlb.code.entries", AT(card.core.tlb.code.entries), 1, most_entries, "", "unverified", "entries of a core's first-level TLB for code", powers_of_two},
    {"core.tlb.code.ways", AT(card.core.tlb.code.ways), 1, most_entries, "", "unverified", "ways of its sets", powers_of_two},
    {"core.tlb.second.entries", AT(card.core.tlb.second.entries), 1, most_entries, "", "Hot Chips 2012", "entries of a core's second-level TLB", powers_of_two},
    {"core.tlb.second.ways", AT(card.core.tlb.second.ways), 1, most_entries, "", "unverified", "ways of its sets", powers_of_two},
    {"core.tlb.short_walk_cycles_4k", AT(card.core.tlb.short_walk_cycles_4k), 0, 100'000, "clocks", "LIKWID, about", "page walk that the second level answers, 4 KB or 64 KB page"},
    {"core.tlb.short_walk_cycles_2m", AT(card.core.tlb.short_walk_cycles_2m), 0, 100'000, "clocks", "LIKWID, about", "the same, 2 MB page"},
    {"core.tlb.long_walk_cycles", AT(card.core.tlb.long_walk_cycles), 0, 100'000, "clocks", "LIKWID, at least", "page walk that the second level does not answer"},
    {"core.flush_cycles",     AT(card.core.flush_cycles),      0, 10'000, "clocks", "P54C", "lost when the pipeline is refilled"},
    {"core.fetch_bytes",      AT(card.core.fetch_bytes),       1, 64, "bytes", "unverified", "what one instruction fetch request brings into a prefetch buffer", powers_of_two},
    {"core.delay_limit",      AT(card.core.delay_limit),       1, 1'000'000, "clocks", "card kernel", "longest DELAY"},
    {"core.device_cycles",    AT(card.core.device_cycles),     1, 10'000, "clocks", "unverified", "from an access to a device to its answer; with ideal memory also the way there"},
    {"core.apic_cycles",      AT(card.core.apic_cycles),       1, 10'000, "clocks", "unverified", "access to the local APIC page"},
    {"core.uncached_cycles",  AT(card.core.uncached_cycles),   0, 100'000, "clocks", "measurements of a 5110P, unverified", "access to memory that may not be cached"},
    {"card.caches", AT(card.caches), 0, 0, "", "a real card has them", "caches, ring and GDDR5 (pmu.front_end p55c: caches and bus); false: ideal memory that answers in the clock of the access"},
    {"cache.l1d.bytes", AT(card.cache.l1d.bytes), 128, 16'777'216, "bytes", "Hot Chips 2012", "size of a core's L1 data cache", powers_of_two},
    {"cache.l1d.ways", AT(card.cache.l1d.ways), 2, 32, "", "conflict stride measured on a card", "ways of its sets", powers_of_two},
    {"cache.l1d.replacement", AT(card.cache.l1d.policy), 0, 0, "", "unverified", "which line of a set gives way: lru, tree_plru or random"},
    {"cache.l1i.bytes", AT(card.cache.l1i.bytes), 128, 16'777'216, "bytes", "Hot Chips 2012", "size of a core's L1 code cache", powers_of_two},
    {"cache.l1i.ways", AT(card.cache.l1i.ways), 2, 32, "", "conflict stride measured on a card", "ways of its sets", powers_of_two},
    {"cache.l1i.replacement", AT(card.cache.l1i.policy), 0, 0, "", "unverified", "which line of a set gives way: lru, tree_plru or random"},
    {"cache.l2.bytes", AT(card.cache.l2.bytes), 128, 16'777'216, "bytes", "Hot Chips 2012", "size of a core's L2 cache", powers_of_two},
    {"cache.l2.ways", AT(card.cache.l2.ways), 2, 32, "", "from memory, unverified", "ways of its sets", powers_of_two},
    {"cache.l2.replacement", AT(card.cache.l2.policy), 0, 0, "", "unverified", "which line of a set gives way: lru, tree_plru or random"},
    {"cache.l2_cycles", AT(card.cache.l2_cycles), 1, 10'000, "clocks", "chosen for a pointer chase measured on a card", "from an access that misses the L1 and hits the L2 to the next try of its thread"},
    {"cache.l2_interval", AT(card.cache.l2_interval), 0, 1'000, "clocks", "system software developer's guide, as quoted", "least distance of two lookups of an L2"},
    {"cache.request_cycles", AT(card.cache.request_cycles), 1, 10'000, "clocks", "unverified", "from the lookup of the L2 that misses to its request on the ring"},
    {"cache.reply_cycles", AT(card.cache.reply_cycles), 1, 10'000, "clocks", "unverified", "from the arrival of a message in a tile to its answer on the ring"},
    {"cache.fill_cycles", AT(card.cache.fill_cycles), 1, 10'000, "clocks", "unverified", "from the arrival of a line in a tile to the next try of the thread that waits for it"},
    {"cache.write_back_cycles", AT(card.cache.write_back_cycles), 0, 10'000, "clocks", "unverified", "time a line written back by the L1 stays in the core's bus unit"},
    {"cache.mshrs", AT(card.cache.mshrs), 1, 1'024, "", "from memory, unverified", "lines an L2 may have requested at a time"},
    {"cache.victims", AT(card.cache.victims), 1, 1'024, "", "from memory, unverified", "lines of an L2 whose eviction may be under way"},
    {"cache.store_buffer", AT(card.cache.store_buffer), 0, 64, "", "unverified", "stores of a thread that may wait for their lines; 0: a store that misses makes its thread wait"},
    {"cache.write_combining_buffers", AT(card.cache.write_combining_buffers), 0, 64, "", "unverified", "lines of memory of type WC of which a thread may have stores combined; 0: such stores are made one by one"},
    {"cache.pin_cycles", AT(card.cache.pin_cycles), 1, 1'000'000, "clocks", "decision", "longest time for which a line stays pinned for the thread it came for"},
    {"cache.prefetch.streams", AT(card.cache.prefetch.streams), 0, 1'024, "", "Hot Chips 2012", "streams the L2's prefetcher follows; 0: none"},
    {"cache.prefetch.distance", AT(card.cache.prefetch.distance), 0, 63, "lines", "Intel 671479", "how far ahead of a miss it asks"},
    {"cache.prefetch.threshold", AT(card.cache.prefetch.threshold), 2, 64, "", "unverified", "misses to neighbouring lines that make a stream"},
    {"cache.prefetch.by_thread", AT(card.cache.prefetch.by_thread), 0, 0, "", "unverified", "threads of a core train streams of their own"},
    {"ring.data_rings", AT(card.uncore.ring.data_rings), 1, 32, "", "Hot Chips 2012", "data (BL) rings of each direction"},
    {"ring.address_rings", AT(card.uncore.ring.address_rings), 1, 32, "", "Hot Chips 2012", "address (AD) rings of each direction"},
    {"ring.acknowledge_rings", AT(card.uncore.ring.acknowledge_rings), 1, 32, "", "Hot Chips 2012", "acknowledge (AK) rings of each direction"},
    {"ring.hop_cycles", AT(card.uncore.ring.hop_cycles), 1, 100, "clocks", "unverified", "from one stop of the ring to the next"},
    {"ring.eject_cycles", AT(card.uncore.ring.eject_cycles), 0, 1'000, "clocks", "unverified", "from the arrival at a stop to the arrival in the agent"},
    {"ring.local_cycles", AT(card.uncore.ring.local_cycles), 1, 1'000, "clocks", "unverified", "message between agents of one stop"},
    {"ring.alternate_ejection", AT(card.uncore.ring.alternate_ejection), 0, 0, "", "Larrabee had it; unverified", "a stop takes messages of the up rings in even clocks, of the down rings in odd ones"},
    {"directory.cycles", AT(card.uncore.directory_cycles), 1, 100'000, "clocks", "what published latencies leave for it", "from the arrival of a message at a free tag directory slice to the departure of the answer"},
    {"directory.interval", AT(card.uncore.directory_interval), 1, 10'000, "clocks", "unverified", "from one message that a slice takes to the next"},
    {"l3.bytes", AT(card.uncore.l3.slice.bytes), 0, 67'108'864, "bytes", "decision", "L3 slice of a tile; 0: no L3, but tag directories, as on Knights Corner"},
    {"l3.ways", AT(card.uncore.l3.slice.ways), 2, 32, "", "decision", "ways of an L3 slice"},
    {"l3.replacement", AT(card.uncore.l3.slice.policy), 0, 0, "", "decision", "which line of a set of the L3 is replaced"},
    {"l3.cycles", AT(card.uncore.l3.cycles), 1, 100'000, "clocks", "unverified", "from the arrival of a request at a free L3 slice to the departure of the answer"},
    {"l3.forward_cycles", AT(card.uncore.l3.forward_cycles), 1, 100'000, "clocks", "unverified", "the same for all other messages, such as a line from memory"},
    {"l3.interval", AT(card.uncore.l3.interval), 1, 10'000, "clocks", "unverified", "from one message that a slice takes to the next"},
    {"directory.seed", AT(card.uncore.hash.directory_seed), 0, any_seed, "", "unverified", "of the hash that gives lines to slices"},
    {"memory.seed", AT(card.uncore.hash.controller_seed), 0, any_seed, "", "unverified", "of the hash that gives blocks of lines to memory controllers"},
    {"memory.block_lines", AT(card.uncore.hash.block_lines), 1, 65'536, "lines", "leaves rows open; unverified", "consecutive lines of one controller", powers_of_two},
    {"memory.controllers", AT(card.uncore.controllers), 1, 64, "", "mini", "memory controllers"},
    {"memory.data_rate", AT(card.uncore.memory.gddr5.data_rate_mtps), 100, 20'000, "MT/s", "3120A, 5110P", "transfers of a GDDR5 pin"},
    {"memory.lockstep", AT(card.uncore.memory.lockstep), 0, 0, "", "McCalpin 2013", "the two interfaces of a controller work as one"},
    {"memory.row_bytes", AT(card.uncore.memory.row_bytes), 64, 1'048'576, "bytes", "McCalpin 2013", "row of an interface", powers_of_two},
    {"memory.banks", AT(card.uncore.memory.organisation.banks), 1, 64, "", "McCalpin 2013", "banks of an interface", powers_of_two},
    {"memory.groups", AT(card.uncore.memory.organisation.groups), 1, 64, "", "JEDEC", "bank groups of an interface", powers_of_two},
    {"memory.group_lines", AT(card.uncore.memory.group_lines), 1, 65'536, "lines", "unverified", "consecutive lines of one bank group", powers_of_two},
    {"memory.read_queue", AT(card.uncore.memory.organisation.read_queue), 1, 65'536, "", "unverified", "reads an interface holds"},
    {"memory.write_queue", AT(card.uncore.memory.organisation.write_queue), 1, 65'536, "", "unverified", "writes an interface holds"},
    {"memory.write_high", AT(card.uncore.memory.organisation.write_high), 1, 65'536, "", "unverified", "writes waiting at which reads step back"},
    {"memory.write_low", AT(card.uncore.memory.organisation.write_low), 0, 65'535, "", "unverified", "writes waiting at which reads go on"},
    {"memory.age_limit", AT(card.uncore.memory.age_limit_ps), 0, 1'000'000'000, "ps", "unverified", "age at which a request goes before all others"},
    {"memory.front_end", AT(card.uncore.memory.front_end_ps), 0, 10'000'000, "ps", "memory against remote L2, published; unverified", "from a request to its first command"},
    {"memory.back_end", AT(card.uncore.memory.back_end_ps), 0, 10'000'000, "ps", "as memory.front_end", "from the last data of a read to the answer"},
    {"memory.t_rcdrd", AT(card.uncore.memory.gddr5.t_rcdrd_ps), 0, 10'000'000, "ps", "Ramulator 2, Hynix H5GQ2H24AFR; unverified", "ACT to RD"},
    {"memory.t_rcdwr", AT(card.uncore.memory.gddr5.t_rcdwr_ps), 0, 10'000'000, "ps", "Ramulator 2, Hynix H5GQ2H24AFR; unverified", "ACT to WR"},
    {"memory.t_rp", AT(card.uncore.memory.gddr5.t_rp_ps), 0, 10'000'000, "ps", "Ramulator 2, Hynix H5GQ2H24AFR; unverified", "PRE to ACT"},
    {"memory.t_ras", AT(card.uncore.memory.gddr5.t_ras_ps), 0, 10'000'000, "ps", "Ramulator 2, Hynix H5GQ2H24AFR; unverified", "ACT to PRE"},
    {"memory.t_rc", AT(card.uncore.memory.gddr5.t_rc_ps), 0, 10'000'000, "ps", "Ramulator 2, Hynix H5GQ2H24AFR; unverified", "ACT to ACT of one bank"},
    {"memory.t_rrd", AT(card.uncore.memory.gddr5.t_rrd_ps), 0, 10'000'000, "ps", "Ramulator 2, Hynix H5GQ2H24AFR; unverified", "ACT to ACT of any two banks"},
    {"memory.t_faw", AT(card.uncore.memory.gddr5.t_faw_ps), 0, 10'000'000, "ps", "Ramulator 2, Hynix H5GQ2H24AFR; unverified", "window that holds at most four ACT"},
    {"memory.t_wr", AT(card.uncore.memory.gddr5.t_wr_ps), 0, 10'000'000, "ps", "Ramulator 2, Hynix H5GQ2H24AFR; unverified", "end of write data to PRE"},
    {"memory.t_wtr", AT(card.uncore.memory.gddr5.t_wtr_ps), 0, 10'000'000, "ps", "gem5; unverified", "end of write data to RD"},
    {"memory.t_cl", AT(card.uncore.memory.gddr5.t_cl_ps), 0, 10'000'000, "ps", "gem5, GPGPU-Sim; unverified", "RD to data"},
    {"memory.wl", AT(card.uncore.memory.gddr5.wl_ck), 0, 1'000, "CK", "GPGPU-Sim; unverified", "WR to data, in command clocks"},
    {"memory.rtp", AT(card.uncore.memory.gddr5.rtp_ck), 0, 1'000, "CK", "Ramulator 2, Hynix H5GQ2H24AFR; unverified", "RD to PRE"},
    {"memory.ccd", AT(card.uncore.memory.gddr5.ccd_ck), 2, 1'000, "CK", "Ramulator 2, Hynix H5GQ2H24AFR; unverified", "column command to column command"},
    {"memory.ccd_group", AT(card.uncore.memory.gddr5.ccd_group_ck), 2, 1'000, "CK", "Ramulator 2, Hynix H5GQ2H24AFR; unverified", "the same in one bank group"},
    {"memory.turnaround", AT(card.uncore.memory.gddr5.turnaround_ck), 0, 1'000, "CK", "formula of a GDDR3 data sheet; unverified", "idle pins between read and write data"},
    {"memory.refresh", AT(card.uncore.memory.gddr5.refresh), 0, 0, "", "Ramulator 2, Hynix H5GQ2H24AFR; unverified", "the memory is refreshed"},
    {"memory.t_refi", AT(card.uncore.memory.gddr5.t_refi_ps), 0, 1'000'000'000, "ps", "Ramulator 2, Hynix H5GQ2H24AFR; unverified", "interval of refreshes"},
    {"memory.t_rfc", AT(card.uncore.memory.gddr5.t_rfc_ps), 0, 100'000'000, "ps", "Ramulator 2, Hynix H5GQ2H24AFR; unverified", "duration of a refresh"},
    {"pmu.front_end",         AT(card.pmu.front_end),          0, 0, "", "a card has that of Knights Corner", "registers of the PMU: knc, perfmon (architectural performance monitoring, docs/perfmon.md) or p55c (a Pentium with MMX, docs/p55c.md)"},
    {"pmu.reserved_bits",     AT(card.pmu.reserved_bits),      0, 0, "", "decision", "WRMSR that sets a reserved PMU bit: gp (#GP) or ignore (the bit is dropped)"},
    {"pmu.audit",             AT(card.pmu.audit),              0, 0, "", "on in builds with assertions", "check in each clock that counts only grow, and by no more than their bounds; slow"},
    {"pmu.contextless_pmi",   AT(card.pmu.contextless_pmi),    0, 0, "", "PMU guide", "thread that takes the PMI of an event without thread context"},
    {"perfmon.model",         AT(card.pmu.perfmon.model),      0, 255, "", "decision: of no product", "front end perfmon: model in the signature of CPUID, family 6"},
    {"perfmon.version",       AT(card.pmu.perfmon.version),    2, 3, "", "SDM", "front end perfmon: version in CPUID leaf 0xA; 3 has the any-thread bits, 2 has not"},
    {"perfmon.full_width",    AT(card.pmu.perfmon.full_width), 0, 0, "", "SDM", "front end perfmon: the registers from 0x4C1 on exist, and bit 13 of MSR 0x345 says so"},
    {"perfmon.pmi",           AT(card.pmu.perfmon.pmi),        0, 0, "", "decision", "front end perfmon: a PMI for each overflow (pulse), or for each rise of STATUS AND INT (line)"},
    {"perfmon.rdpmc_fast",    AT(card.pmu.perfmon.rdpmc_fast), 0, 0, "", "decision", "front end perfmon: RDPMC with bit 31 of ECX: gp (#GP) or low32 (the low half)"},
    {"perfmon.ref_divider",   AT(card.pmu.perfmon.ref_divider), 1, 1'000'000, "clocks", "decision", "front end perfmon: core clocks of one reference cycle (event 0x3C, umask 0x01)"},
    {"perfmon.pebs",          AT(card.pmu.perfmon.pebs),       0, 0, "", "decision", "front end perfmon: counters can record instructions (PEBS), and CPUID and MSRs say so"},
    {"perfmon.pebs_arm",      AT(card.pmu.perfmon.pebs_arm),   0, 0, "", "decision", "front end perfmon: PEBS records the instruction whose event overflowed (same), or the next one with that event (next)"},
    {"perfmon.pebs_clocks",   AT(card.pmu.perfmon.pebs_clocks), 1, 1'000'000, "clocks", "decision; unverified", "front end perfmon: core clocks that a record takes, beside its accesses"},
    {"cmt.enable",            AT(card.cmt.enable),             0, 0, "", "SDM", "cache monitoring of the L3 (docs/cmt.md); none without an L3"},
    {"cmt.rmids",             AT(card.cmt.rmids),              0, 1024, "", "decision: 0", "monitoring IDs of a thread; 0: the smallest power of two of at least twice the threads"},
    {"cmt.l3_rmids",          AT(card.cmt.l3_rmids),           0, 1024, "", "decision: 0", "monitoring IDs that the L3 tells apart; 0: all"},
    {"cmt.upscale",           AT(card.cmt.upscale),            64, 16'777'216, "bytes", "decision", "bytes for one unit of data in IA32_QM_CTR, a multiple of 64"},
    {"cmt.select_scope",      AT(card.cmt.select_scope),       0, 0, "", "decision", "IA32_QM_EVTSEL is one of each thread, or one of the package"},
    {"cmt.unavailable_clocks", AT(card.cmt.unavailable_clocks), 0, 1'000'000, "clocks", "decision", "after a write of IA32_QM_EVTSEL in which IA32_QM_CTR has no data"},
    {"cmt.bandwidth",         AT(card.cmt.bandwidth),          0, 0, "", "decision", "events 2 and 3: lines read from and written to memory"},
    {"cmt.bandwidth_bits",    AT(card.cmt.bandwidth_bits),     1, 62, "bits", "SDM: 24", "width of their counters"},
    {"cmt.hit",               AT(card.uncore.l3.hit),          0, 0, "", "decision", "whose a line of the L3 is that another monitoring ID hits: still the former's (keep), or the latter's (move)"},
    {"apic.lvtpc_automask",   AT(card.apic.lvtpc_automask),    0, 0, "", "PMU guide", "a PMI sets the mask bit of LVT 0x340"},
    {"apic.timer_clock_ratio", AT(card.apic.timer_clock_ratio), 1, 1'000'000, "clocks", "unverified", "core clocks per clock of the APIC timer before its divider"},
    {"apic.version",          AT(card.apic.version),           0x10, 0x15, "", "card kernel; exact value unverified", "version field of the APIC version register"},
    {"apic.id_bits",          AT(card.apic.id_bits),           8, 9, "bits", "card kernel", "APIC ID: 9 bits at 31:23, destinations at 31:16 (the card), or 8 at 31:24, all of them (PCs)"},
    {"apic.cluster_member_bits", AT(card.apic.cluster_member_bits), 1, 15, "bits", "SDM vol. 3, 10.6.2.2; unverified", "members' part of a logical ID in the cluster model"},
    {"sbox.core_voltage",     AT(card.sbox.core_voltage),      0, 255, "", "3120A", "voltage code of the cores: 250 mV + 5 mV for each step above 1"},
    {"sbox.memory_voltage",   AT(card.sbox.memory_voltage),    0, 255, "", "nominal 1.5 V; unverified", "voltage code of the memory"},
    {"sbox.io_apic_version",  AT(card.sbox.io_apic_version),   0, 255, "", "82093AA; unverified", "version field of the I/O APIC"},
    {"sbox.host_line_cycles", AT(card.sbox.host_line_cycles),  1, 10'000, "clocks", "PCI Express 2.0 x16; unverified", "between two lines of 64 bytes of the host's accesses to memory"},
    {"sbox.download_address", AT(card.sbox.download_address),  0, 0xffff'f000, "bytes", "3120A", "where the bootstrap wants the image of the operating system, in scratchpad 2", numbers::whole_pages},
    {"uart.character_cycles", AT(card.uart.character_cycles),  1, 1'000'000'000, "clocks", "decision", "between two characters that reach the UART"},
    {"uart.handshake",        AT(card.uart.handshake),         0, 0, "", "decision", "characters reach the UART only while its driver listens (docs/sbox.md)"},
    {"limits.max_cycles",     AT(limits.max_cycles),           1, unlimited, "clocks", "", "the run ends at this clock with status 3"},
    {"limits.max_instructions", AT(limits.max_instructions),   1, unlimited, "", "", "the run ends after this many instructions of all threads with status 3"},
    {"sim.quantum",            AT(sim.quantum),                  1, 1'000'000, "clocks", "speed", "how far a tile may run ahead of SystemC time; results do not depend on it"},
    {"sim.host_threads",       AT(sim.host_threads.most),        0, unlimited, "", "speed", "most threads of the host that run tiles; none: as many as it has cores for; 0, 1: one thread. Results do not depend on it"},
    {"sim.break_even",         AT(sim.host_threads.break_even),  0, 1'000'000'000, "clocks", "measured", "work of a step, in clocks of all its tiles together, from which on host threads share it"},
    {"profile.functions",     AT(profile.functions),           0, 0, "", "", "report the instructions and clocks of each function, as --profile"},
    {"fast_forward.to",       AT(fast_forward.to),             0, 0, "", "", "execute without time from the start on, as --fast-forward: until marker N, instructions N, pc ADDRESS or symbol NAME"},
    {"fast_forward.warm",     AT(fast_forward.warm),           0, 0, "", "", "after a fast-forward, caches and TLBs have what the threads have used last; otherwise they are empty"},
    {"fast_forward.quantum",  AT(fast_forward.quantum),        1, 1'000'000, "clocks", "speed", "how long a thread's turn is in a fast-forward, and how far a tile may be ahead of another"},
    {"checkpoint.file",       AT(checkpoint.file),             0, 0, "", "", "write a checkpoint to this file when the first fast-forward ends, as --checkpoint"},
    {"checkpoint.restore",    AT(checkpoint.restore),          0, 0, "", "", "continue the run of the checkpoint in this file, as --restore"},
    {"log.kinds",             AT(log.kinds),                   0, 0, "", "", "lines of the log, as --log: comma list of instructions, msr, apic, exceptions"},
    {"log.threads",           AT(log.threads),                 0, 0, "", "", "threads in the log, comma list of CORE.THREAD or CORE; empty: all"},
    {"log.functions",         AT(log.functions),               0, 0, "", "", "functions whose instructions are in the log, comma list; empty: all"},
    {"log.from",              AT(log.from),                    0, unlimited, "clocks", "", "first clock of the log"},
    {"log.to",                AT(log.to),                      0, unlimited, "clocks", "", "first clock no longer in the log"},
    {"log.lines",             AT(log.lines),                   1, unlimited, "", "", "the log ends after so many lines"},
    {"log.syntax",            AT(log.syntax),                  0, 0, "", "", "of instructions in the log: att or intel"},
    {"timeline.wanted",       AT(timeline.wanted),             0, 0, "", "", "write a time line of the threads (timeline.json), as --timeline"},
    {"timeline.from",         AT(timeline.from),               0, unlimited, "clocks", "", "first clock of the time line"},
    {"timeline.to",           AT(timeline.to),                 0, unlimited, "clocks", "", "first clock no longer in the time line"},
    {"timeline.bytes",        AT(timeline.bytes),              4096, unlimited, "bytes", "", "the time line ends when it is as long"},
    {"trace.scopes",          AT(trace.scopes),                0, 0, "", "", "signals in the trace, comma list of names or patterns as for --trace"},
    {"trace.from",            AT(trace.from),                  0, unlimited, "clocks", "", "first clock in the trace, from power-on or from the trigger's clock"},
    {"trace.to",              AT(trace.to),                    0, unlimited, "clocks", "", "first clock no longer in the trace, likewise"},
    {"trace.trigger",         AT(trace.trigger),               0, 0, "", "", "what starts the trace (docs/waveforms.md): mark N, first pmi, overflow of tileN.pmu.tM, pc SYMBOL, signal NAME == VALUE ..."},
    {"trace.mark",            AT(trace.mark),                  0, unlimited, "", "", "short for the trigger mark N; none: no mark"},
    {"trace.before",          AT(trace.before),                0, 1'000'000'000, "clocks", "", "clocks in the trace before the trigger's clock, in place of trace.from"},
    {"trace.after",           AT(trace.after),                 0, unlimited, "clocks", "", "clocks in the trace from the trigger's clock on, in place of trace.to; none: trace.to counts"},
    {"trace.windows",         AT(trace.windows),               1, unlimited, "", "", "how often the trigger starts the trace again when a window has ended"},
    {"trace.max_bytes",       AT(trace.max_bytes),             0, unlimited, "bytes", "", "size of the VCD text at which the trace ends"},
    {"trace.format",          AT(trace.format),                0, 0, "", "", "file of the trace: vcd (trace.vcd) or fst (trace.fst, by vcd2fst of GTKWave)"},
    {"trace.line",            AT(trace.line),                  0, 0, "", "", "the line whose states are signals (l1d.line, l2.line, directory.line): a physical address, or a symbol of the image"},
};
#undef AT
// clang-format on

}  // namespace

const std::vector<key>& keys() {
    return table;
}

}  // namespace platform
