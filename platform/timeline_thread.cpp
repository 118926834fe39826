#include <platform/timeline_thread.h>

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include <knc/apic/interrupt_message.h>
#include <knc/apic/registers.h>
#include <knc/base/bits.h>

#include <platform/event_names.h>

namespace platform {

namespace base = knc::base;
namespace apic = knc::apic;

namespace {

// Deeper calls take the place of the innermost one.
constexpr std::size_t most_frames = 200;
// Tracks and processes of a viewer may not have the same numbers.
constexpr std::uint32_t first_thread = 1000;
constexpr std::uint32_t tracks_of_thread = 16;

std::string thread_name(base::thread_number n) {
    return fmt::format("{}.{}", n.core, n.thread);
}

}  // namespace

timeline_thread::timeline_thread(base::thread_number n, trace_events& e) : number_(n), events_(e) {
    static constexpr std::array names = {"state", "functions", "interrupts", "messages"};
    for (std::size_t k = 0; k < names.size(); ++k)
        events_.name_track(track(static_cast<kind>(k)),
                           fmt::format("{} {}", thread_name(n), names[k]));
}

trace_events::track timeline_thread::track(kind k) const {
    constexpr auto per_core = static_cast<std::uint32_t>(base::threads_per_core);
    const std::uint32_t thread = number_.core * per_core + number_.thread;
    return {number_.core + 1u,
            first_thread + thread * tracks_of_thread + static_cast<std::uint32_t>(k), 0};
}

// ---- states

void timeline_thread::on(cycle_t at, const steps::state_change& s) {
    static constexpr std::array names = {"running", "halted", "waiting for SIPI", "shutdown"};
    if (s.to == state_) return;
    state_ = s.to;
    events_.end_all(track(kind::state), at);
    events_.begin(track(kind::state), at, {names[static_cast<std::size_t>(s.to)], "state", {}});
    if (s.to == base::run_state::wait_for_sipi || s.to == base::run_state::shutdown) stop(at);
}

void timeline_thread::on(cycle_t at, const steps::core_reset&) {
    on(at, steps::state_change{base::run_state::wait_for_sipi});
    for (; !raised_.empty(); raised_.pop_front())
        end_edge(raised_.front(), at, argument("fate", "reset"));
    for (const auto& [r, edge] : requested_) end_edge(edge, at, argument("fate", "reset"));
    requested_.clear();
}

// It has left whatever it was in.
void timeline_thread::stop(cycle_t at) {
    leave_handlers(0, at);
    leave_frames(0, at);
}

// ---- functions

void timeline_thread::on(cycle_t at, const steps::code_entry& s) {
    const bool known = s.in.in != nullptr && s.in.function != function_table::none;
    const auto is_it = [&](const frame& f) {
        return f.in == s.in.in && f.function == s.in.function && f.level == s.level;
    };
    const std::size_t bottom = handlers_.empty() ? 0 : handlers_.back().frames;
    if (frames_.size() > bottom && is_it(frames_.back())) return;
    const function* const f = known ? &s.in.in->functions.functions()[s.in.function] : nullptr;
    const bool at_begin = f != nullptr && s.ip + s.in.distance == f->address;
    // Innermost first.
    const auto found = std::find_if(frames_.rbegin(), frames_.rend(), [&](const frame& x) {
        return is_it(x) && (!at_begin || x.sp == s.sp);
    });
    const auto depth = static_cast<std::size_t>(frames_.rend() - found);
    if (depth > bottom) {  // a return, or a jump back
        leave_frames(depth, at);
        return;
    }
    if (known && !at_begin) leave_frames(bottom, at);
    if (frames_.size() == most_frames) leave_frames(most_frames - 1, at);
    frames_.push_back({s.in.in, s.in.function, s.level, s.sp});
    std::string arguments = hex_argument("ip", s.ip);
    if (s.in.in != nullptr) arguments += argument("program", s.in.in->file.name);
    events_.begin(track(kind::functions), at,
                  {f != nullptr ? f->name : no_function, s.level == base::user ? "user" : "kernel",
                   arguments});
}

void timeline_thread::leave_frames(std::size_t keep, cycle_t at) {
    for (; frames_.size() > keep; frames_.pop_back()) events_.end(track(kind::functions), at);
}

// ---- exceptions and interrupts

void timeline_thread::on(cycle_t at, const steps::event& s) {
    const base::event_entry& e = s.what;
    using cause = base::event_entry::cause;
    if (e.why != cause::exception) {
        const auto edge = requested_.find(e.why == cause::nmi ? nmi : request{e.vector});
        if (edge != requested_.end()) {
            entering_ = edge->second;
            requested_.erase(edge);
            next_phase(entering_, at, "entry");
        }
    }
    handlers_.push_back({e.sp, e.cpl, frames_.size(), true});
    std::string arguments = hex_argument("ip", e.ip);
    if (e.has_error_code) arguments += hex_argument("error_code", e.error_code);
    if (e.why == cause::exception && e.vector == page_fault_vector)
        arguments += hex_argument("address", e.fault_address);
    const char* const category = e.why == cause::exception ? "exception" : "interrupt";
    events_.begin(track(kind::interrupts), at,
                  {e.why == cause::interrupt ? "interrupt " + event_name(e) : event_name(e),
                   category, arguments});
    events_.begin(track(kind::interrupts), at, {"entry", category, {}});
}

void timeline_thread::on(cycle_t at, const steps::handler_begin&) {
    if (handlers_.empty() || !handlers_.back().entering) return;
    handlers_.back().entering = false;
    events_.end(track(kind::interrupts), at);
    if (entering_ == 0) return;
    end_edge(entering_, at, argument("fate", "handled"));
    entering_ = 0;
}

// The handler ends that found the stack as it is again, with those inside of it; all in ring 3. One
// that returns to another place of the stack ends the innermost.
void timeline_thread::on(cycle_t at, const steps::handler_return& s) {
    const auto found = std::find_if(handlers_.rbegin(), handlers_.rend(), [&](const handler& h) {
        return h.sp == s.sp && h.cpl == s.cpl;
    });
    if (found != handlers_.rend())
        leave_handlers(static_cast<std::size_t>(handlers_.rend() - found) - 1, at);
    else if (!handlers_.empty())
        leave_handlers(s.cpl == 3 ? 0 : handlers_.size() - 1, at);
}

void timeline_thread::leave_handlers(std::size_t keep, cycle_t at) {
    while (handlers_.size() > keep) {
        const handler h = handlers_.back();
        handlers_.pop_back();
        leave_frames(h.frames, at);
        if (h.entering) events_.end(track(kind::interrupts), at);
        events_.end(track(kind::interrupts), at);
    }
    if (entering_ == 0 || (keep != 0 && handlers_.back().entering)) return;
    end_edge(entering_, at, argument("fate", "abandoned"));
    entering_ = 0;
}

// ---- performance interrupts

trace_events::track timeline_thread::edge_track(std::uint64_t edge) const {
    trace_events::track t = track(kind::interrupts);
    constexpr unsigned edge_bits = 40;
    t.beside = std::uint64_t{t.thread} << edge_bits | edge;
    return t;
}

void timeline_thread::on(cycle_t at, const steps::pmi_raise&) {
    raised_.push_back(++edges_);
    events_.begin(edge_track(edges_), at, {"PMI of " + thread_name(number_), "pmi", {}});
    events_.begin(edge_track(edges_), at, {"delivery", "pmi", {}});
}

void timeline_thread::on(cycle_t at, const steps::pmi_arrival& s) {
    if (raised_.empty()) return;
    const std::uint64_t edge = raised_.front();
    raised_.pop_front();
    const std::string entry = hex_argument("lvt_pmc", s.lvt_entry);
    if (s.fate != base::pmi_fate::requested) {
        const bool lost = s.fate == base::pmi_fate::lost;
        end_edge(edge, at, entry + argument("fate", lost ? "lost" : "merged"));
        return;
    }
    const auto mode = static_cast<apic::delivery_mode>(base::bits(s.lvt_entry, 10, 8));
    const request r = mode == apic::delivery_mode::nmi ? nmi : request(s.lvt_entry & 0xff);
    // A request that the local APIC has dropped.
    if (const auto old = requested_.find(r); old != requested_.end())
        end_edge(old->second, at, argument("fate", "dropped"));
    requested_[r] = edge;
    next_phase(edge, at, "boundary");
}

void timeline_thread::next_phase(std::uint64_t edge, cycle_t at, const char* phase) {
    events_.end(edge_track(edge), at);
    events_.begin(edge_track(edge), at, {phase, "pmi", {}});
}

void timeline_thread::end_edge(std::uint64_t edge, cycle_t at, const std::string& arguments) {
    events_.end(edge_track(edge), at);
    events_.end(edge_track(edge), at, arguments);
}

// ---- local APIC

void timeline_thread::on(cycle_t at, const steps::apic_write& s) {
    if (s.offset != apic::reg::eoi) return;
    events_.instant(
        track(kind::interrupts), at,
        {s.in_service == 0 ? "EOI" : fmt::format("EOI {:#04x}", s.in_service), "interrupt", {}});
}

void timeline_thread::on(cycle_t at, const steps::timer_expiry& s) {
    events_.instant(track(kind::messages), at,
                    {"timer", "message", hex_argument("lvt_timer", s.lvt_entry)});
}

}  // namespace platform
