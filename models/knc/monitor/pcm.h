// The interface of Intel's Performance Counter Monitor (PCM) to a simulated card.
//
// Models: PCM's class PCM, the states it returns and the functions of two states, as far as the
// card has what they measure. What it does not have is not "available", and its functions return 0.
// Counts come from the platform, or from the guest's counters, as on a real card.
// A count of the card's one socket is that of the system. Leaves out: energy, temperature and links
// between sockets, which do not exist. Source: intel/pcm, cpucounters.h, for names and shapes;
// docs/monitor.md.
#ifndef KNC_MONITOR_PCM_H
#define KNC_MONITOR_PCM_H

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <knc/monitor/msr_source.h>
#include <knc/monitor/quantity.h>
#include <knc/monitor/snapshot.h>
#include <knc/monitor/source.h>

namespace knc::pcm {

// The counts of a thread or of the card since the start of the run.
class BasicCounterState {
  public:
    const monitor::row& counts() const { return counts_; }
    // What has been counted from `before` on, and the levels of this state.
    monitor::row since(const BasicCounterState& before) const;
    bool online() const { return online_; }
    // The clock rate of the card, in Hz.
    std::uint64_t frequency() const { return frequency_; }

  protected:
    friend class PCM;
    monitor::row counts_;
    // The traffic of each monitoring ID with memory, and the IDs whose traffic is this state's.
    std::vector<std::uint64_t> traffic_, traffic_ids_;
    bool online_ = false;
    std::uint64_t frequency_ = 0;
};
class CoreCounterState : public BasicCounterState {};  // of a hardware thread
class SocketCounterState : public BasicCounterState {};
class SystemCounterState : public SocketCounterState {};

class PCM {
  public:
    enum ErrorCode { Success = 0, MSRAccessDenied = 1, PMUBusy = 2, UnknownError = 3 };
    enum ProgramMode {
        DEFAULT_EVENTS = 0,
        CUSTOM_CORE_EVENTS = 1,
        EXT_CUSTOM_CORE_EVENTS = 2,
        INVALID_MODE
    };
    struct CustomCoreEventDescription {
        std::int32_t event_number = 0, umask_value = 0;
    };
    // Of EXT_CUSTOM_CORE_EVENTS.
    struct ExtendedCustomCoreEventDescription {
        const CustomCoreEventDescription* events = nullptr;
        std::uint32_t number = 0;
    };
    static constexpr std::uint32_t custom_events = 4;  // of CUSTOM_CORE_EVENTS

    // The platform to be watched: the one that serves monitors at `path`, or `source`, which
    // outlives the use of it. Without a call, the environment variable KNC_VP_SOCKET names the
    // socket. To be called before program().
    static void attach(const std::string& path);
    static void attach(monitor::source_if& source);
    static PCM* getInstance();
    // Where counts come from. ledger: the platform's own counts of all events. msr: the counters of
    // the guest, which program() takes if it does not use them; see monitor::msr_source. To be
    // called before program().
    enum class Counts { ledger, msr };
    static void countBy(Counts c) { getInstance()->counts_ = c; }
    // More events are counted than there are counters: the counts are estimates.
    bool multiplexes() const { return counters_ && counters_->multiplexes(); }

    // Connects with the platform. `events`: an array of `custom_events` descriptions, or an
    // ExtendedCustomCoreEventDescription; the codes are those of `knc-vp list events`.
    ErrorCode program(ProgramMode = DEFAULT_EVENTS, const void* events = nullptr);
    void cleanup();
    // Why program() failed.
    const std::string& error() const { return error_; }

    // ---- topology: core i of PCM is hardware thread i, tile * 4 + thread
    std::uint32_t getNumCores() const;
    std::uint32_t getNumOnlineCores();
    std::uint32_t getNumSockets() const { return 1; }
    std::uint32_t getThreadsPerCore() const { return shape().threads_per_core; }
    std::int32_t getTileId(std::uint32_t i) const;
    std::int32_t getCoreId(std::uint32_t i) const { return getTileId(i); }
    std::int32_t getThreadId(std::uint32_t i) const;
    std::int32_t getSocketId(std::uint32_t) const { return 0; }
    bool isCoreOnline(std::uint32_t i);
    std::uint64_t getNominalFrequency() const;  // in Hz

