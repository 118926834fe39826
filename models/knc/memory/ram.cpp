#include <knc/memory/ram.h>

#include <algorithm>
#include <cstring>
#include <new>

#include <sys/mman.h>

#include <knc/base/payload.h>

namespace knc::memory {

ram::ram(sc_core::sc_module_name name, std::uint64_t size) : sc_module(name), size_(size) {
    void* p = mmap(nullptr, size, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) throw std::bad_alloc();
    // A byte written shall use 4 KB of host memory, not the 2 MB of a huge page. A host without
    // huge pages rejects the call, and needs none.
    madvise(p, size, MADV_NOHUGEPAGE);
    data_ = static_cast<std::uint8_t*>(p);
    target.register_b_transport(this, &ram::b_transport);
    target.register_get_direct_mem_ptr(this, &ram::get_direct_mem_ptr);
    target.register_transport_dbg(this, &ram::transport_dbg);
}

ram::~ram() {
    munmap(data_, size_);
}

void ram::b_transport(int, tlm::tlm_generic_payload& p, sc_core::sc_time&) {
    const std::uint64_t length = p.get_data_length();
    const bool inside = p.get_address() < size_ && length <= size_ - p.get_address();
    if (!base::plain_access(p, inside)) return;
    std::uint8_t* m = data_ + p.get_address();
    if (p.is_read()) std::memcpy(p.get_data_ptr(), m, length);
    if (p.is_write()) std::memcpy(m, p.get_data_ptr(), length);
    p.set_dmi_allowed(true);
    p.set_response_status(tlm::TLM_OK_RESPONSE);
}

bool ram::get_direct_mem_ptr(int, tlm::tlm_generic_payload&, tlm::tlm_dmi& dmi) {
    dmi.set_dmi_ptr(data_);
    dmi.set_start_address(0);
    dmi.set_end_address(size_ - 1);
    dmi.allow_read_write();
    return true;
}

unsigned ram::transport_dbg(int, tlm::tlm_generic_payload& p) {
    if (p.get_address() >= size_) return 0;
    const std::uint64_t n = std::min<std::uint64_t>(p.get_data_length(), size_ - p.get_address());
    std::uint8_t* m = data_ + p.get_address();
    if (p.is_read()) std::memcpy(p.get_data_ptr(), m, n);
    if (p.is_write()) std::memcpy(m, p.get_data_ptr(), n);
    return static_cast<unsigned>(n);
}

}  // namespace knc::memory
