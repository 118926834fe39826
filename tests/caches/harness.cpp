#include "harness.h"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include <knc/pmu/event_table.h>

namespace knc::caches {

namespace {

constexpr std::uint32_t line_bytes = 64;
constexpr base::cycle_t longest = 20'000'000;
// Before this clock every thread waits for the start; the programs do not run before `window`
// later.
constexpr base::cycle_t all_wait = 35'000, window = 1'000;

// Programs begin in the middle of a page, away from the sets of data, which lie in its first half.
std::uint32_t address_of(const guest& g) {
    return 0x100800 + 0x10000 * g.tile + 0x1000 * g.thread;
}

constexpr std::array events_of_l1 = {base::data_read,
                                     base::data_write,
                                     base::data_read_or_write,
                                     base::data_read_miss,
                                     base::data_write_miss,
                                     base::data_read_miss_or_write_miss,
                                     base::data_cache_lines_written_back,
                                     base::code_cache_miss,
                                     base::l1_data_pf1,
                                     base::l1_data_pf1_miss,
                                     base::l1_data_pf1_drop,
                                     base::l1_data_hit_inflight_pf1,
                                     base::l1_data_pf2,
                                     base::l2_data_pf1_miss,
                                     base::vpu_data_read,
                                     base::vpu_data_write,
                                     base::vpu_data_read_miss,
                                     base::vpu_data_write_miss};

// Runs on every thread, at 0x7000: to 64-bit mode, by tables that need no update; a word of each
// region of data, so that its translation is known; then, at the start, to the program at EBX.
constexpr std::uint32_t entry = 0x7000;
KNC_PROGRAM(enter,
            "lgdt 0x8080\nmovl $0x20, %eax\nmovl %eax, %cr4\nmovl $0x9000, %eax\nmovl %eax, %cr3\n"
            "movl $0xC0000080, %ecx\nmovl $0x100, %eax\nxorl %edx, %edx\nwrmsr\n"
            "movl $0x80000001, %eax\nmovl %eax, %cr0\nljmp $8, $(1f - enter_begin + 0x7000)\n"
            ".code64\n1: movl 0x5ffe00, %eax\nmovl 0x7ffe00, %eax\n" AT(
                0) "xorl %eax, %eax\nxorl %edx, %edx\njmp *%rbx\n");

card::run_control control() {
    card::run_control c;
    c.quantum = window;
    c.max_cycles = longest;
    c.warning = [](const std::string& text) { ADD_FAILURE() << text; };
    return c;
}

bool of_core(base::event e) {
    return pmu::info(e).scope == pmu::event_scope::core;
}

}  // namespace

counts loads(std::uint64_t n) {
    return n * (counts{base::data_read} + base::data_read_or_write);
}
counts stores(std::uint64_t n) {
    return n * (counts{base::data_write} + base::data_read_or_write);
}
counts read_miss() {
    return loads(1) + base::data_read_miss + base::data_read_miss_or_write_miss;
}
counts write_miss() {
    return stores(1) + base::data_write_miss + base::data_read_miss_or_write_miss;
}
counts read_from_memory() {
    return read_miss() + base::l2_read_miss + base::l2_data_read_miss_mem_fill;
}
counts read_from_tile() {
    return read_miss() + base::l2_read_miss + base::l2_data_read_miss_cache_fill;
}
counts written_from_memory() {
    return write_miss() + base::l2_data_write_miss_mem_fill;
}
counts written_from_tile() {
    return write_miss() + base::l2_data_write_miss_cache_fill;
}
counts code_from_memory() {
    return counts{base::code_cache_miss} + base::l2_read_miss + base::l2_code_read_miss_mem_fill;
}
counts code_from_tile() {
    return counts{base::code_cache_miss} + base::l2_read_miss + base::l2_code_read_miss_cache_fill;
}

card::parameters standard_parameters(unsigned tiles) {
    card::parameters p;
    p.tiles = tiles;
    p.memory_size = 16u << 20;
    p.cache.prefetch.streams = 0;
    return p;
}

conditions tuned(void (*tune)(card::parameters&)) {
    conditions c;
    c.tune = tune;
    return c;
}
conditions with(const placed& p) {
    conditions c;
    c.more.push_back(p);
    return c;
}
conditions checked(void (*check)(machine&)) {
    conditions c;
    c.check = check;
    return c;
}

bool watched(base::event e) {
    return pmu::info(e).unit == pmu::event_unit::cri ||
           std::find(events_of_l1.begin(), events_of_l1.end(), e) != events_of_l1.end();
}

machine::machine(sc_core::sc_module_name name, const card::parameters& p, std::vector<guest> guests,
                 std::vector<placed> more, armed_counters armed)
    : sc_module(name),
      guests_(std::move(guests)),
      placed_(std::move(more)),
      armed_(std::move(armed)),
      card_("card", p, control()) {
    host_.bind(card_.host);
}

void machine::put(std::uint32_t address, const void* data, std::size_t size) {
    tlm::tlm_generic_payload t;
    const auto length = static_cast<unsigned>(size);
    t.set_command(tlm::TLM_WRITE_COMMAND);
    t.set_address(address);
    t.set_data_ptr(static_cast<unsigned char*>(const_cast<void*>(data)));
    t.set_data_length(length);
    t.set_streaming_width(length);
    EXPECT_EQ(host_->transport_dbg(t), length);
}

std::uint32_t machine::read(std::uint32_t address) {
    std::uint32_t v = 0;
    tlm::tlm_generic_payload t;
    t.set_command(tlm::TLM_READ_COMMAND);
    t.set_address(address);
    t.set_data_ptr(reinterpret_cast<unsigned char*>(&v));
    t.set_data_length(sizeof v);
    t.set_streaming_width(sizeof v);
    EXPECT_EQ(host_->transport_dbg(t), sizeof v);
    return v;
}

// Every thread is as if a start-up message had brought it here.
void machine::start_of_simulation() {
    constexpr std::uint64_t present = 0x3, used = 0x60, large = 0x80;
    const std::uint64_t words[][2] = {
        {0x8008, 0x0020'9b00'0000'0000},               // 64-bit code
        {0x8080, std::uint64_t{0x8000} << 16 | 0x0f},  // GDTR: limit 15, base 0x8000
        {0x9000, 0xa000 | present | used},
        {0xa000, 0xb000 | present | used},
        {0xb000, 0x00'0000 | present | used | large},
        {0xb008, 0x20'0000 | present | used | large},
        {0xb010, 0x40'0000 | present | used | large},
        {0xb018, 0x60'0000 | present | used | large},
        {0xb020, 0xc000 | present | used},
        {0xc000, 0x80'0000 | present | used},
        {0xc008, 0x80'1000 | present}};
    for (const auto& [address, value] : words)
        put(static_cast<std::uint32_t>(address), &value, sizeof value);
    put(entry, enter);
    for (const placed& p : placed_) put(p.address, p.text);
    for (const guest& g : guests_) {
        put(address_of(g), g.text);
        card::tile& t = card_[g.tile];
        if (t.apic(g.thread).waiting_for_startup()) {
            std::uint8_t vector = 0;
            apic::interrupt_message m;
            m.mode = apic::delivery_mode::startup;
            t.apic(g.thread).receive(m, 0);
            t.apic(g.thread).take_startup(vector);
        }
        t.cpu().boot(g.thread, entry, 0, address_of(g));
    }
}

void machine::run(const std::vector<machine*>& machines) {
    // All end in one clock, and each says so.
    sc_core::sc_report_handler::set_actions("sc_stop has already been called",
                                            sc_core::SC_DO_NOTHING);
    const base::clock clock(machines.front()->card_.config().clock_hz);
    sc_core::sc_start(clock.at(all_wait));
    for (machine* m : machines) m->start();
    sc_core::sc_start();
    for (machine* m : machines) m->expect_halted();
}

// All threads wait: what the programs raise begins here.
void machine::start() {
    before_.resize(card_.tiles());
    settle();
    for (unsigned tile = 0; tile < card_.tiles(); ++tile)
        for (unsigned t = 0; t < base::threads_per_core; ++t)
            for (std::size_t e = 0; e < base::cell_count; ++e)
                before_[tile][t][e] = total(tile, t, static_cast<base::event>(e));
    for (const armed_counter& c : armed_) arm(card_[c.tile].pmu(), c);
    // From now on the cores look at their counters when they may overflow.
    settle();
}

void machine::settle() {
    for (unsigned tile = 0; tile < card_.tiles(); ++tile) card_[tile].cpu().settle();
}

void machine::expect_halted() {
    EXPECT_EQ(card_.result().reason, card::stop_reason::deadlock) << card_.result().detail;
    for (const guest& g : guests_)
        EXPECT_EQ(card_[g.tile].cpu().running(g.thread), core::run_state::halted)
            << "thread " << g.thread << " of tile " << g.tile;
}

void machine::expect_counters_agree() {
    for (const armed_counter& c : armed_)
        expect_counted(card_[c.tile].pmu(), c,
                       c.any_thread ? count(c.tile, c.event) : count(c.tile, c.thread, c.event));
}

std::uint64_t machine::count(unsigned tile, base::event e) const {
    std::uint64_t n = 0;
    for (unsigned t = 0; t < base::threads_per_core; ++t) n += count(tile, t, e);
    return n;
}

std::uint64_t machine::code_lines(const guest& g) {
    return (static_cast<std::uint64_t>(g.text.end - g.text.begin) + line_bytes - 1) / line_bytes;
}

kernel::kernel(const char* suite, const char* name, std::vector<guest> guests,
               std::vector<share> shares, conditions c)
    : name_(std::string(suite) + '.' + name),
      guests_(std::move(guests)),
      shares_(std::move(shares)),
      conditions_(std::move(c)) {
    registry().push_back(this);
}

kernel::kernel(const char* suite, const char* name, const program& text, const counts& raised,
               conditions c)
    : kernel(suite, name, {{0, 0, text}}, {{0, 0, raised}}, std::move(c)) {}

std::vector<const kernel*>& kernel::registry() {
    static std::vector<const kernel*> kernels;
    return kernels;
}

const std::vector<const kernel*>& kernel::all() {
    return registry();
}

std::uint64_t kernel::expected(base::event e) const {
    std::uint64_t n = 0;
    for (const share& s : shares_) n += s.raised[e];
    return n;
}

std::uint64_t kernel::expected(unsigned tile, unsigned thread, base::event e) const {
    std::uint64_t n = 0;
    for (const share& s : shares_)
        if (s.tile == tile && (s.thread == thread || of_core(e))) n += s.raised[e];
    for (const guest& g : guests_)
        if (g.tile == tile && g.thread == thread)
            n += (machine::code_lines(g) * code_from_memory())[e];
    return n;
}

// As far as it is not known before.
std::uint64_t kernel::expected(machine& m, unsigned tile, unsigned thread, base::event e) const {
    std::uint64_t n = expected(tile, thread, e);
    if (e != base::data_read && e != base::data_read_or_write) return n;
    for (const share& s : shares_)
        if (s.tile == tile && s.thread == thread && s.loads_at != 0)
            n += m.read(s.loads_at) - s.raised[base::data_read];
    return n;
}

card::parameters kernel::parameters() const {
    unsigned tiles = 2;
    for (const guest& g : guests_) tiles = std::max(tiles, g.tile + 1);
    card::parameters p = standard_parameters(tiles);
    if (conditions_.tune != nullptr) conditions_.tune(p);
    return p;
}

std::vector<armed_counters> kernel::runs() const {
    std::vector<base::event> events;
    for (std::size_t n = 0; n < base::event_count; ++n)
        if (watched(static_cast<base::event>(n))) events.push_back(static_cast<base::event>(n));
    return runs_to_count(parameters().tiles, events,
                         [this](unsigned tile, unsigned thread, base::event e) {
                             return expected(tile, thread, e);
                         });
}

void kernel::run() const {
    std::vector<std::unique_ptr<machine>> machines;
    std::vector<machine*> all;
    for (armed_counters& armed : runs()) {
        const std::string name = "machine" + std::to_string(machines.size());
        machines.push_back(std::make_unique<machine>(name.c_str(), parameters(), guests_,
                                                     conditions_.more, std::move(armed)));
        all.push_back(machines.back().get());
    }
    machine::run(all);
    for (machine* m : all) {
        compare(*m);
        m->expect_counters_agree();
        if (conditions_.check != nullptr) conditions_.check(*m);
    }
}

void kernel::compare(machine& m) const {
    for (unsigned tile = 0; tile < m.whole().tiles(); ++tile)
        for (unsigned thread = 0; thread < base::threads_per_core; ++thread)
            for (std::size_t n = 0; n < base::event_count; ++n) {
                const auto e = static_cast<base::event>(n);
                if (!watched(e)) continue;
                EXPECT_EQ(m.count(tile, thread, e), expected(m, tile, thread, e))
                    << name_ << ": " << pmu::info(e).name << " of tile " << tile << ", thread "
                    << thread;
            }
}

namespace {

class kernels : public testing::TestWithParam<const kernel*> {};

TEST_P(kernels, raises_these_events) {
    GetParam()->run();
}

// Filled in before main(): the tests are named when they are listed.
INSTANTIATE_TEST_SUITE_P(run, kernels, testing::ValuesIn(kernel::all()), [](const auto& k) {
    std::string name = k.param->name();
    std::replace(name.begin(), name.end(), '.', '_');
    return name;
});

}  // namespace

}  // namespace knc::caches
