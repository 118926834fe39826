#include <knc/cache/hierarchy.h>

#include <knc/cache/debug_access.h>

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
    cache::view(data_, l2_, v);
}

void hierarchy::debug_write(line_t line, const std::uint8_t* data, coherence::byte_mask mask) {
    cache::debug_write(data_, code_, l2_, line, data, mask);
}

}  // namespace knc::cache
