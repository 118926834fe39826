// The state of a local APIC, field by field; docs/checkpoints.md.
#include <knc/apic/local_apic.h>
#include <knc/base/archive.h>

namespace knc::apic {

void interrupt_message::serialize(base::archive& a) {
    a(mode, vector, level_triggered, assert_level, logical, destination, shorthand, source_id);
}

void vector_set::serialize(base::archive& a) {
    a(words_);
}

void timer::serialize(base::archive& a) {
    a(tick_, reload_, count_, base_, periodic_);
}

void inbox::serialize(base::archive& a) {
    a(queue_);
}

void local_apic::serialize(base::archive& a) {
    a(file_, irr_, isr_, tmr_, errors_, timer_, inbox_);
    a(pins_, level_vector_, globally_enabled_);
    a(extint_, nmi_, init_, startup_, waiting_, startup_vector_);
    a(pmis_, lost_pmis_, eois_, smis_);
    if (a.loading()) settle();
}

}  // namespace knc::apic
