// Flat memory of fixed size behind a TLM-2.0 target socket.
//
// Models: a sparse byte store (untouched pages use no host memory), direct memory interface (DMI)
// for the cores, debug transport. Leaves out: timing (GDDR5 controllers, channels, banks).
#ifndef KNC_MEMORY_RAM_H
#define KNC_MEMORY_RAM_H

#include <cstdint>

#include <systemc>
#include <tlm>
#include <tlm_utils/multi_passthrough_target_socket.h>

#include <knc/base/archive_forward.h>

namespace knc::memory {

class ram : public sc_core::sc_module {
  public:
    // Addresses 0 .. size-1; beyond them: TLM_ADDRESS_ERROR_RESPONSE.
    tlm_utils::multi_passthrough_target_socket<ram> target{"target"};

    // `size` in bytes, a multiple of 4 KB. Throws std::bad_alloc if the host cannot reserve it.
    ram(sc_core::sc_module_name, std::uint64_t size);
    ~ram() override;
    ram(const ram&) = delete;
    ram& operator=(const ram&) = delete;

    std::uint64_t size() const { return size_; }
    std::uint8_t* data() { return data_; }
    // The pages that are not all zeros.
    void serialize(base::archive&);

  private:
    void b_transport(int, tlm::tlm_generic_payload&, sc_core::sc_time&);
    bool get_direct_mem_ptr(int, tlm::tlm_generic_payload&, tlm::tlm_dmi&);
    unsigned transport_dbg(int, tlm::tlm_generic_payload&);

    std::uint64_t size_;
    std::uint8_t* data_;
};

}  // namespace knc::memory

#endif
