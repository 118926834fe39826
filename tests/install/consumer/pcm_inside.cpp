// The monitor inside a SystemC program: the program lets its card run from state to state.
#include <knc/card/monitor_source.h>
#include <knc/monitor.h>

#include "three_passes.h"

using namespace knc::pcm;

namespace {

std::uint64_t instructions_of(double interval, std::uint64_t& misses) {
    static int number = 0;
    knc::card::monitor_source source;
    knc::card::run_control control;
    control.observed = source.observer();
    const std::string name = "card" + std::to_string(number++);
    knc::card::card card{name.c_str(), three_passes::parameters(), control};
    three_passes::host host{(name + "_host").c_str()};
    host.socket.bind(card.host);
    card.boot(three_passes::program_at, 0, 0);
    source.watch(card);
    PCM::attach(source);
    PCM* const m = PCM::getInstance();
    expect(m->program() == PCM::Success, "the card is there");

    SystemCounterState before = m->getSystemCounterState();
    const SystemCounterState begin = before;
    expect(m->lastSnapshot().cycle == 0, "before the first cycle");
    std::uint64_t sum = 0, steps = 0;
    while (!m->lastSnapshot().ended) {
        const std::uint64_t cycle = m->lastSnapshot().cycle;
        m->runFor(interval);
        const SystemCounterState after = m->getSystemCounterState();
        sum += getInstructionsRetired(before, after);
        before = after;
        const auto wanted = cycle + static_cast<std::uint64_t>(
                                        interval * static_cast<double>(card.config().clock_hz));
        expect(m->lastSnapshot().ended || m->lastSnapshot().cycle == wanted, "in that cycle");
        ++steps;
    }
    expect(steps > 3, "in several steps");
    expect(sum == card.instructions(), "the steps add up");
    misses = getEvent("DATA_READ_MISS", begin, before);
    m->cleanup();
    expect(card.result().code == three_passes::exit_code, "ended by the program");
    return sum;
}

}  // namespace

int sc_main(int, char**) {
    std::uint64_t misses = 0;
    const std::uint64_t n = instructions_of(2e-6, misses);
    expect(n > three_passes::passes * three_passes::lines * 4, "the program has run");
    expect(misses == three_passes::passes * three_passes::lines, "each load missed");
    return failures == 0 ? 0 : 1;
}
