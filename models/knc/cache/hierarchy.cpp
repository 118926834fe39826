#include <knc/cache/hierarchy.h>

namespace knc::cache {

hierarchy::hierarchy(std::uint8_t tile, const parameters& p, const coherence::address_hash& hash,
                     base::ledger& ledger, l1_client_if& core, network& n)
    : data_(p, ledger, pins_, core),
      code_(p, ledger, pins_, core),
      l2_(tile, p, hash, ledger, pins_, n) {
    data_.connect(l2_, code_);
    code_.connect(l2_, data_);
    l2_.connect(data_, code_);
}

void hierarchy::view(coherence::debug_view& v) const {
    if (const std::uint8_t* below = l2_.copy_of(v.line())) {
        const std::uint8_t* above = data_.copy_of(v.line());
        v.copy(above != nullptr ? above : below);
    }
    if (l2_.state(v.line()) == coherence::l2_state::ic_a) data_.view_claims(v);
    l2_.view_in_flight(v);
}

void hierarchy::debug_write(line_t line, const std::uint8_t* data, coherence::byte_mask mask) {
    data_.debug_write(line, data, mask);
    code_.debug_write(line, data, mask);
    l2_.debug_write(line, data, mask);
}

}  // namespace knc::cache
