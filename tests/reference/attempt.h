// The data accesses of an instruction, or event entry, that may have to wait: it then makes them
// again and counts none of this attempt.
#ifndef KNC_TESTS_REFERENCE_ATTEMPT_H
#define KNC_TESTS_REFERENCE_ATTEMPT_H

#include <knc/base/event.h>

namespace knc::reference {

class attempt {
  public:
    // `row`: where its accesses count.
    explicit attempt(base::event_row& row) : row_(row), before_(row) {}
    void waits() {
        for (const base::event e :
             {base::data_read, base::data_write, base::data_read_or_write, base::data_read_miss,
              base::data_read_miss_or_write_miss, base::vpu_data_read, base::vpu_data_write,
              base::vpu_data_read_miss})
            row_[e] = before_[e];
    }

  private:
    base::event_row& row_;
    const base::event_row before_;
};

}  // namespace knc::reference

#endif