    // After program(): what the platform counts.
    bool isL2CacheMissesAvailable() const { return has("L2MISS"); }
    bool isL2CacheHitsAvailable() const { return has("L2HIT"); }
    bool isL2CacheHitRatioAvailable() const { return has("L2HIT"); }
    bool isL3CacheMissesAvailable() const { return has("L3MISS"); }
    bool isL3CacheHitsAvailable() const { return has("L3HIT"); }
    bool isL3CacheHitRatioAvailable() const { return has("L3HIT"); }
    bool isActiveRelativeFrequencyAvailable() const { return has("AFREQ"); }
    bool L3CacheOccupancyMetricAvailable() const { return has("L3OCC"); }
    bool CoreLocalMemoryBWMetricAvailable() const { return has("LMB"); }
    bool CoreRemoteMemoryBWMetricAvailable() const { return has("RMB"); }
    bool packageEnergyMetricsAvailable() const { return false; }
    bool dramEnergyMetricsAvailable() const { return false; }
    bool memoryTrafficMetricsAvailable() const;
    bool isCoreCStateResidencySupported(int state) const { return state == 0 || state == 1; }

    // ---- states; each call takes a snapshot, the last one takes one for all
    SystemCounterState getSystemCounterState();
    SocketCounterState getSocketCounterState(std::uint32_t socket);
    CoreCounterState getCoreCounterState(std::uint32_t core);
    void getAllCounterStates(SystemCounterState&, std::vector<SocketCounterState>&,
                             std::vector<CoreCounterState>&);

    // ---- beyond PCM
    // Lets the simulation go on for simulated `seconds` and then wait for the next call. Without a
    // call, it goes on by itself.
    void runFor(double seconds);
    // The same up to the next mark `number` of the firmware. Only with counts of the ledger.
    void runUntilMarker(std::uint32_t number);
    // The snapshot of the last call.
    const monitor::snapshot& lastSnapshot() const { return last_; }
    const monitor::platform_shape& shape() const;
    // The events of the program() call, by their numbers of base::event.
    const std::vector<std::size_t>& customEvents() const { return custom_; }

  private:
    PCM() = default;
    bool connect();
    bool has(std::string_view metric) const;
    bool choose(const CustomCoreEventDescription*, std::uint32_t number);
    ErrorCode take_counters();
    void read(std::uint64_t cycle);
    // Of the row, which has the threads from `first` on.
    template <class State>
    State state(monitor::row, unsigned first, unsigned threads) const;
    CoreCounterState core_state(std::uint32_t core) const;

