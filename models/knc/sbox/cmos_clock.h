// The real-time clock of a PC behind its index and data port.
//
// Models: seconds, minutes, hours, day of the week, day, month and year in BCD, 24 hours; registers
// A, B and D with the values of a clock that runs and is valid. No update is ever in progress.
// Leaves out: setting the clock, alarms, interrupts, the memory beside the clock: these registers
// read 0. Source: Motorola MC146818A data sheet.
#ifndef KNC_SBOX_CMOS_CLOCK_H
#define KNC_SBOX_CMOS_CLOCK_H

#include <cstdint>
#include <ctime>

#include <knc/base/archive_forward.h>

namespace knc::sbox {

class cmos_clock {
  public:
    // When a run starts it is 1 January 2000, 0:00:00 UTC: runs repeat exactly.
    static constexpr std::time_t start = 946'684'800;

    // Bit 7 masks the NMI of a PC and is not part of the number.
    void select(std::uint8_t index) { index_ = index & 0x7f; }
    void reset() { index_ = 0; }
    void serialize(base::archive&);

    // `seconds` since the start.
    std::uint8_t read(std::uint64_t seconds) const {
        const std::time_t now = start + static_cast<std::time_t>(seconds);
        std::tm t{};
        gmtime_r(&now, &t);
        switch (index_) {
            case 0x0:
                return bcd(t.tm_sec);
            case 0x2:
                return bcd(t.tm_min);
            case 0x4:
                return bcd(t.tm_hour);
            case 0x6:
                return bcd(t.tm_wday + 1);
            case 0x7:
                return bcd(t.tm_mday);
            case 0x8:
                return bcd(t.tm_mon + 1);
            case 0x9:
                return bcd(t.tm_year);
            case 0xa:
                return divider_32768_hz | rate_1024_hz;
            case 0xb:
                return hours_24;
            case 0xd:
                return valid;
            default:
                return 0;
        }
    }

  private:
    static constexpr std::uint8_t divider_32768_hz = 0x20, rate_1024_hz = 0x06, hours_24 = 0x02,
                                  valid = 0x80;
    static std::uint8_t bcd(int n) { return static_cast<std::uint8_t>(n / 10 % 10 << 4 | n % 10); }

    std::uint8_t index_ = 0;
};

}  // namespace knc::sbox

#endif
