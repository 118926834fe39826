// A formula of a metric: a sum of counts with whole factors, such as
// "CPU_CLK_UNHALTED - EXEC_STAGE_CYCLES + 2*DATA_READ".
#ifndef KNC_MONITOR_FORMULA_H
#define KNC_MONITOR_FORMULA_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include <knc/monitor/quantity.h>

namespace knc::monitor {

struct term {
    std::size_t what;     // a quantity; one_of: the factor itself
    std::int64_t factor;  // not 0
};
inline constexpr std::size_t one_of = quantity_count;

class formula {
  public:
    // Throws std::invalid_argument for text that is no formula.
    explicit formula(std::string_view text);

    const std::vector<term>& terms() const { return terms_; }
    // Empty where the row has not all of its counts.
    std::optional<std::int64_t> of(const row&) const;

  private:
    std::vector<term> terms_;
};

}  // namespace knc::monitor

#endif
