// The interfaces of the L1s on plain memory: every access is a hit, and nothing is ever in flight.
#include <knc/cache/ideal_memory.h>

#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <knc/memory/ram.h>

namespace knc::cache {
namespace {

// Memory whose byte n has the value n; a client that logs its notifications.
class ideal : public testing::Test, protected l1_client_if {
  protected:
    ideal() {
        for (std::size_t n = 0; n < 256; ++n) bytes[n] = static_cast<std::uint8_t>(n);
        module.client.bind(*this);
        module.memory.bind(ram.target);
        sc_core::sc_start(sc_core::SC_ZERO_TIME);
    }
    std::string log() { return std::exchange(log_, ""); }

    void data_not_writable(line_t, const std::uint8_t*, unsigned) override {
        log_ += "not writable; ";
    }
    void data_lost(line_t, const std::uint8_t*, unsigned) override { log_ += "lost; "; }
    void code_lost(line_t) override { log_ += "code lost; "; }
    void wake(unsigned thread, base::cycle_t) override { log_ += fmt::format("wake {}; ", thread); }
    void stores_performed(unsigned thread) override {
        log_ += fmt::format("buffer of {} empty; ", thread);
    }
    void stored(std::uint64_t paddr, unsigned size) override {
        log_ += fmt::format("{} bytes stored at {}; ", size, paddr);
    }
    bool holds_code(line_t) const override { return false; }
    void uncached_done(unsigned thread, std::uint32_t ticket, const uncached_data& d,
                       base::cycle_t cycle) override {
        log_ += fmt::format("thread {} ticket {}: {} at {}; ", thread, ticket, d[0], cycle);
    }

    memory::ram ram{"ram", 4096};
    ideal_memory module{"ideal_memory"};
    std::uint8_t* const bytes = ram.data();
    l1d_if& memory = *module.l1d.operator->();
    l1i_if& code = *module.l1i.operator->();

  private:
    std::string log_;
};

TEST_F(ideal, grants_memory_itself) {
    EXPECT_FALSE(memory.keeps_copies());
    std::uint8_t* const second = bytes + 64;
    EXPECT_EQ(memory.line_for_load(0, 1, charge::load, 5).line(), second);
    EXPECT_EQ(memory.line_for_update(1, 1, charge::load, 5).line(), second);
    EXPECT_EQ(memory.line_for_store(2, 1, 1, 5).line(), second);
    EXPECT_EQ(memory.streaming_store(3, 1, {}, false, 5).line(), second);
    EXPECT_EQ(code.line_for_fetch(0, 1, true, 5).line(), second);
    EXPECT_TRUE(code.use_code(0, 1, 5));
    EXPECT_EQ(code.code_at_hand(1, 5), second);
    EXPECT_EQ(log(), "");
}

TEST_F(ideal, has_nothing_under_way) {
    prefetch_request r;
    r.to_l1 = r.counted = true;
    memory.prefetch(0, 1, r, true, 5);
    memory.evict(1, 5);
    memory.evict_from_l1(1, 5);
    EXPECT_TRUE(memory.flush(0, 5));
    EXPECT_TRUE(memory.drained(0));
    EXPECT_TRUE(memory.fenced(0, 5));
    EXPECT_EQ(memory.next_event(), base::never);
    EXPECT_FALSE(memory.sent());
    EXPECT_EQ(bytes[64], 64);
    EXPECT_EQ(log(), "");
}

TEST_F(ideal, performs_stores_when_they_are_made) {
    const std::uint16_t value = 0x1234;
    memory.buffer_store(2, 66, sizeof value, &value, 5);
    EXPECT_EQ(bytes[66], 0x34);
    EXPECT_EQ(bytes[67], 0x12);
    EXPECT_EQ(bytes[68], 68);  // as it was
    EXPECT_EQ(log(), "2 bytes stored at 66; buffer of 2 empty; ");
}

TEST_F(ideal, answers_uncached_accesses_in_the_next_cycle) {
    memory.uncached(1, 7, false, 130, 1, nullptr, 5);
    EXPECT_EQ(log(), "thread 1 ticket 7: 130 at 6; ");
    const std::uint8_t value = 9;
    memory.uncached(1, 8, true, 130, 1, &value, 6);
    EXPECT_EQ(log(), "1 bytes stored at 130; thread 1 ticket 8: 0 at 7; ");
    EXPECT_EQ(bytes[130], 9);
}

}  // namespace
}  // namespace knc::cache
