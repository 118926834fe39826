// The bus between a Pentium's caches and memory.
//
// Models: transfers of up to 8 bytes, alone or in a burst, one after the other in the order in
// which they are asked for; each begins with a clock of the bus. So a read never overtakes a
// buffered write: the processor lets it pass only writes that hit the data cache, and those are
// never buffered here. Leaves out: pipelined bus cycles, other masters' cycles, data (they are in
// memory when they are written). Source: Intel SDM vol. 3, memory ordering of the Pentium
// processor; docs/p55c.md.
#ifndef KNC_PENTIUM_BUS_H
#define KNC_PENTIUM_BUS_H

#include <knc/base/archive_forward.h>
#include <knc/base/clock.h>
#include <knc/cache/l1_if.h>
#include <knc/pentium/parameters.h>

namespace knc::pentium {

class bus {
  public:
    explicit bus(const parameters& p) : p_(p) {}
    // Learns of each cycle of the bus. Called before the first one.
    void connect(cache::l1_client_if& c) { client_ = &c; }
    void reset() { since_ = free_ = 0; }

    // The core clocks in which the first 8 bytes, and all of them, have been transferred.
    struct transfer {
        base::cycle_t first, end;
    };
    // Asked for in clock `now`, of `transfers` times 8 bytes in one burst.
    transfer read(unsigned transfers, base::cycle_t now) {
        reads_ += transfers;
        return occupy(p_.read_clocks, transfers, now);
    }
    transfer write(unsigned transfers, base::cycle_t now) {
        writes_ += transfers;
        return occupy(p_.write_clocks, transfers, now);
    }
    // The first clock in which everything that was asked for is over.
    base::cycle_t free_from() const { return free_; }
    // For a waveform: whether it is in use in clock `c`, the present one.
    bool busy(base::cycle_t c) const { return since_ <= c && c < free_; }
    // Transfers that were asked for since the start of the run.
    std::uint64_t reads() const { return reads_; }
    std::uint64_t writes() const { return writes_; }
    // When it is free.
    void serialize(base::archive&);

  private:
    transfer occupy(base::cycle_t first_clocks, unsigned transfers, base::cycle_t now);

    const parameters& p_;
    cache::l1_client_if* client_ = nullptr;
    base::cycle_t since_ = 0, free_ = 0;  // transfers without a gap: [since_, free_)
    std::uint64_t reads_ = 0, writes_ = 0;
};

}  // namespace knc::pentium

#endif
