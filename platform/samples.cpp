#include <platform/samples.h>

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

namespace platform {

namespace {

constexpr std::uint32_t version = 1;
constexpr std::uint64_t counter_limit = std::uint64_t{1} << 40;
// Of all logs together.
constexpr std::uint64_t most_samples = 1 << 20;

struct buffer_header {
    static constexpr std::uint32_t expected_magic = 0x53434E4B;
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
struct table_header {
    static constexpr std::uint32_t expected_magic = 0x4C434E4B;
    std::uint32_t magic, version, record_size, chain, threads, reserved;
};
struct counter_record {
    std::uint64_t period, samples, missed, remainder;
    std::uint32_t evtsel, reserved;
};
struct log_header {
    std::uint64_t records, capacity, written, read, lost, stops;
    std::uint32_t thread, state;
    std::uint64_t interval;
    counter_record counter[2];
};
enum log_state : std::uint32_t { unused, sampling, stopped };
struct log_record {
    record sample;
    std::uint64_t weight;
    std::uint32_t depth, reserved;
};
static_assert(sizeof(buffer_header) == 56 && sizeof(record) == 32 && sizeof(table_header) == 24 &&
                  sizeof(log_header) == 144 && sizeof(log_record) == 48,
              "the drivers' layouts");
constexpr std::uint32_t most_chain = 64, most_record = 4096, most_threads = 1024;

sample sample_of(const record& r) {
    return {r.rip, r.tsc, r.value, r.thread, r.cpl, r.counter, 1, {}};
}

bool makes_sense(const record& r) {
    return r.cpl <= 3 && (r.counter < 2 || r.counter == timer_sample);
}

class reader {
  public:
    reader(const image& i, const memory_reader& read, std::vector<std::string>& problems)
        : image_(i), read_(read), problems_(problems) {}

    std::vector<sample_log> run() {
        if (const symbol* s = image_.find(sample_symbol)) read_buffer(*s);
        if (const symbol* s = image_.find(log_symbol)) read_table(*s);
        if (left_out_)
            problems_.push_back(
                fmt::format("more than {} samples: the others are left out", most_samples));
        return std::move(logs_);
    }

  private:
    // The header of what `s` names; false where there is none or it is empty.
    template <typename T>
    bool begin(const symbol& s, T& h) {
        const auto at = image_.physical(s.address, s.size);
        if (!at || s.size < sizeof h || !read_(*at, &h, sizeof h)) {
            problems_.push_back(s.name + ": not in the memory of the image");
            return false;
        }
        if (h.magic == 0) return false;
        if (h.magic == T::expected_magic && h.version == version) return true;
        problems_.push_back(fmt::format("{}: magic {:#x}, version {} are not understood", s.name,
                                        h.magic, h.version));
        return false;
    }

    void read_buffer(const symbol& s) {
        buffer_header h;
        if (!begin(s, h)) return;
        if (h.record_size < sizeof(record)) {
            problems_.push_back(
                fmt::format("{}: records of {} bytes are not understood", s.name, h.record_size));
            return;
        }
        sample_log b;
        b.written = h.count;
        b.dropped = h.dropped;
        for (std::size_t n = 0; n < b.counter.size(); ++n) {
            if (!plausible(s.name, h.period[n])) return;
            b.counter[n].period = h.period[n];
            b.counter[n].evtsel = h.evtsel[n];
        }
        const std::uint64_t at = *image_.physical(s.address, s.size) + sizeof h;
        const std::uint64_t stored =
            std::min<std::uint64_t>({h.count, h.capacity, (s.size - sizeof h) / h.record_size});
        std::uint64_t senseless = 0;
        for (std::uint64_t n = 0; n < stored && has_room(); ++n) {
            record r;
            if (!read_(at + n * h.record_size, &r, sizeof r)) break;
            add(b, sample_of(r), makes_sense(r), senseless);
        }
        finish(s.name, std::move(b), senseless);
    }

    void read_table(const symbol& s) {
        table_header h;
        if (!begin(s, h)) return;
        if (h.chain > most_chain || h.record_size > most_record ||
            h.record_size < sizeof(log_record) + h.chain * sizeof(std::uint64_t)) {
            problems_.push_back(
                fmt::format("{}: records of {} bytes with {} addresses are not "
                            "understood",
                            s.name, h.record_size, h.chain));
            return;
        }
        const std::uint64_t at = *image_.physical(s.address, s.size) + sizeof h;
        const std::uint64_t entries = std::min<std::uint64_t>(
            {h.threads, most_threads, (s.size - sizeof h) / sizeof(std::uint64_t)});
        for (std::uint64_t n = 0; n < entries; ++n) {
            std::uint64_t log = 0;
            if (!read_(at + n * sizeof log, &log, sizeof log)) return;
            if (log != 0) read_log(fmt::format("{}: thread {}", s.name, n), h, n, log);
        }
    }

