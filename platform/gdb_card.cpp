#include <platform/gdb_card.h>

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include <knc/pmu/event_table.h>
#include <knc/pmu/own_events.h>

#include <platform/gdb_registers.h>

namespace platform {

namespace core = knc::core;
namespace isa = knc::isa;

namespace {

constexpr std::size_t per_core = knc::base::threads_per_core;
constexpr std::uint64_t line_bytes = knc::base::line_bytes;

// Calls run(physical address, offset, size) for each part of [la, la + size) that lies in one line,
// until one returns false or is not mapped. Returns the bytes before that.
template <class Run>
std::size_t each_line(isa::context& c, std::uint64_t la, std::size_t size, Run run) {
    std::size_t done = 0;
    while (done < size) {
        const std::uint64_t at = la + done;
        const auto part = std::min<std::size_t>(size - done, line_bytes - at % line_bytes);
        std::uint64_t paddr = 0;
        if (!c.probe(at, paddr) || !run(paddr, done, part)) break;
        done += part;
    }
    return done;
}

}  // namespace

gdb_card::gdb_card(knc::card::card& c, host_access& memory, gdb_code code, stop_point stop,
                   trace_switch trace)
    : card_(c),
      memory_(memory),
      registers_(gdb_register_set::of(code)),
      stop_(std::move(stop)),
      trace_(std::move(trace)) {
    for (std::size_t n = 0; n < card_.tiles(); ++n) card_[n].cpu().attach(*this);
}

core::core& gdb_card::core_of(std::size_t thread) const {
    return card_[thread / per_core].cpu();
}

const isa::state& gdb_card::state_of(std::size_t thread) const {
    return core_of(thread).state(thread % per_core);
}

// What has been counted belongs to whole cycles.
bool gdb_card::between_cycles(std::size_t thread) const {
    return &core_of(thread) != amid_;
}

std::size_t gdb_card::threads() const {
    return card_.tiles() * per_core;
}

bool gdb_card::exists(std::size_t thread) const {
    return retired(thread) != 0 || thread == card_.config().boot_core * per_core ||
           core_of(thread).running(thread % per_core) != core::run_state::wait_for_sipi;
}

std::string gdb_card::name(std::size_t thread) const {
    return fmt::format("{}.{}", thread / per_core, thread % per_core);
}

std::string gdb_card::state(std::size_t thread) const {
    constexpr const char* names[] = {"running", "halted", "wait-for-SIPI", "shutdown"};
    return names[static_cast<std::size_t>(core_of(thread).running(thread % per_core))];
}

bool gdb_card::runs(std::size_t thread) const {
    return core_of(thread).running(thread % per_core) == core::run_state::running;
}

std::uint64_t gdb_card::rip(std::size_t thread) const {
    return linear_rip(state_of(thread));
}

std::uint64_t gdb_card::retired(std::size_t thread) const {
    return core_of(thread).instructions(thread % per_core);
}

std::string gdb_card::read_register(std::size_t thread, std::size_t number) const {
    return registers_.read(state_of(thread), number);
}

bool gdb_card::write_register(std::size_t thread, std::size_t number, std::string_view bytes) {
    core::core& c = core_of(thread);
    isa::context& context = c.context(thread % per_core);
    if (number != registers_.ip()) return registers_.write(context, number, bytes);
    const auto la = registers_.ip_of(bytes);
    return la && c.move(thread % per_core, *la - context.s.seg[isa::cs].base);
}

std::string gdb_card::read_memory(std::size_t thread, std::uint64_t la, std::size_t size) {
    isa::context& c = core_of(thread).context(thread % per_core);
    std::string bytes(size, '\0');
    const std::size_t done =
        each_line(c, la, size, [&](std::uint64_t paddr, std::size_t offset, std::size_t part) {
            if (!memory_.read(paddr, bytes.data() + offset, part)) return false;
            c.env.forward_stores(paddr, static_cast<unsigned>(part),
                                 reinterpret_cast<std::uint8_t*>(bytes.data()) + offset);
            return true;
        });
    bytes.resize(done);
    return bytes;
}

bool gdb_card::write_memory(std::size_t thread, std::uint64_t la, std::string_view bytes) {
    if (read_memory(thread, la, bytes.size()).size() != bytes.size()) return false;
    isa::context& c = core_of(thread).context(thread % per_core);
    return each_line(c, la, bytes.size(),
                     [&](std::uint64_t paddr, std::size_t offset, std::size_t part) {
                         return memory_.write(paddr, bytes.data() + offset, part);
                     }) == bytes.size();
}

bool gdb_card::read_msr(std::size_t thread, std::uint32_t number, std::uint64_t& value) {
    return between_cycles(thread) && card_.read_msr(thread, number, value);
}

bool gdb_card::write_msr(std::size_t thread, std::uint32_t number, std::uint64_t value) {
    return between_cycles(thread) && card_.write_msr(thread, number, value);
}

std::string gdb_card::counts(std::size_t thread) {
    core::core& c = core_of(thread);
    if (between_cycles(thread)) c.settle();
    std::string text;
    for (std::size_t n = 0; n < knc::base::event_count; ++n) {
        const auto e = static_cast<knc::base::event>(n);
        const std::uint64_t count = c.counts().total(thread % per_core, e);
        if (count != 0) text += fmt::format("{:<38} {:>16}\n", knc::pmu::info(e).name, count);
    }
    const knc::pmu::parameters& p = card_.config().pmu;
    for (const knc::pmu::own_event& e : knc::pmu::own_events(p.front_end, p.perfmon.l3))
        text += fmt::format("{:<38} {:>16}\n", e.name, c.counts().total(thread % per_core, e.cell));
    return text;
}

std::uint64_t gdb_card::cycle(std::size_t thread) const {
    return core_of(thread).now();
}

void gdb_card::ask(std::size_t thread, bool on) {
    core_of(thread).watch(thread % per_core, on);
}

void gdb_card::watch(const std::vector<gdb_watch>& list) {
    if (list == watches_) return;
    watches_ = list;
    watched_.clear();
    for (const gdb_watch& w : list)
        watched_.push_back({w.address, w.address + (w.size - 1), w.of != gdb_watch::kind::write,
                            w.of != gdb_watch::kind::read});
    for (std::size_t n = 0; n < card_.tiles(); ++n)
        card_[n].cpu().watch_data(watched_.empty() ? nullptr : &watched_);
}

std::optional<gdb_hit> gdb_card::take_hit(std::size_t thread) {
    const auto hit = core_of(thread).context(thread % per_core).watched.take_outside_hit();
    if (!hit || hit->watch >= watches_.size()) return {};
    return gdb_hit{watches_[hit->watch].of, hit->la};
}

void gdb_card::end() {
    card_.stop("gdb");
}

void gdb_card::before_instruction(std::uint16_t n, unsigned thread, core::issue_place place) {
    if (place == core::issue_place::second) amid_ = &card_[n].cpu();
    stop_(n * per_core + thread);
    amid_ = nullptr;
}

}  // namespace platform
