// Interrupts from the card to its host: causes, enables, and the interrupt line.
//
// Models: cause register SICR0 (write 1 to clear); enables that writing 1 to SICE0 sets and writing
// 1 to SICC0 clears; the line is high while an enabled cause is set. Doorbells set causes 3:0.
// Leaves out: MSI-X, and with it automatic clearing (SIAC0), causes 15:8 of the DMA channels.
// Source: the host driver of Linux. It enables by a read-modify-write (OR) of SICE0, disables by
// writing the value read there to SICC0, and acknowledges by writing the value read from SICR0
// back.
#ifndef KNC_SBOX_HOST_INTERRUPTS_H
#define KNC_SBOX_HOST_INTERRUPTS_H

#include <cstdint>

#include <knc/base/archive_forward.h>

namespace knc::sbox {

class host_interrupts {
  public:
    static constexpr std::uint32_t sources =
        0xc000'ff0f;  // 31 SPI, 30 error, 15:8 DMA, 3:0 doorbells
    static constexpr unsigned doorbells = 4;
    // Bit of a doorbell register (SDBIC0-3): each write that has it set rings the doorbell.
    static constexpr std::uint32_t request = 1u << 31;

    std::uint32_t causes() const { return causes_; }
    std::uint32_t enables() const { return enables_; }
    bool line() const { return (causes_ & enables_) != 0; }

    void ring(unsigned doorbell) { causes_ |= 1u << doorbell; }
    void clear_causes(std::uint32_t ones) { causes_ &= ~ones; }
    void set_enables(std::uint32_t ones) { enables_ |= ones & sources; }
    void clear_enables(std::uint32_t ones) { enables_ &= ~ones; }
    void serialize(base::archive&);

  private:
    std::uint32_t causes_ = 0, enables_ = 0;
};

}  // namespace knc::sbox

#endif