    std::string path_, error_;
    monitor::source_if* source_ = nullptr;
    std::unique_ptr<monitor::source_if> connection_;
    std::unique_ptr<monitor::msr_source> counters_;
    Counts counts_ = Counts::ledger;
    std::vector<std::size_t> custom_;
    monitor::snapshot last_;
    bool hold_ = false;
};

// ---- functions of two states

// The value of a metric of docs/monitor.md; -1 where it has none.
double getMetric(std::string_view name, const BasicCounterState& before,
                 const BasicCounterState& after);
// The same; 0 where the platform does not count what the metric is made of.
double getAvailable(std::string_view name, const BasicCounterState& before,
                    const BasicCounterState& after);
// The whole number that a metric of style `count`, or the numerator of a ratio, is; 0 where there
// is none.
std::uint64_t getCount(std::string_view name, const BasicCounterState& before,
                       const BasicCounterState& after);
// The increase of an event, or of another count of docs/monitor.md.
std::uint64_t getEvent(std::string_view name, const BasicCounterState& before,
                       const BasicCounterState& after);

template <class State>
double getExecUsage(const State& before, const State& after) {
    return getMetric("EXEC", before, after);
}
template <class State>
double getIPC(const State& before, const State& after) {
    return getMetric("IPC", before, after);
}
// The instructions per clock of the core, if all its threads were like this one.
inline double getCoreIPC(const CoreCounterState& before, const CoreCounterState& after) {
    const double ipc = getIPC(before, after);
    return ipc < 0 ? ipc : ipc * PCM::getInstance()->getThreadsPerCore();
}
inline double getCoreIPC(const SocketCounterState& before, const SocketCounterState& after) {
    return getIPC(before, after);
}
template <class State>
double getRelativeFrequency(const State& before, const State& after) {
    return getMetric("FREQ", before, after);
}
template <class State>
double getActiveRelativeFrequency(const State& before, const State& after) {
    return getAvailable("AFREQ", before, after);
}
template <class State>
std::uint64_t getCycles(const State& before, const State& after) {
    return getEvent("CPU_CLK_UNHALTED", before, after);
}
template <class State>
std::uint64_t getInstructionsRetired(const State& before, const State& after) {
    return getEvent("INSTRUCTIONS_EXECUTED", before, after);
}
template <class State>
std::uint64_t getInvariantTSC(const State& before, const State& after) {
    return getEvent("TSC", before, after);
}
template <class State>
std::uint64_t getL2CacheMisses(const State& before, const State& after) {
    return getCount("L2MISS", before, after);
}
template <class State>
std::uint64_t getL2CacheHits(const State& before, const State& after) {
    return getCount("L2HIT", before, after);
}
template <class State>
double getL2CacheHitRatio(const State& before, const State& after) {
    return getMetric("L2HIT", before, after);
}
template <class State>
std::uint64_t getL3CacheMisses(const State& before, const State& after) {
    return getCount("L3MISS", before, after);
}
template <class State>
std::uint64_t getL3CacheHits(const State& before, const State& after) {
    return getCount("L3HIT", before, after);
}
template <class State>
double getL3CacheHitRatio(const State& before, const State& after) {
    return getAvailable("L3HIT", before, after);
}
inline std::uint64_t getBytesReadFromMC(const SocketCounterState& before,
                                        const SocketCounterState& after) {
    return 64 * getEvent("READ_LINES", before, after) + 8 * getEvent("BUS_READS", before, after);
}
inline std::uint64_t getBytesWrittenToMC(const SocketCounterState& before,
                                         const SocketCounterState& after) {
    return 64 * getEvent("WRITE_LINES", before, after) + 8 * getEvent("BUS_WRITES", before, after);
}
// KB of the L3 with the monitoring ID of the thread, or with those of all threads.
template <class State>
std::uint64_t getL3CacheOccupancy(const State& now) {
    return static_cast<std::uint64_t>(getAvailable("L3OCC", now, now));
}
// Whole MB (10^6 bytes) between the L3 and memory, for the monitoring ID that the thread has in the
// second state, or for all IDs.
template <class State>
std::uint64_t getLocalMemoryBW(const State& before, const State& after) {
    return static_cast<std::uint64_t>(getAvailable("LMB", before, after));
}
template <class State>
std::uint64_t getRemoteMemoryBW(const State& before, const State& after) {
    return static_cast<std::uint64_t>(getAvailable("RMB", before, after));
}
// 0 .. 1, of the states 0 and 1; there are no deeper ones.
template <class State>
double getCoreCStateResidency(int state, const State& before, const State& after) {
    if (state != 0 && state != 1) return 0;
    const double percent = getMetric(state == 0 ? "C0res%" : "C1res%", before, after);
    return percent < 0 ? percent : percent / 100;
}
// The increase of the custom event `number`; 0: there is no such event.
std::uint64_t getNumberOfCustomEvents(std::int32_t number, const BasicCounterState& before,
                                      const BasicCounterState& after);

}  // namespace knc::pcm

#endif
