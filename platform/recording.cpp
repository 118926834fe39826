#include <platform/recording.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include <fmt/format.h>

namespace platform {

namespace base = knc::base;

namespace {

// So many steps at least are put in order at a time.
constexpr std::size_t least_kept = 4096;

bool earlier(const record& a, const record& b) {
    return std::tie(a.clock, a.thread.core, a.thread.thread, a.number) <
           std::tie(b.clock, b.thread.core, b.thread.thread, b.number);
}

}  // namespace

// The interrupt fabric reports a message when it arbitrates, an overflow is known in the clock
// after it, and an instruction in its last clock.
recording::recording(knc::card::card& card, const function_profile& functions,
                     instructions_if* each)
    : functions_(functions),
      each_(each),
      lateness_(card.config().core.device_cycles + card.config().ipi_cycles + 1),
      places_(card.tiles() * base::threads_per_core) {
    card.attach(*this, each != nullptr);
}

void recording::mark(std::uint32_t number, cycle_t at) {
    keep(base::no_thread, at, steps::mark{number});
}

void recording::synchronised(cycle_t now) {
    if (kept_.size() >= least_kept && now > lateness_) pass_on(now - lateness_);
}

void recording::finish(cycle_t end) {
    pass_on(base::never);
    for (listener* l : listeners_) l->finish(end);
}

void recording::keep(thread_number n, cycle_t clock, step s) {
    kept_.push_back({clock, n, count_++, std::move(s)});
}

void recording::pass_on(cycle_t before) {
    const auto rest = std::partition(kept_.begin(), kept_.end(),
                                     [before](const record& r) { return r.clock < before; });
    std::sort(kept_.begin(), rest, earlier);
    for (auto r = kept_.begin(); r != rest; ++r)
        for (listener* l : listeners_) l->take(*r);
    kept_.erase(kept_.begin(), rest);
}

void recording::state_changed(thread_number n, base::run_state s, cycle_t from) {
    keep(n, from, steps::state_change{s});
}

void recording::reset(std::uint16_t core, cycle_t now) {
    for (std::uint8_t t = 0; t < base::threads_per_core; ++t) {
        place_of({core, t}) = {};
        keep({core, t}, now, steps::core_reset{});
    }
}

void recording::code_entered(thread_number n, base::privilege level, std::uint64_t ip,
                             std::uint64_t sp, cycle_t now) {
    place_of(n) = functions_.found_last();
    keep(n, now, steps::code_entry{place_of(n), level, ip, sp});
}

void recording::retired(thread_number n, const base::retired_instruction& i, cycle_t now) {
    std::string text = each_->text(n, i, place_of(n), now);
    if (!text.empty()) keep(n, now, steps::instruction{i, place_of(n), std::move(text)});
}

void recording::event_taken(thread_number n, const base::event_entry& e, cycle_t now) {
    if (each_ != nullptr) each_->handler_entered(n);
    const symbols::place& p = place_of(n);
    const bool known = e.ip >= p.low && e.ip < p.high;
    keep(n, now, steps::event{e, known ? p : symbols::place{}});
}

void recording::handler_begins(thread_number n, cycle_t now) {
    keep(n, now, steps::handler_begin{});
}

void recording::handler_returns(thread_number n, std::uint64_t sp, std::uint8_t cpl, cycle_t now) {
    keep(n, now, steps::handler_return{sp, cpl});
}

void recording::msr_accessed(thread_number n, std::uint32_t number, bool write, std::uint64_t value,
                             bool accepted, cycle_t now) {
    keep(n, now, steps::msr_access{number, write, accepted, value});
}

void recording::pmi_raised(thread_number n, cycle_t at) {
    keep(n, at, steps::pmi_raise{});
}

void recording::pmi_arrived(thread_number n, std::uint32_t lvt_entry, base::pmi_fate f,
                            cycle_t now) {
    keep(n, now, steps::pmi_arrival{lvt_entry, f});
}

void recording::apic_written(thread_number n, std::uint32_t offset, std::uint32_t value,
                             std::uint8_t in_service, cycle_t now) {
    keep(n, now, steps::apic_write{offset, value, in_service});
}

void recording::message_sent(thread_number from, thread_number to, std::uint64_t message,
                             cycle_t sent, cycle_t arrives) {
    keep(from, sent, steps::message_sent{to, message, arrives});
}

void recording::message_received(thread_number n, std::uint64_t message, cycle_t now) {
    keep(n, now, steps::message_received{message});
}

void recording::timer_expired(thread_number n, std::uint32_t lvt_entry, cycle_t now) {
    keep(n, now, steps::timer_expiry{lvt_entry});
}

void recording::miss_begins(thread_number n, std::uint64_t line, bool to_write, cycle_t now) {
    keep(n, now, steps::miss_begin{line, to_write});
}

void recording::miss_ends(std::uint16_t core, std::uint64_t line, cycle_t now) {
    keep({core, 0}, now, steps::miss_end{line});
}

std::string place_text(const symbols::place& p, std::uint64_t ip, const program& image) {
    if (p.in == nullptr) return {};
    const std::string of = p.in == &image ? "" : p.in->file.name + ':';
    if (p.function == function_table::none) return of + no_function;
    const function& f = p.in->functions.functions()[p.function];
    return fmt::format("{}{}+{:#x}", of, f.name, ip + p.distance - f.address);
}

}  // namespace platform
