// A program written for Intel's Performance Counter Monitor, with another include: watches a
// platform that runs in another process. No SystemC.
#include <cstdint>
#include <cstdio>
#include <vector>

#include <knc/monitor.h>

using namespace knc::pcm;

int main(int argc, char** argv) {
    int failures = 0;
    const auto expect = [&failures](bool holds, const char* what) {
        if (holds) return;
        std::printf("FAIL %s\n", what);
        ++failures;
    };
    PCM* const m = PCM::getInstance();
    expect(m->program() == PCM::MSRAccessDenied, "no platform is named yet");
    if (argc != 2) return 2;
    PCM::attach(argv[1]);
    expect(m->program(PCM::INVALID_MODE) == PCM::UnknownError, "no such mode");
    const PCM::CustomCoreEventDescription events[] = {
        {0x16, 0}, {0x12, 0}, {0x28, 0}, {0xcb, 0x10}};
    const PCM::CustomCoreEventDescription wrong[] = {{0x16, 0}, {0x7f, 0}, {0x28, 0}, {0xcb, 0x10}};
    expect(m->program(PCM::CUSTOM_CORE_EVENTS, wrong) == PCM::UnknownError, "no such event");
    if (m->program(PCM::CUSTOM_CORE_EVENTS, events) != PCM::Success) {
        std::printf("%s\n", m->error().c_str());
        return 1;
    }
    expect(m->getNumCores() == 8 && m->getNumSockets() == 1 && m->getThreadsPerCore() == 4,
           "two cores of four threads");
    expect(m->getTileId(5) == 1 && m->getThreadId(5) == 1 && m->getTileId(8) == -1, "topology");
    expect(!m->isL3CacheMissesAvailable() && !m->packageEnergyMetricsAvailable(), "not there");

    m->runFor(0);
    SystemCounterState begin, before, after;
    std::vector<SocketCounterState> sockets;
    std::vector<CoreCounterState> cores_before, cores_after;
    m->getAllCounterStates(begin, sockets, cores_before);
    expect(getInstructionsRetired(SystemCounterState{}, begin) == 0, "from the begin of the run");
    std::uint64_t sum = 0, branches = 0, intervals = 0;
    // The demo sets mark 1 where its work begins, at ring 0: no thread but the first has run.
    m->runUntilMarker(1);
    const SystemCounterState work = m->getSystemCounterState();
    expect(getInstructionsRetired(begin, work) > 1000, "the firmware has begun");
    expect(m->getNumOnlineCores() == 1, "on one thread");
    const std::uint64_t at_mark = m->lastSnapshot().cycle;
    sum = getInstructionsRetired(begin, work);
    branches = getEvent("BRANCHES", begin, work);
    for (before = work; !m->lastSnapshot().ended; before = after) {
        m->runFor(100e-6);
        if (intervals == 0)
            expect(m->lastSnapshot().cycle == at_mark + 110000, "100 us after the mark");
        m->getAllCounterStates(after, sockets, cores_after);
        const std::uint64_t instructions = getInstructionsRetired(before, after);
        const double ipc = getIPC(before, after);
        expect(ipc < 0 || (ipc >= 0 && ipc <= 2), "at most two instructions per clock");
        expect(getNumberOfCustomEvents(0, before, after) == instructions, "the same event");
        branches += getNumberOfCustomEvents(1, before, after);
        sum += instructions;
        ++intervals;
    }
    expect(intervals > 10, "many intervals");
    expect(sum == getInstructionsRetired(begin, after), "the intervals add up");
    std::uint64_t of_cores = 0;
    for (std::size_t n = 0; n < cores_after.size(); ++n)
        of_cores += getInstructionsRetired(cores_before[n], cores_after[n]);
    expect(of_cores == sum, "so do the threads");
    expect(branches == getEvent("BRANCHES", begin, after) && branches != 0, "branches");
    expect(getCoreCStateResidency(0, begin, after) == 0.5, "one core of two was awake");
    expect(getBytesReadFromMC(begin, after) % 64 == 0, "memory is read by lines");
    expect(m->program() == PCM::MSRAccessDenied, "the platform has ended");
    std::printf("%llu instructions\n", static_cast<unsigned long long>(sum));
    return failures == 0 ? 0 : 1;
}