    void read_log(const std::string& name, const table_header& t, std::uint64_t thread,
                  std::uint64_t at) {
        log_header h;
        if (!read_(at, &h, sizeof h)) {
            problems_.push_back(fmt::format("{}: no memory at {:#x}", name, at));
            return;
        }
        if (h.thread != thread || h.state == unused || h.state > stopped) {
            problems_.push_back(fmt::format("{}: a log of thread {}, state {}, is not understood",
                                            name, h.thread, h.state));
            return;
        }
        if (h.capacity == 0 || h.read > h.written) {
            problems_.push_back(fmt::format("{}: {} records written, {} read, room for {}", name,
                                            h.written, h.read, h.capacity));
            return;
        }
        sample_log l;
        l.thread = static_cast<std::uint16_t>(thread);
        l.stopped = h.state == stopped;
        l.written = h.written;
        l.taken = h.read;
        l.lost = h.lost;
        l.stops = h.stops;
        l.interval = h.interval;
        for (std::size_t n = 0; n < l.counter.size(); ++n) {
            const counter_record& c = h.counter[n];
            if (!plausible(name, c.period)) return;
            l.counter[n] = {c.period, c.samples, c.missed, c.remainder, c.evtsel};
        }
        if (!plausible(name, h.interval)) return;
        read_records(name, t, h, l);
    }

    // Those that nobody has taken; an older one may have been overwritten.
    void read_records(const std::string& name, const table_header& t, const log_header& h,
                      sample_log& l) {
        const std::uint64_t stored = std::min(h.written - h.read, h.capacity);
        std::uint64_t senseless = 0;
        std::vector<char> bytes(t.record_size);
        for (std::uint64_t n = h.written - stored; n != h.written && has_room(); ++n) {
            std::uint64_t at = 0;
            if (__builtin_mul_overflow(n % h.capacity, std::uint64_t{t.record_size}, &at) ||
                __builtin_add_overflow(at, h.records, &at) ||
                !read_(at, bytes.data(), bytes.size())) {
                problems_.push_back(fmt::format("{}: no memory where record {} is", name, n));
                break;
            }
            log_record r;
            std::memcpy(&r, bytes.data(), sizeof r);
            sample s = sample_of(r.sample);
            s.weight = r.weight;
            const std::uint64_t period =
                s.counter < l.counter.size() ? l.counter[s.counter].period : 1;
            const bool sense = makes_sense(r.sample) && s.thread == *l.thread && r.weight != 0 &&
                               r.weight <= 2 * counter_limit / std::max<std::uint64_t>(period, 1) &&
                               r.depth <= t.chain;
            if (sense && r.depth != 0) {
                s.callers.resize(r.depth);
                std::memcpy(s.callers.data(), bytes.data() + sizeof r,
                            r.depth * sizeof s.callers[0]);
            }
            add(l, std::move(s), sense, senseless);
        }
        finish(name, std::move(l), senseless);
    }

    // There is one more record to read.
    bool has_room() {
        left_out_ = total_ == most_samples;
        return !left_out_;
    }

    bool plausible(const std::string& name, std::uint64_t period) {
        if (period <= counter_limit) return true;
        problems_.push_back(fmt::format("{}: a period of {} is not understood", name, period));
        return false;
    }

    void add(sample_log& to, sample s, bool sense, std::uint64_t& senseless) {
        ++total_;
        if (sense)
            to.samples.push_back(std::move(s));
        else
            ++senseless;
    }

    void finish(const std::string& name, sample_log l, std::uint64_t senseless) {
        if (senseless != 0)
            problems_.push_back(
                fmt::format("{}: {} records that make no sense are left out", name, senseless));
        logs_.push_back(std::move(l));
    }

    const image& image_;
    const memory_reader& read_;
    std::vector<std::string>& problems_;
    std::vector<sample_log> logs_;
    std::uint64_t total_ = 0;  // records read
    bool left_out_ = false;
};

}  // namespace

std::vector<sample_log> read_samples(const image& i, const memory_reader& read,
                                     std::vector<std::string>& problems) {
    return reader{i, read, problems}.run();
}

}  // namespace platform
