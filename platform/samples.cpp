#include <platform/samples.h>

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

namespace platform {

namespace {

constexpr std::uint32_t magic = 0x53434E4B;
constexpr std::uint32_t version = 1;

struct header {
    std::uint32_t magic, version, record_size, capacity;
    std::uint64_t count, dropped, period[2];
    std::uint32_t evtsel[2];
};
struct record {
    std::uint64_t rip, tsc, value;
    std::uint16_t thread;
    std::uint8_t cpl, counter;
    std::uint32_t reserved;
};
static_assert(sizeof(header) == 56 && sizeof(record) == 32, "the driver's layout");

}  // namespace

std::optional<sample_buffer> read_samples(const image& i, const memory_reader& read,
                                          std::string& problem) {
    const symbol* s = i.find(sample_symbol);
    if (s == nullptr) return {};
    const auto at = i.physical(s->address, s->size);
    header h;
    if (!at || s->size < sizeof h || !read(*at, &h, sizeof h)) {
        problem = fmt::format("{} is not a sample buffer", sample_symbol);
        return {};
    }
    if (h.magic == 0) return {};
    if (h.magic != magic || h.version != version || h.record_size < sizeof(record)) {
        problem = fmt::format("{}: magic {:#x}, version {}, records of {} bytes are not understood",
                              sample_symbol, h.magic, h.version, h.record_size);
        return {};
    }

    sample_buffer b;
    b.count = h.count;
    b.dropped = h.dropped;
    std::copy(std::begin(h.period), std::end(h.period), b.period.begin());
    std::copy(std::begin(h.evtsel), std::end(h.evtsel), b.evtsel.begin());
    const std::uint64_t stored =
        std::min<std::uint64_t>({h.count, h.capacity, (s->size - sizeof h) / h.record_size});
    for (std::uint64_t n = 0; n < stored; ++n) {
        record r;
        if (!read(*at + sizeof h + n * h.record_size, &r, sizeof r)) break;
        b.samples.push_back({r.rip, r.tsc, r.value, r.thread, r.cpl, r.counter});
    }
    return b;
}

}  // namespace platform
