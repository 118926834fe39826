// One GDDR5 interface of the default timing at 5 GT/s (CK = 0.8 ns) without refresh, and the CK at
// which the last data of each request leave the pins.
#ifndef KNC_TESTS_MEMORY_CHANNEL_RIG_H
#define KNC_TESTS_MEMORY_CHANNEL_RIG_H

#include <cstdint>
#include <map>
#include <vector>

#include <knc/memory/gddr5_channel.h>

namespace knc::memory::test {

inline gddr5_parameters without_refresh(std::uint32_t data_rate_mtps = 5000) {
    gddr5_parameters p;
    p.data_rate_mtps = data_rate_mtps;
    p.refresh = false;
    return p;
}

class channel_rig {
  public:
    explicit channel_rig(const gddr5_organisation& o = {},
                         const gddr5_parameters& p = without_refresh())
        : channel{gddr5_timing{p}, o} {}

    void read(ck_t at, std::uint32_t bank, std::uint64_t row) { push(at, bank, row, false); }
    void write(ck_t at, std::uint32_t bank, std::uint64_t row) { push(at, bank, row, true); }

    // The ends of all transfers, in the order of the requests.
    std::vector<ck_t> ends(ck_t until = 1'000'000) {
        std::vector<gddr5_transfer> done;
        channel.run(until, done);
        for (const gddr5_transfer& t : done) ends_[t.order] = t.end;
        std::vector<ck_t> r;
        for (const auto& [order, end] : ends_) r.push_back(end);
        return r;
    }

    gddr5_channel channel;

  private:
    void push(ck_t at, std::uint32_t bank, std::uint64_t row, bool write) {
        gddr5_request r;
        r.line = row << 8 | bank;
        r.order = r.id = order_++;
        r.arrival = at;
        r.row = row;
        r.bank = bank;
        r.write = write;
        channel.push(r);
    }

    std::uint64_t order_ = 0;
    std::map<std::uint64_t, ck_t> ends_;
};

}  // namespace knc::memory::test

#endif
