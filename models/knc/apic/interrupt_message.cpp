#include <knc/apic/interrupt_message.h>

#include <knc/base/bits.h>

namespace knc::apic {

using base::bits;
using base::insert;
using base::test;

std::uint64_t encode(const interrupt_message& m) {
    std::uint64_t v = m.vector;
    v = insert(v, 10, 8, static_cast<std::uint64_t>(m.mode));
    v = insert(v, 11, 11, m.logical);
    v = insert(v, 14, 14, m.assert_level);
    v = insert(v, 15, 15, m.level_triggered);
    v = insert(v, 19, 18, static_cast<std::uint64_t>(m.shorthand));
    v = insert(v, 47, 32, m.source_id);
    return insert(v, 63, 48, m.destination);
}

interrupt_message decode(std::uint64_t v) {
    interrupt_message m;
    m.vector = static_cast<std::uint8_t>(bits(v, 7, 0));
    m.mode = static_cast<delivery_mode>(bits(v, 10, 8));
    m.logical = test(v, 11);
    m.assert_level = test(v, 14);
    m.level_triggered = test(v, 15);
    m.shorthand = static_cast<destination_shorthand>(bits(v, 19, 18));
    m.source_id = static_cast<std::uint16_t>(bits(v, 47, 32));
    m.destination = static_cast<std::uint16_t>(bits(v, 63, 48));
    return m;
}

bool addresses(const interrupt_message& m, const address& a) {
    if (m.destination == interrupt_message::broadcast) return true;
    if (!m.logical) return m.destination == a.id;
    if (a.model == 0xF) return (m.destination & a.logical_id) != 0;
    if (a.model != 0) return false;
    const unsigned members = a.cluster_member_bits;
    const std::uint64_t cluster = bits(m.destination, 15, members);
    const bool in_cluster = cluster == bits(a.logical_id, 15, members) ||
                            cluster == base::mask(a.logical_bits - members);
    return in_cluster && (m.destination & a.logical_id & base::mask(members)) != 0;
}

}  // namespace knc::apic
