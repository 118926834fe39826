// The keys table: values, refusals, and that it is sound.
#include <platform/keys.h>

#include <algorithm>
#include <set>
#include <stdexcept>

#include <gtest/gtest.h>

#include <knc/card/memory_fabric.h>
#include <knc/memory/controller_presets.h>

#include <platform/input_error.h>
#include <platform/preset.h>

namespace platform {
namespace {

const key& named(std::string_view name) {
    for (const key& k : keys())
        if (k.name == name) return k;
    throw std::out_of_range(std::string{name});
}

std::string refusal(std::string_view name, std::string_view text) {
    settings s;
    try {
        set_key(s, name, text);
    } catch (const key_error& e) {
        return e.what();
    }
    return "";
}

TEST(keys, have_distinct_names_and_say_what_they_mean) {
    std::set<std::string_view> names;
    for (const key& k : keys()) {
        EXPECT_TRUE(names.insert(k.name).second) << k.name;
        EXPECT_NE(k.name.find('.'), std::string_view::npos) << k.name;
        EXPECT_FALSE(k.meaning.empty()) << k.name;
    }
    for (const std::string_view name : names) {
        const std::size_t stem = name.rfind('.') + 1;
        if (name.substr(stem) == "ways") {
            const std::string of{name.substr(0, stem)};
            EXPECT_EQ(names.count(of + "entries") + names.count(of + "bytes"), 1u) << name;
        }
    }
}

// A bound of a number; of a key that is true or false, one of the two.
void set_bound(settings& s, const key& k, std::uint64_t bound) {
    const bool yes_or_no = std::holds_alternative<bool*>(k.of(s));
    set_key(s, k.name, !yes_or_no ? std::to_string(bound) : bound == 0 ? "false" : "true");
}

// Whatever the keys of a core accept one by one, a core can be made of.
TEST(keys, accept_nothing_that_no_core_can_have) {
    for (const key& k : keys()) {
        if (k.name.substr(0, 5) != "core.") continue;
        for (const std::uint64_t bound : {k.low, k.high}) {
            settings s;
            s.card.caches = false;  // by itself; the ring asks more of it
            set_bound(s, k, bound);
            try {
                check_consistency(s);
                EXPECT_EQ(knc::core::impossible(s.card.core), "") << k.name << '=' << bound;
            } catch (const key_error&) {
                EXPECT_NE(knc::core::impossible(s.card.core), "") << k.name << '=' << bound;
            }
        }
    }
}

// The same of what lies between the tiles.
TEST(keys, accept_nothing_that_no_uncore_can_have) {
    struct nothing final : knc::coherence::line_store, knc::card::memory_fabric::observer {
        void read(knc::coherence::line_t, knc::coherence::line_data&) override {}
        void write(knc::coherence::line_t, const knc::coherence::line_data&,
                   knc::coherence::byte_mask) override {}
        void deliver(unsigned, const knc::coherence::message&, knc::base::cycle_t) override {}
        void deliver_to_agent(const knc::coherence::message&, knc::base::cycle_t) override {}
        void protocol_error(const std::string&) override {}
    } n;
    unsigned possible = 0, refused = 0;
    for (const key& k : keys()) {
        const std::string_view table = k.name.substr(0, k.name.find('.'));
        if (table != "ring" && table != "directory" && table != "memory") continue;
        for (const std::uint64_t bound : {k.low, k.high}) {
            settings s;
            set_bound(s, k, bound);
            const auto make = [&] {
                knc::card::memory_fabric(s.card.uncore, 2, s.card.clock_hz, n, n);
            };
            try {
                check_consistency(s);
                EXPECT_NO_THROW(make()) << k.name << '=' << bound;
                ++possible;
            } catch (const key_error&) {
                EXPECT_THROW(make(), std::invalid_argument) << k.name << '=' << bound;
                ++refused;
            }
        }
    }
    EXPECT_GT(possible, 60u);
    // Among them banks fewer than groups, a refresh that never ends, a queue below its mark.
    EXPECT_GT(refused, 5u);
}

// What a key shows it must accept, and be unchanged by.
TEST(keys, take_back_the_value_they_show) {
    for (const preset& p : presets()) {
        settings s = preset_settings(p.name);
        for (const key& k : keys()) {
            const std::string text = value_text(k, s);
            set_key(s, k.name, text);
            EXPECT_EQ(value_text(k, s), text) << k.name;
        }
    }
}

TEST(set_key, reads_each_kind_of_value) {
    settings s;
    set_key(s, "card.tiles", "0x10");
    EXPECT_EQ(s.card.tiles, 16u);
    set_key(s, "card.clock_hz", "1_238_000_000");
    EXPECT_EQ(s.card.clock_hz, 1'238'000'000u);
    set_key(s, "card.memory", "2G");
    EXPECT_EQ(s.card.memory_size, 2ull << 30);
    set_key(s, "apic.lvtpc_automask", "false");
    EXPECT_FALSE(s.card.apic.lvtpc_automask);
    set_key(s, "apic.id_bits", "8");
    EXPECT_EQ(s.card.apic.id_bits, 8);
    EXPECT_FALSE(s.card.core.announce_sse);
    set_key(s, "core.announce_sse", "true");
    EXPECT_TRUE(s.card.core.announce_sse);
    set_key(s, "card.profile", "compat");
    EXPECT_EQ(s.card.profile, knc::isa::profile::compat);
    set_key(s, "pmu.contextless_pmi", "owner");
    EXPECT_EQ(s.card.pmu.contextless_pmi, knc::pmu::contextless_pmi::owner);
    set_key(s, "limits.max_cycles", "5");
    set_key(s, "limits.max_cycles", "none");
    EXPECT_EQ(s.limits.max_cycles, knc::base::never);
    set_key(s, "core.branch.entries", "512");
    EXPECT_EQ(s.card.core.branch.entries, 512u);
    set_key(s, "core.tlb.second.ways", "0x40");
    EXPECT_EQ(s.card.core.tlb.second.ways, 64u);
    set_key(s, "core.tlb.long_walk_cycles", "120");
    EXPECT_EQ(s.card.core.tlb.long_walk_cycles, 120u);
    set_key(s, "trace.scopes", "tile0,tile1");
    EXPECT_EQ(s.trace.scopes, "tile0,tile1");
}

TEST(set_key, refuses_what_a_key_cannot_have) {
    EXPECT_NE(refusal("card.tile", "1").find("unknown key card.tile"), std::string::npos);
    for (const char* bad : {"", "0", "63", "-1", "2.5", "two", "1 ", "1__", "_1", "0x",
                            "99999999999999999999", "none"})
        EXPECT_NE(refusal("card.tiles", bad).find("key card.tiles"), std::string::npos) << bad;
    EXPECT_NE(refusal("card.memory", "99999999999G"), "");  // does not fit 64 bits
    EXPECT_NE(refusal("card.tiles", "1K"), "");             // no unit of bytes
    EXPECT_NE(refusal("testdev.enable", "yes"), "");
    EXPECT_EQ(refusal("apic.id_bits", "7"), "key apic.id_bits: '7' is not a number from 8 to 9");
    EXPECT_NE(refusal("card.profile", "avx").find("knc, compat"), std::string::npos);
    EXPECT_EQ(refusal("core.tlb.code.entries", "48"),
              "key core.tlb.code.entries: '48' is not a power of two from 1 to 4096");
    EXPECT_EQ(refusal("core.branch.ways", "8192"),
              "key core.branch.ways: '8192' is not a power of two from 1 to 4096");
    EXPECT_NE(refusal("core.branch.entries", "0"), "");
    EXPECT_NE(refusal("core.fetch_bytes", "24"), "");
    EXPECT_EQ(refusal("core.banks", "6"), "");  // any number will do
    EXPECT_EQ(refusal("card.memory", "5000000"),
              "key card.memory: '5000000' is not a multiple of 4096 from 4194304 to 17179869184");
}

TEST(check_consistency, finds_what_no_single_key_shows) {
    settings s;
    EXPECT_NO_THROW(check_consistency(s));
    s.card.boot_core = s.card.tiles;
    EXPECT_THROW(check_consistency(s), key_error);
    s = {};
    s.trace.from = s.trace.to + 1;
    EXPECT_THROW(check_consistency(s), key_error);
    s = {};
    set_key(s, "core.tlb.data_2m.ways", "16");
    try {
        check_consistency(s);
        ADD_FAILURE() << "16 ways of 8 entries";
    } catch (const key_error& e) {
        EXPECT_STREQ(e.what(),
                     "key core.tlb.data_2m.ways: 16 ways of 8 entries (core.tlb.data_2m.entries)");
    }
    s = {};
    set_key(s, "apic.id_bits", "8");
    EXPECT_NO_THROW(check_consistency(s));
    set_key(s, "apic.cluster_member_bits", "8");
    try {
        check_consistency(s);
        ADD_FAILURE() << "8 members of 8 bits";
    } catch (const key_error& e) {
        EXPECT_STREQ(e.what(),
                     "key apic.cluster_member_bits: 8 of the 8 bits of a logical ID "
                     "(apic.id_bits)");
    }
    s = {};
    set_key(s, "core.tlb.data_2m.ways", "16");
    // In whichever order they are given.
    set_key(s, "core.tlb.data_2m.entries", "16");
    EXPECT_NO_THROW(check_consistency(s));
}

// Fact sheet 4.1: cores, clock and memory of each card; the boot processor is on the highest core.
TEST(presets, are_the_cards_they_are_named_after) {
    const settings a = preset_settings("3120a"), b = preset_settings("5110p"),
                   c = preset_settings("7120p");
    EXPECT_EQ(a.card.tiles, 57u);
    EXPECT_EQ(a.card.boot_core, 56u);
    EXPECT_EQ(a.card.clock_hz, 1'100'000'000u);
    EXPECT_EQ(a.card.memory_size, 6ull << 30);
    EXPECT_EQ(b.card.tiles, 60u);
    EXPECT_EQ(b.card.clock_hz, 1'053'000'000u);
    EXPECT_EQ(c.card.tiles, 61u);
    EXPECT_EQ(c.card.clock_hz, 1'238'000'000u);
    EXPECT_EQ(preset_settings("mini").card.tiles, 2u);
    for (const preset& p : presets()) {
        EXPECT_NO_THROW(check_consistency(preset_settings(p.name))) << p.name;
        EXPECT_FALSE(description(p).empty()) << p.name;
        // The memory is that of the table in the library.
        const knc::card::uncore_parameters& u = preset_settings(p.name).card.uncore;
        const auto& all = knc::memory::card_memories;
        const bool has_that_of_mini = p.name == "perfmon" || p.name == "p55c";
        const std::string_view card = has_that_of_mini ? "mini" : p.name;
        const auto m =
            std::find_if(all.begin(), all.end(), [&](const auto& e) { return e.card == card; });
        ASSERT_NE(m, all.end()) << p.name;
        EXPECT_EQ(u.controllers, m->controllers) << p.name;
        EXPECT_EQ(u.memory.gddr5.data_rate_mtps, m->data_rate_mtps) << p.name;
        EXPECT_EQ(u.memory.gddr5.t_refi_ps, m->t_refi_ps) << p.name;
    }
    EXPECT_THROW(preset_settings("9999x"), input_error);
    EXPECT_EQ(named("card.tiles").high, 62u);
}

}  // namespace
}  // namespace platform
