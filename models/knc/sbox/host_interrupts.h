// Interrupts from the card to its host: causes, enables, and the line they drive.
//
// Models: cause register SICR0 (ones written clear), enables set by ones written to SICE0 and
// cleared by ones written to SICC0; the line is up while an enabled cause is set. Doorbells set
// causes 3:0. Leaves out: MSI-X, and with it automatic clearing (SIAC0), causes 15:8 of the DMA
// channels. Source: the host driver of Linux, which enables by or-ing into SICE0, disables by
// writing what it read there to SICC0, and acknowledges by writing what it read from SICR0 back.
#ifndef KNC_SBOX_HOST_INTERRUPTS_H
#define KNC_SBOX_HOST_INTERRUPTS_H

#include <cstdint>

namespace knc::sbox {

class host_interrupts {
  public:
    static constexpr std::uint32_t sources =
        0xc000'ff0f;  // 31 SPI, 30 error, 15:8 DMA, 3:0 doorbells
    static constexpr unsigned doorbells = 4;
    // Of a doorbell register (SDBIC0-3): each write with it rings.
    static constexpr std::uint32_t request = 1u << 31;

    std::uint32_t causes() const { return causes_; }
    std::uint32_t enables() const { return enables_; }
    bool line() const { return (causes_ & enables_) != 0; }

    void ring(unsigned doorbell) { causes_ |= 1u << doorbell; }
    void clear_causes(std::uint32_t ones) { causes_ &= ~ones; }
    void set_enables(std::uint32_t ones) { enables_ |= ones & sources; }
    void clear_enables(std::uint32_t ones) { enables_ &= ~ones; }

  private:
    std::uint32_t causes_ = 0, enables_ = 0;
};

}  // namespace knc::sbox

#endif
