#include <knc/cache/hierarchy.h>

#include <knc/cache/debug_access.h>

namespace knc::cache {

hierarchy::hierarchy(std::uint8_t tile, const parameters& p, const coherence::address_hash& hash,
                     base::ledger& ledger, l1_client_if& core, network& n)
    : data_(p, ledger, pins_), code_(p, ledger, pins_), l2_(tile, p, hash, ledger, pins_, n) {
    data_.connect(core, l2_, code_);
    code_.connect(core, l2_, data_);
    l2_.connect(data_, code_);
}

void hierarchy::view(coherence::debug_view& v) const {
    cache::view(data_, l2_, v);
}

void hierarchy::debug_write(line_t line, const std::uint8_t* data, coherence::byte_mask mask) {
    data_.debug_write(line, data, mask);
    code_.debug_write(line, data, mask);
    l2_.debug_write(line, data, mask);
}

}  // namespace knc::cache
