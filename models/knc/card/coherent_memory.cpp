#include <knc/card/coherent_memory.h>

#include <algorithm>
#include <cstring>

#include <knc/base/payload.h>
#include <knc/card/each_line.h>

namespace knc::card {

using coherence::line_bytes;

coherent_memory::coherent_memory(sc_core::sc_module_name name, std::uint64_t size, network& n,
                                 std::vector<std::unique_ptr<tile>>& tiles, isa::code_map& code)
    : sc_module(name), size_(size), network_(n), tiles_(tiles), code_(code) {
    target.register_b_transport(this, &coherent_memory::b_transport);
    target.register_transport_dbg(this, &coherent_memory::transport_dbg);
    target.register_get_direct_mem_ptr(this, &coherent_memory::get_direct_mem_ptr);
}

void coherent_memory::end_of_elaboration() {
    past_network_ = std::any_of(tiles_.begin(), tiles_.end(),
                                [](const auto& t) { return t->l2->network_socket() == nullptr; });
}

void coherent_memory::b_transport(tlm::tlm_generic_payload& p, sc_core::sc_time&) {
    const std::uint64_t length = p.get_data_length();
    const bool inside = p.get_address() < size_ && length <= size_ - p.get_address();
    if (!base::plain_access(p, inside)) return;
    if (p.get_command() != tlm::TLM_IGNORE_COMMAND)
        access(p.get_address(), length, p.get_data_ptr(), p.is_write());
    p.set_response_status(tlm::TLM_OK_RESPONSE);
}

unsigned coherent_memory::transport_dbg(tlm::tlm_generic_payload& p) {
    if (p.get_address() >= size_ || p.get_command() == tlm::TLM_IGNORE_COMMAND) return 0;
    const std::uint64_t n = std::min<std::uint64_t>(p.get_data_length(), size_ - p.get_address());
    access(p.get_address(), n, p.get_data_ptr(), p.is_write());
    return static_cast<unsigned>(n);
}

// Reports the size of memory but denies access: memory may have stale data.
bool coherent_memory::get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi& dmi) {
    dmi.set_start_address(0);
    dmi.set_end_address(size_ - 1);
    dmi.allow_none();
    return false;
}

void coherent_memory::access(std::uint64_t address, std::uint64_t size, std::uint8_t* data,
                             bool write) {
    each_line(address, size,
              [&](coherence::line_t line, unsigned offset, unsigned part, std::uint64_t done) {
                  access_line(line, offset, part, data + done, write);
              });
}

// Every copy of a line may be an older one, except that of debug_view.
void coherent_memory::write_back(const std::vector<coherence::line_t>& lines) {
    for (const coherence::line_t line : lines) {
        coherence::line_data whole{};
        access_line(line, 0, line_bytes, whole.data(), false);
        access_store(line * line_bytes, line_bytes, whole.data(), true);
    }
}

void coherent_memory::access_store(std::uint64_t address, unsigned size, std::uint8_t* data,
                                   bool write) {
    tlm::tlm_generic_payload p;
    p.set_command(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
    p.set_address(address);
    p.set_data_ptr(data);
    p.set_data_length(size);
    p.set_streaming_width(size);
    store->transport_dbg(p);
}

void coherent_memory::access_line(coherence::line_t line, unsigned offset, unsigned size,
                                  std::uint8_t* data, bool write) {
    const std::uint64_t paddr = line * line_bytes + offset;
    if (write && code_.holds_code(paddr)) code_.written(paddr, size);
    if (!past_network_ && network_.only_in_memory(line)) {
        access_store(paddr, size, data, write);
        return;
    }
    if (write) {
        coherence::line_data whole{};
        std::memcpy(whole.data() + offset, data, size);
        const coherence::byte_mask all = coherence::all_bytes >> (line_bytes - size);
        for (auto& t : tiles_) t->debug_write(line, whole.data(), all << offset);
        network_.debug_write(line, whole, all << offset);
        return;
    }
    coherence::debug_view view(line);
    for (auto& t : tiles_) t->view(view);
    network_.view(view);
    std::memcpy(data, view.value().data() + offset, size);
}

}  // namespace knc::card
