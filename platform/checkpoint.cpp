#include <platform/checkpoint.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include <unistd.h>

#include <fmt/format.h>

#include <knc/base/archive.h>

#include <platform/console.h>
#include <platform/counter_history.h>
#include <platform/digest.h>
#include <platform/input_error.h>
#include <platform/keys.h>
#include <platform/msr_script.h>
#include <platform/phase.h>
#include <platform/report.h>
#include <platform/run_options.h>
#include <platform/session.h>

namespace platform {

using knc::base::archive;
using knc::base::cycle_t;

// ---- the request

bool may_differ(std::string_view key) {
    // A group of keys ends with a dot.
    static constexpr std::string_view free[] = {"limits.",     "sim.",      "profile.",
                                                "log.",        "timeline.", "trace.",
                                                "checkpoint.", "pmu.audit", "fast_forward.to"};
    return std::any_of(std::begin(free), std::end(free), [key](std::string_view f) {
        return f.back() == '.' ? key.substr(0, f.size()) == f : key == f;
    });
}

run_identity identity_of(const run_request& r) {
    run_identity all{{"SHA-256 of the image", sha256_text(r.firmware.file)},
                     {"command line", r.cmdline},
                     {"SHA-256 of the initial RAM disk", sha256_text(r.initrd)}};
    for (const key& k : keys())
        if (!may_differ(k.name))
            all.emplace_back(fmt::format("key {}", k.name), value_text(k, r.config));
    return all;
}

void prepare_checkpoints(run_request& r) {
    using end = knc::card::fast_forward_control::end;
    const checkpoint_settings& c = r.config.checkpoint;
    if (!c.file.empty()) {
        if (!r.gdb.place.empty())
            throw input_error("--checkpoint: with --gdb there is no fast-forward that could end");
        const std::string directory = std::filesystem::path{c.file}.parent_path();
        std::error_code error;
        if (access(directory.empty() ? "." : directory.c_str(), W_OK) != 0 ||
            std::filesystem::is_directory(c.file, error))
            throw input_error(fmt::format("--checkpoint: {} cannot be written", c.file));
    }
    if (c.restore.empty()) return;
    r.restored = read_checkpoint(read_file(c.restore), c.restore);
    check_identity(*r.restored, identity_of(r));
    r.files.push_back(c.restore);
    // It is over.
    r.fast_forward.until = end::none;
}

// ---- the state, field by field

void pmu_report::serialize(archive& a) {
    a(front_end, l3, counter, evtsel, global_ctrl, status, spflt, fixed_control, debug_control);
    a(overflows, skid, has_pebs, pebs);
}

void thread_report::serialize(archive& a) {
    a(core, thread, instructions, events, events_user, pmu, counted);
    a(pmi, pmi_lost, eoi, lvt_performance, performance_in_service);
}

void mark::serialize(archive& a) {
    a(number, cycle);
}

void counts_at_mark::serialize(archive& a) {
    a(number, cycle, threads);
}

void msr_result::serialize(archive& a) {
    a(at, thread, number, write, refused, value);
}

void msr_script::serialize(archive& a, cycle_t now) {
    std::string saved;
    for (const msr_access& x : accesses_)
        saved += fmt::format("{} {} {} {} {}\n", x.at, x.thread, x.number, x.write, x.value);
    const std::string here = saved;
    std::uint64_t performed = present_;
    a(saved, performed);
    if (!a.loading()) return;
    if (saved == here && performed <= accesses_.size()) {
        present_ = performed;
        return;
    }
    present_ = 0;
    while (next() < now) ++present_;
}

void phase_recorder::mark_cycle::serialize(archive& a) {
    a(number, at);
}

void phase_recorder::serialize(archive& a) {
    a(marks_);
    std::uint64_t taken = taken_.size();
    a(taken);
    if (a.loading()) taken_.assign(std::min<std::uint64_t>(taken, most_marks), {});
    for (knc::monitor::snapshot& s : taken_) {
        std::uint64_t threads = s.threads.size(), controllers = s.controllers.size();
        a(s.cycle, s.ended, s.ring_busy, s.traffic, s.bus.reads, s.bus.writes, threads,
          controllers);
        constexpr std::uint64_t most = 256;
        if (threads > most || controllers > most) throw knc::base::archive_error("a phase");
        s.threads.resize(threads);
        s.controllers.resize(controllers);
        for (auto& t : s.threads) a(t.events, t.awake, t.rmid, t.l3_lines, t.online);
        for (auto& c : s.controllers) a(c.reads, c.writes);
    }
}

void history_point::serialize(archive& a) {
    a(at, cores, ring_busy, reads, writes);
}

void counter_history::serialize(archive& a, cycle_t now) {
    const bool wanted = next_ != knc::base::never;
    a(points_, interval_, next_);
    if (!a.loading()) return;
    if (interval_ == 0) throw knc::base::archive_error("interval of the counts");
    if (!wanted)
        next_ = knc::base::never;
    else if (next_ == knc::base::never)
        next_ = (now / interval_ + 1) * interval_;
}

bool session::serialize(archive& a, cycle_t now) {
    std::string saved;
    for (const session_step& s : steps_)
        saved += fmt::format("{} {} {} {} {}\n", s.wait.size(), s.wait, s.send.size(), s.send,
                             s.timeout.value_or(-1));
    const std::string here = saved;
    a(saved, present_, seen_, typed_, taken_, deadline_);
    if (!a.loading()) return true;
    if (saved == here && present_ <= steps_.size() && taken_ <= typed_.size()) return true;
    present_ = taken_ = 0;
    typed_.clear();
    begin(now);
    return false;
}

bool console::serialize(archive& a, cycle_t now) {
    std::string rest = input_.substr(taken_);
    a(text_, rest, told_, listening_);
    session none{{}, 1};
    const bool same = (session_ ? *session_ : none).serialize(a, now);
    if (!a.loading()) return true;
    input_ = rest;
    taken_ = 0;
    if (end_->repeats()) skip(told_);
    return same;
}

// What a file has given already.
void console::skip(std::uint64_t characters) {
    input_.clear();
    while (taken_ == input_.size() && fill()) {
        taken_ = static_cast<std::size_t>(std::min<std::uint64_t>(characters, input_.size()));
        characters -= taken_;
    }
}

}  // namespace platform
