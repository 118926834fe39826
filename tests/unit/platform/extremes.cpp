// Every key at the least and the greatest value that it takes: a card can be made of it, or one
// line says why not.
#include <string>
#include <variant>

#include <gtest/gtest.h>

#include <knc/card/card.h>
#include <platform/keys.h>
#include <platform/preset.h>

namespace platform {
namespace {

bool is_number(const key& k, settings& s) {
    const member m = k.of(s);
    return !std::holds_alternative<bool*>(m) && !std::holds_alternative<std::string*>(m) &&
           !std::holds_alternative<choice>(m);
}

TEST(keys, each_extreme_makes_a_card_or_is_refused) {
    unsigned made = 0, refused = 0;
    for (const key& k : keys()) {
        for (const std::uint64_t value : {k.low, k.high}) {
            settings s = preset_settings(default_preset);
            if (!is_number(k, s)) continue;
            const std::string what = std::string{k.name} + "=" + std::to_string(value);
            try {
                set_key(s, k.name, std::to_string(value));
                check_consistency(s);
            } catch (const key_error& e) {
                ++refused;
                EXPECT_EQ(std::string{e.what()}.find('\n'), std::string::npos) << what;
                continue;
            }
            const std::string name = "card" + std::to_string(made++);
            EXPECT_NO_THROW(knc::card::card(name.c_str(), s.card, knc::card::run_control{}))
                << what;
        }
    }
    // Most keys do not depend on others.
    EXPECT_GT(made, 4 * refused);
    EXPECT_GT(refused, 0u);
}

}  // namespace
}  // namespace platform
