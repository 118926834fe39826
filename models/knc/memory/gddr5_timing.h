// Timing of one GDDR5 interface: the figures of the data sheet in picoseconds and command clocks,
// and what they come to in command clocks at one data rate.
//
// Models: a command clock CK of a quarter of the data rate (four transfers per pin and CK), times
// rounded up to whole CK as a memory controller programs them. Leaves out: power-down and
// self-refresh, training, the shared limit of 32 activations (eight times the limit of four).
// Source of each default: the comment beside it. "part" is Hynix H5GQ2H24AFR (2 Gbit, the size the
// cards carry) as Ramulator 2 tabulates it, "gem5" gem5's model of H5GQ1H24AFR. None was compared
// with the data sheet itself, and which parts the cards carry is not known: all are unverified.
#ifndef KNC_MEMORY_GDDR5_TIMING_H
#define KNC_MEMORY_GDDR5_TIMING_H

#include <cstdint>

namespace knc::memory {

// A point or a length of time in command clocks (CK); clock 0 begins with core clock 0.
using ck_t = std::uint64_t;
inline constexpr ck_t ck_never = ~ck_t{0};

struct gddr5_parameters {
    // Million transfers per second and pin, a property of the card: controller_presets.h.
    std::uint32_t data_rate_mtps = 5000;
    // ACT to RD and to WR of the same bank; part.
    std::uint32_t t_rcdrd_ps = 14'000;
    std::uint32_t t_rcdwr_ps = 10'000;
    // PRE to ACT, ACT to PRE, ACT to ACT of the same bank; part, gem5.
    std::uint32_t t_rp_ps = 12'000;
    std::uint32_t t_ras_ps = 28'000;
    std::uint32_t t_rc_ps = 40'000;
    // ACT to ACT of any two banks, and the window that holds at most four ACT; part, gem5.
    std::uint32_t t_rrd_ps = 5'500;
    std::uint32_t t_faw_ps = 23'000;
    // End of write data to PRE of the same bank; part, gem5.
    std::uint32_t t_wr_ps = 12'000;
    // End of write data to RD of any bank; gem5.
    std::uint32_t t_wtr_ps = 5'000;
    // RD to the first read data; gem5 and GPGPU-Sim take it to be as tRCD.
    std::uint32_t t_cl_ps = 12'000;
    // WR to the first write data; GPGPU-Sim.
    std::uint32_t wl_ck = 4;
    // RD to PRE of the same bank; part, gem5.
    std::uint32_t rtp_ck = 2;
    // Column command to column command, in different bank groups (a burst of eight transfers lasts
    // two CK) and in the same one; part.
    std::uint32_t ccd_ck = 2;
    std::uint32_t ccd_group_ck = 3;
    // Idle CK of the data pins between read data and write data; formula of a GDDR3 data sheet
    // (HYB18H512321).
    std::uint32_t turnaround_ck = 2;
    // Refresh of all banks: interval for 8192 rows (1'900'000 for 16384) and duration; part.
    bool refresh = true;
    std::uint32_t t_refi_ps = 3'900'000;
    std::uint32_t t_rfc_ps = 65'000;
};

// The same in command clocks, with the distances of commands that follow from several of them.
struct gddr5_timing {
    // CK a burst of eight transfers occupies the data pins.
    static constexpr ck_t burst = 2;

    // Throws std::invalid_argument: data rate 0, a CCD below the burst, a refresh interval too
    // short for closing all banks and refreshing them.
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
