#include "machine.h"

#include <algorithm>

#include <fmt/format.h>

namespace knc::test {

namespace {

constexpr std::uint64_t core_hz = 1'238'094'000;
// Clocks after which an access that is not complete counts as stuck. All threads may want one line,
// and each may keep it for pin_cycles.
constexpr base::cycle_t patience = 3'000'000;

}  // namespace

machine::machine(const machine_parameters& p, std::uint64_t seed)
    : p_(p),
      truth_(p.lines, seed),
      fabric_(p.uncore, p.tiles, core_hz, truth_, *this),
      random_(seed) {
    for (unsigned n = 0; n < p.tiles; ++n)
        tiles_.push_back(std::make_unique<tile>(
            static_cast<std::uint8_t>(n), p.cache, fabric_.hash(), truth_, seed, p.accesses,
            tile::outside{
                [this](const coherence::message& m, base::cycle_t leaves) { send(m, leaves); },
                [this](const std::string& text) { fail(text); }}));
}

std::string machine::run() {
    run_tiles();
    for (line_t l = truth::first_line; l < truth_.end_line(); ++l)
        if (value(l) != truth_.line(l)) fail(fmt::format("line {:#x} ends with a wrong value", l));
    // A clock that does not depend on the window.
    now_ = (now_ / p_.inspection + 1) * p_.inspection;
    for (const auto& t : tiles_) t->flush(now_);
    run_tiles();
    for (line_t l = truth::first_line; l < truth_.end_line(); ++l) {
        if (p_.uncore.l3.exists()) {
            // The L3 keeps what the tiles have written back.
            const cache::l3_cache& home = fabric_.l3(fabric_.hash().home(l)).logic();
            if (home.summary_of(l).holders != 0)
                fail(fmt::format("the L3 remembers copies of line {:#x}", l));
            if (value(l) != truth_.line(l)) fail(fmt::format("line {:#x} is lost in a flush", l));
            for (const auto& t : tiles_)
                if (t->caches().state(l) != coherence::l2_state::i)
                    fail(fmt::format("line {:#x} is in a cache after a flush", l));
            continue;
        }
        if (!truth_.in_memory(l)) fail(fmt::format("line {:#x} is not in memory after a flush", l));
        for (const auto& t : tiles_)
            if (t->caches().state(l) != coherence::l2_state::i)
                fail(fmt::format("line {:#x} is in a cache after a flush", l));
        if (!fabric_.lines().only_in_memory(l))
            fail(fmt::format("a slice remembers line {:#x}", l));
    }
    for (const auto& t : tiles_) {
        const std::string wrong = t->wrong_counts(p_.cache.prefetch.streams != 0);
        if (!wrong.empty()) fail(wrong);
    }
    if (p_.uncore.l3.exists()) compare_traffic();
    return error_;
}

// What the slices count for all monitoring IDs is what the controllers have accepted.
void machine::compare_traffic() {
    std::uint64_t fetched = 0, written = 0, reads = 0, writes = 0;
    const auto add = [&](const cache::l3_usage& u) {
        fetched += u.fetched;
        written += u.written;
    };
    for (unsigned t = 0; t < p_.tiles; ++t) {
        const cache::l3_cache& slice = fabric_.l3(t).logic();
        for (const cache::l3_usage& u : slice.usage()) add(u);
        add(slice.others());
    }
    for (unsigned c = 0; c < p_.uncore.controllers; ++c) {
        reads += fabric_.controller(c).reads();
        writes += fabric_.controller(c).writes();
    }
    if (fetched != reads || written != writes)
        fail(fmt::format("monitoring IDs have read {} lines and written {}, memory {} and {}",
                         fetched, written, reads, writes));
}

void machine::run_tiles() {
    base::cycle_t next_inspection = (now_ / p_.inspection + 1) * p_.inspection;
    const auto finished = [this] {
        return fabric_.next_event() == base::never &&
               std::all_of(tiles_.begin(), tiles_.end(), [](const auto& t) {
                   return t->finished() && t->next_activity() == base::never;
               });
    };
    while (error_.empty() && !finished()) {
        step(next_inspection);
        if (!truth_.error().empty()) fail(truth_.error());
        if (now_ != next_inspection) continue;
        inspect();
        next_inspection += p_.inspection;
    }
}

void machine::step(base::cycle_t horizon) {
    base::cycle_t next = fabric_.next_delivery();
    for (const auto& t : tiles_) next = std::min(next, t->next_activity());
    if (next > now_) {
        now_ = std::min(next, horizon);
        return;
    }
    const base::cycle_t interval = p_.window != 0 ? p_.window : cache::least_send_cycles(p_.cache);
    const base::cycle_t end = std::min((now_ / interval + 1) * interval, horizon);
    fabric_.run(end - 1);
    for (const auto& t : tiles_) t->run(end);
    now_ = end;
}

void machine::inspect() {
    const bool stopped = fabric_.next_event() == base::never &&
                         std::all_of(tiles_.begin(), tiles_.end(), [](const auto& t) {
                             return t->next_activity() == base::never;
                         });
    for (const auto& t : tiles_) {
        const base::cycle_t since = t->oldest();
        if ((since != base::never && now_ - since > patience) || (stopped && !t->finished()))
            fail(fmt::format("stuck at {}: {}", now_, t->describe()));
    }
    for (line_t l = truth::first_line; l < truth_.end_line(); ++l) {
        one_writer(l);
        if (!truth_.uncached(l) && !owned_without_data(l)) debug_access(l);
    }
}

// Who may write has the only copy.
void machine::one_writer(line_t l) {
    unsigned readers = 0, writers = 0, owners = 0;
    for (const auto& t : tiles_) {
        const coherence::l2_state s = t->caches().state(l);
        readers += coherence::readable(s);
        writers += coherence::writable(s);
        owners += s == coherence::l2_state::o || s == coherence::l2_state::om_a;
    }
    if (writers > 1 || (writers == 1 && readers > 1) || owners > 1)
        fail(fmt::format("line {:#x} at {}: {} tiles may write, {} may read, {} own it", l, now_,
                         writers, readers, owners));
}

// What it was before may be lost.
bool machine::owned_without_data(line_t l) const {
    return std::any_of(tiles_.begin(), tiles_.end(), [l](const auto& t) {
        return t->caches().state(l) == coherence::l2_state::im_a;
    });
}

line_data machine::value(line_t l) {
    coherence::debug_view view(l);
    for (const auto& t : tiles_) t->caches().view(view);
    fabric_.lines().view(view);
    return view.value();
}

void machine::debug_access(line_t l) {
    if (value(l) != truth_.line(l))
        return fail(fmt::format("a debugger reads an old value of line {:#x} at {}", l, now_));
    if (random_() % 8 != 0) return;
    line_data d{};
    for (std::uint8_t& byte : d) byte = static_cast<std::uint8_t>(random_());
    const byte_mask mask = random_();
    for (const auto& t : tiles_) t->caches().debug_write(l, d.data(), mask);
    truth_.debug_write(l, d, mask);
    fabric_.lines().debug_write(l, d, mask);
}

void machine::send(coherence::message m, base::cycle_t leaves) {
    // Four monitoring IDs, of which the L3 tells apart three.
    m.tag = static_cast<std::uint16_t>((m.requester + m.line) % 4);
    if (!p_.tamper || p_.tamper(m)) fabric_.send(m, leaves);
}

void machine::deliver(unsigned tile, const coherence::message& m, base::cycle_t clock) {
    if (!p_.tamper) return tiles_[tile]->receive(m, clock);
    coherence::message changed = m;
    if (!p_.tamper(changed)) return;
    if (changed.destination == m.destination)
        tiles_[tile]->receive(changed, clock);
    else
        fabric_.send(changed, clock + p_.cache.reply_cycles);
}

std::uint64_t machine::done(access::kind_t k) const {
    std::uint64_t n = 0;
    for (const auto& t : tiles_) n += t->done(k);
    return n;
}

std::uint64_t machine::fingerprint() const {
    std::uint64_t hash = 0;
    const auto add = [&](std::uint64_t value) { hash = (hash ^ value) * 0x100000001b3; };
    for (const auto& t : tiles_) {
        add(t->fingerprint());
        for (unsigned n = 0; n < base::threads_per_core; ++n)
            for (unsigned e = 0; e < base::event_count; ++e)
                add(t->counts().total(n, static_cast<base::event>(e)));
    }
    return hash;
}

}  // namespace knc::test
