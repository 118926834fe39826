// Accesses of the host to a card, and of the card to its host.
#include <knc/card/card_impl.h>

#include <algorithm>

namespace knc::card {

void card::impl::inquire(const tlm::tlm_generic_payload& p) {
    const std::uint64_t first = p.get_address(), size = p.get_data_length();
    if (!config.on_bus() || size > config.memory_size || first > config.memory_size - size) return;
    const bool write = p.is_write();
    for (auto& t : tiles) t->inquire(first, size, write);
    // The map of code takes what lies in one page.
    for (std::uint64_t at = first, end = first + size; write && at < end;) {
        const std::uint64_t next = std::min(end, (at | 0xfff) + 1);
        code.written(at, static_cast<unsigned>(next - at));
        at = next;
    }
}

void card::impl::window_transport(tlm::tlm_generic_payload& p, sc_core::sc_time& delay) {
    if (owner.system.size() == 0) {
        p.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
        return;
    }
    const std::uint64_t offset = p.get_address();
    p.set_address(registers.logic().host_address(offset));
    owner.system->b_transport(p, delay);
    p.set_address(offset);
}

unsigned card::impl::window_debug(tlm::tlm_generic_payload& p) {
    if (owner.system.size() == 0) return 0;
    constexpr std::uint64_t window_bytes = sbox::page_table::window_bytes;
    const std::uint64_t offset = p.get_address();
    const unsigned length = p.get_data_length();
    const std::uint64_t room = window_bytes - offset % window_bytes;
    p.set_address(registers.logic().host_address(offset));
    p.set_data_length(static_cast<unsigned>(std::min<std::uint64_t>(length, room)));
    const unsigned n = owner.system->transport_dbg(p);
    p.set_address(offset);
    p.set_data_length(length);
    return n;
}

void card::host_transport(tlm::tlm_generic_payload& p, sc_core::sc_time& delay) {
    impl_->inquire(p);
    impl_->host->b_transport(p, delay);
}

unsigned card::host_debug(tlm::tlm_generic_payload& p) {
    return impl_->host->transport_dbg(p);
}

void card::mmio_transport(tlm::tlm_generic_payload& p, sc_core::sc_time& delay) {
    const std::uint64_t offset = p.get_address();
    if (offset >= sbox::block_size) {
        p.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
        return;
    }
    p.set_address(sbox::block_address + offset);
    impl_->host->b_transport(p, delay);
    p.set_address(offset);
}

unsigned card::mmio_debug(tlm::tlm_generic_payload& p) {
    const std::uint64_t offset = p.get_address();
    if (offset >= sbox::block_size) return 0;
    p.set_address(sbox::block_address + offset);
    const unsigned n = impl_->host->transport_dbg(p);
    p.set_address(offset);
    return n;
}

void card::aperture_transport(tlm::tlm_generic_payload& p, sc_core::sc_time& delay) {
    if (impl_->hierarchy)
        impl_->aperture->b_transport(p, delay);
    else
        host_transport(p, delay);
}

}  // namespace knc::card
