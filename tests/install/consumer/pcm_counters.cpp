// Counts two events of every thread, by the platform or by the guest's own counters: the numbers
// are the same. pcm_counters SOCKET ledger|msr SECONDS
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <knc/monitor.h>

using namespace knc::pcm;

int main(int argc, char** argv) {
    if (argc != 4) return 2;
    const double seconds = std::atof(argv[3]);  // of an interval
    PCM::attach(argv[1]);
    PCM::countBy(std::strcmp(argv[2], "msr") == 0 ? PCM::Counts::msr : PCM::Counts::ledger);
    PCM* const m = PCM::getInstance();
    const PCM::CustomCoreEventDescription events[] = {{0x16, 0}, {0x28, 0}};
    const PCM::ExtendedCustomCoreEventDescription both = {events, 2};
    if (m->program(PCM::EXT_CUSTOM_CORE_EVENTS, &both) != PCM::Success || m->multiplexes()) {
        std::printf("%s\n", m->error().c_str());
        return 1;
    }
    m->runFor(0);
    SystemCounterState system;
    std::vector<SocketCounterState> sockets;
    std::vector<CoreCounterState> before, after;
    m->getAllCounterStates(system, sockets, before);
    for (int interval = 0; interval < 20; ++interval) {
        m->runFor(seconds);
        m->getAllCounterStates(system, sockets, after);
        for (std::size_t n = 0; n < after.size(); ++n) {
            const auto instructions = getNumberOfCustomEvents(0, before[n], after[n]);
            const auto accesses = getNumberOfCustomEvents(1, before[n], after[n]);
            if (instructions == 0) continue;
            std::printf("%d thread %zu: %llu instructions, %llu accesses\n", interval, n,
                        static_cast<unsigned long long>(instructions),
                        static_cast<unsigned long long>(accesses));
        }
        before = after;
    }
    m->cleanup();
    return 0;
}
