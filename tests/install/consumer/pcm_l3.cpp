// The monitor on a card with an L3 and cache monitoring: how much of the L3 a thread has, and its
// traffic with memory.
#include <string>
#include <vector>

#include <knc/card/monitor_source.h>
#include <knc/monitor.h>

#include "three_passes.h"

using namespace knc::pcm;

namespace {

knc::card::parameters with_l3() {
    knc::card::parameters p = three_passes::parameters();
    p.profile = knc::isa::profile::compat;
    p.pmu.front_end = knc::pmu::front_end_kind::perfmon;
    p.uncore.l3.slice = {1 << 20, 16, knc::cache::replacement::lru};
    p.cmt.enable = p.cmt.bandwidth = true;
    return p;
}

}  // namespace

int sc_main(int, char**) {
    knc::card::monitor_source source;
    knc::card::run_control control;
    control.observed = source.observer();
    knc::card::card card{"card", with_l3(), control};
    three_passes::host host{"host"};
    host.socket.bind(card.host);
    card.boot(three_passes::program_at, 0, 0);
    source.watch(card);
    PCM::attach(source);
    PCM* const m = PCM::getInstance();
    expect(m->program() == PCM::Success, "the card is there");
    expect(m->CoreLocalMemoryBWMetricAvailable(), "it counts traffic by monitoring ID");
    expect(m->CoreRemoteMemoryBWMetricAvailable(), "and that of remote memory, which is none");
    const SystemCounterState before = m->getSystemCounterState();
    expect(getL3CacheOccupancy(before) == 0, "the L3 is empty");
    while (!m->lastSnapshot().ended) m->runFor(1e-3);
    SystemCounterState system;
    std::vector<SocketCounterState> sockets;
    std::vector<CoreCounterState> threads;
    m->getAllCounterStates(system, sockets, threads);
    // 192 lines are 12 KB; its code and its results have fewer than 16 lines.
    expect(getL3CacheOccupancy(system) == 12, "each line is in the L3");
    expect(getL3CacheOccupancy(sockets[0]) == 12, "one socket");
    // All threads have the monitoring ID 0.
    expect(getL3CacheOccupancy(threads[0]) == 12, "the thread that has run");
    expect(getL3CacheOccupancy(threads[1]) == 12, "another thread of its ID");
    // It reads these lines and a few more, and has written none back when it ends.
    const std::uint64_t bytes = getBytesReadFromMC(before, system);
    expect(bytes >= std::uint64_t{192} * 64 && bytes < std::uint64_t{208} * 64, "lines read");
    expect(getBytesWrittenToMC(before, system) == 0, "no line written");
    expect(getMetric("LMB", before, system) == static_cast<double>(bytes) / 1e6, "all are local");
    expect(getLocalMemoryBW(before, system) == 0, "less than a whole MB");
    expect(getRemoteMemoryBW(before, system) == 0, "no remote memory");
    m->cleanup();
    return failures == 0 ? 0 : 1;
}
