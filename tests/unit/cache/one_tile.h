// The caches of one tile, whose home slice, memory and other tiles are played by the test.
#ifndef KNC_TESTS_UNIT_CACHE_ONE_TILE_H
#define KNC_TESTS_UNIT_CACHE_ONE_TILE_H

#include <knc/cache/hierarchy.h>

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace knc::cache::test {

using coherence::line_t;

class tile : l1_client_if, network {
  public:
    explicit tile(parameters p = without_prefetcher())
        : caches(0, p, hash_, ledger, *this, *this) {}

    static parameters without_prefetcher() {
        parameters p;
        p.prefetch.streams = 0;
        return p;
    }

    // A streaming store of thread 0, in the next clock: whether it was taken.
    bool stream(line_t line, std::uint8_t byte, bool ordered) {
        coherence::line_data d;
        d.fill(byte);
        const outcome o = caches.l1d().streaming_store(0, line, d, ordered, ++clock);
        if (o.is_hit()) std::copy(d.begin(), d.end(), o.line());
        return o.is_hit() || o.is_taken();
    }
    // A store of 4 bytes that goes into the store buffer in the next clock.
    void store(unsigned thread, line_t line) {
        const std::uint32_t word = 0x99;
        EXPECT_TRUE(caches.l1d().line_for_store(thread, line, 0, ++clock).is_taken());
        caches.l1d().buffer_store(thread, line * coherence::line_bytes, sizeof word, &word, clock);
    }
    // A load in the next clock: whether it found the line.
    bool load(unsigned thread, line_t line) {
        return caches.l1d().line_for_load(thread, line, charge::load, ++clock).is_hit();
    }
    // A prefetch instruction, in the next clock.
    void prefetch(unsigned thread, line_t line, const prefetch_request& r) {
        caches.l1d().prefetch(thread, line, r, true, ++clock);
    }
    // A message comes from the home slice or from memory; a request is of tile 1.
    void receive(coherence::message_kind k, line_t line, std::uint8_t byte = 0) {
        coherence::message m;
        m.kind = k;
        m.line = line;
        const bool from_memory = coherence::properties(k).has_data;
        m.source = from_memory ? coherence::first_controller : 0;
        m.requester = from_memory || k == coherence::message_kind::grant ? 0 : 1;
        m.data.fill(byte);
        caches.receive(m, ++clock);
        caches.l1d().process_due_events(clock);
    }
    // What happened since the last call.
    std::string log() { return std::exchange(log_, ""); }
    // The first byte of the line in the L1, 0xEE if it is not there.
    std::uint8_t value(line_t line) {
        clock += 100;
        const outcome o = caches.l1d().line_for_load(1, line, charge::none, clock);
        return o.is_hit() ? o.line()[63] : 0xee;
    }

    base::ledger ledger;
    base::cycle_t clock = 0;
    coherence::message sent;  // last
    unsigned sent_for = 0;    // the thread that the L2 names for it, if it is a request
    uncached_data answer{};   // of the last uncached access

  private:
    void data_not_writable(line_t, const std::uint8_t*, unsigned) override {}
    void data_lost(line_t, const std::uint8_t*, unsigned) override {}
    void code_lost(line_t) override {}
    void wake(unsigned thread, base::cycle_t) override { log_ += fmt::format("wake {}; ", thread); }
    void stores_performed(unsigned) override { log_ += "buffer empty; "; }
    void stored(std::uint64_t paddr, unsigned size) override {
        log_ += fmt::format("{} bytes stored to line {}; ", size, paddr / 64);
    }
    bool holds_code(line_t) const override { return false; }
    void uncached_done(unsigned, std::uint32_t ticket, const uncached_data& d,
                       base::cycle_t) override {
        log_ += fmt::format("ticket {}; ", ticket);
        answer = d;
    }
    void send(const coherence::message& m, base::cycle_t) override {
        sent = m;
        sent_for = caches.l2().requested_for();
        log_ += fmt::format("{} {}; ", coherence::properties(m.kind).name, m.line);
    }
    void protocol_error(const std::string& text) override { log_ += text + "; "; }

    const coherence::address_hash hash_{1, 1};
    std::string log_;

  public:
    hierarchy caches;
};

}  // namespace knc::cache::test

#endif
