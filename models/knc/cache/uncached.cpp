// The L1 data cache: uncached accesses. One access per line is outstanding at a time.

#include <algorithm>
#include <cstring>

#include <knc/cache/l1_data.h>

namespace knc::cache {

void l1_data::uncached(unsigned thread, std::uint32_t ticket, bool write, std::uint64_t paddr,
                       unsigned size, const std::uint8_t* data, base::cycle_t now) {
    uncached_access a;
    a.line = paddr / coherence::line_bytes;
    a.ticket = ticket;
    std::memcpy(a.data.data(), data, size);
    a.thread = static_cast<std::uint8_t>(thread);
    a.offset = static_cast<std::uint8_t>(paddr % coherence::line_bytes);
    a.size = static_cast<std::uint8_t>(size);
    a.write = write;
    uncached_.push_back(a);
    start_uncached(now);
}

void l1_data::start_uncached(base::cycle_t now) {
    start_combined(now);
    for (uncached_access& a : uncached_) {
        if (a.started) continue;
        coherence::line_data line{};
        std::memcpy(line.data() + a.offset, a.data.data(), a.size);
        const coherence::byte_mask bytes =
            a.size == 0 ? 0 : coherence::all_bytes >> (coherence::line_bytes - a.size);
        a.started = a.write ? l2_->write_once(a.thread, a.line, line, bytes << a.offset, now)
                            : l2_->read_once(a.thread, a.line, now);
    }
}

std::vector<l1_data::uncached_access>::iterator l1_data::find_started(line_t line) {
    return std::find_if(uncached_.begin(), uncached_.end(),
                        [line](const uncached_access& a) { return a.line == line && a.started; });
}

void l1_data::read_complete(line_t line, const coherence::line_data& data, base::cycle_t now) {
    const auto a = find_started(line);
    std::memcpy(a->data.data(), data.data() + a->offset, a->size);
    end_uncached(a, now);
}

void l1_data::write_complete(line_t line, base::cycle_t now) {
    if (combined(line, now)) return start_uncached(now);
    end_uncached(find_started(line), now);
}

void l1_data::end_uncached(std::vector<uncached_access>::iterator a, base::cycle_t now) {
    client_->uncached_done(a->thread, a->ticket, a->data, now + p_.fill_cycles);
    uncached_.erase(a);
    start_uncached(now);
}

}  // namespace knc::cache
