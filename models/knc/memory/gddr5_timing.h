// The timing of one GDDR5 interface: the data sheet's figures in picoseconds and command clocks,
// and the resulting distances in command clocks at one data rate.
//
// Models: a command clock CK of a quarter of the data rate (four transfers per pin and CK); times
// rounded up to whole CK, as a memory controller programs them. Leaves out: power-down and
// self-refresh, training, the limit of 32 activations (eight times the limit of four). Source of
// each default: the comment beside it. "part" is Hynix H5GQ2H24AFR (2 Gbit, the size on the cards)
// as tabulated in Ramulator 2; "gem5" is gem5's model of H5GQ1H24AFR. No figure has been compared
// with the data sheet itself, and the parts on the cards are not known: all are unverified.
#ifndef KNC_MEMORY_GDDR5_TIMING_H
#define KNC_MEMORY_GDDR5_TIMING_H

#include <cstdint>

namespace knc::memory {

// A point in time or a duration in command clocks (CK); CK 0 begins with core cycle 0.
using ck_t = std::uint64_t;
inline constexpr ck_t ck_never = ~ck_t{0};

struct gddr5_parameters {
    // Million transfers per second and pin. It depends on the card: controller_presets.h.
    std::uint32_t data_rate_mtps = 5000;
    // ACT to RD and to WR of the same bank; part.
    std::uint32_t t_rcdrd_ps = 14'000;
    std::uint32_t t_rcdwr_ps = 10'000;
    // PRE to ACT, ACT to PRE, ACT to ACT of the same bank; part, gem5.
    std::uint32_t t_rp_ps = 12'000;
    std::uint32_t t_ras_ps = 28'000;
    std::uint32_t t_rc_ps = 40'000;
    // ACT to ACT of any two banks; the window of at most four ACT (tFAW); part, gem5.
    std::uint32_t t_rrd_ps = 5'500;
    std::uint32_t t_faw_ps = 23'000;
    // End of write data to PRE of the same bank; part, gem5.
    std::uint32_t t_wr_ps = 12'000;
    // End of write data to RD of any bank; gem5.
    std::uint32_t t_wtr_ps = 5'000;
    // RD to the first read data; gem5 and GPGPU-Sim set it equal to tRCD.
    std::uint32_t t_cl_ps = 12'000;
    // WR to the first write data; GPGPU-Sim.
    std::uint32_t wl_ck = 4;
    // RD to PRE of the same bank; part, gem5.
    std::uint32_t rtp_ck = 2;
    // Column command to column command: in different bank groups (a burst of eight transfers takes
    // two CK), and in the same group; part.
    std::uint32_t ccd_ck = 2;
    std::uint32_t ccd_group_ck = 3;
    // Idle CK of the data pins between read data and write data; formula of a GDDR3 data sheet
    // (HYB18H512321).
    std::uint32_t turnaround_ck = 2;
    // Refresh of all banks: its interval for 8192 rows (1'900'000 for 16384) and its duration;
    // part.
    bool refresh = true;
    std::uint32_t t_refi_ps = 3'900'000;
    std::uint32_t t_rfc_ps = 65'000;
};

// The same in command clocks, with the command distances that follow from several figures.
struct gddr5_timing {
    // CK for which a burst of eight transfers occupies the data pins.
    static constexpr ck_t burst = 2;

    // Throws std::invalid_argument for a data rate of 0, a CCD below the burst, and a refresh
    // interval too short to close and refresh all banks.
    explicit gddr5_timing(const gddr5_parameters&);

    std::uint64_t ck_hz;
    ck_t rcdrd, rcdwr, rp, ras, rc, rrd, faw, rtp, ccd, ccd_group, cl, wl;
    ck_t read_to_write, write_to_read, write_to_precharge;
    ck_t refi, rfc;  // refi: 0 without refresh
};

// `ps` picoseconds in command clocks at `data_rate_mtps`, rounded up.
ck_t to_ck(std::uint64_t ps, std::uint32_t data_rate_mtps);

}  // namespace knc::memory

#endif
