#include <knc/memory/gddr5_timing.h>

#include <algorithm>
#include <stdexcept>

namespace knc::memory {

namespace {

// CK = data rate / 4, so one CK is 4'000'000 / (million transfers per second) picoseconds.
constexpr std::uint64_t ps_mtps_per_ck = 4'000'000;

}  // namespace

ck_t to_ck(std::uint64_t ps, std::uint32_t data_rate_mtps) {
    return (ps * data_rate_mtps + ps_mtps_per_ck - 1) / ps_mtps_per_ck;
}

gddr5_timing::gddr5_timing(const gddr5_parameters& p) {
    if (p.data_rate_mtps == 0) throw std::invalid_argument("GDDR5 data rate is 0");
    if (std::min(p.ccd_ck, p.ccd_group_ck) < burst)
        throw std::invalid_argument("GDDR5 column commands closer than a burst");
    const auto ck = [&p](std::uint64_t ps) { return to_ck(ps, p.data_rate_mtps); };
    ck_hz = std::uint64_t{p.data_rate_mtps} * 250'000;
    rcdrd = ck(p.t_rcdrd_ps);
    rcdwr = ck(p.t_rcdwr_ps);
    rp = ck(p.t_rp_ps);
    ras = ck(p.t_ras_ps);
    rc = ck(p.t_rc_ps);
    rrd = ck(p.t_rrd_ps);
    faw = ck(p.t_faw_ps);
    rtp = p.rtp_ck;
    ccd = p.ccd_ck;
    ccd_group = p.ccd_group_ck;
    cl = ck(p.t_cl_ps);
    wl = p.wl_ck;
    // The write data begin `turnaround_ck` after the last read data. Either change of direction
    // also keeps the distance of any two column commands, which may be the longer one.
    const ck_t gap = cl + burst + p.turnaround_ck;
    read_to_write = std::max(ccd, gap - std::min(wl, gap));
    write_to_read = std::max(ccd, wl + burst + ck(p.t_wtr_ps));
    write_to_precharge = wl + burst + ck(p.t_wr_ps);
    rfc = ck(p.t_rfc_ps);
    // Rounded down: a refresh may be early, not late.
    refi = p.refresh ? std::uint64_t{p.t_refi_ps} * p.data_rate_mtps / ps_mtps_per_ck : 0;
    // A refresh must end before the next one is due, even if every bank is busy when it becomes
    // due.
    const ck_t closed = std::max(std::max({ras, rtp, write_to_precharge}) + rp, rc);
    if (p.refresh && refi <= closed + rfc)
        throw std::invalid_argument(
            "GDDR5: t_refi is too short for t_rfc and the time that closes a row");
}

}  // namespace knc::memory
