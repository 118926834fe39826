#include <knc/core/agenda.h>

#include <knc/core/pebs_unit.h>

namespace knc::core {

base::cycle_t agenda::next_watch() {
    return pebs_->watch();
}

}  // namespace knc::core
