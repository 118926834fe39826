// The state of a core as waveform values.

#include <knc/core/core.h>

#include <algorithm>

#include <fmt/format.h>

#include <knc/core/pipeline_signals.h>
#include <knc/core/rooms.h>

namespace knc::core {

namespace {

const base::value_names states{"state", {"running", "halted", "waits for startup", "shut down"}};
const base::value_names occupancies{"doing", {"-", "executing", "microcode", "waiting"}};
const base::value_names levels{"cpl", {"ring 0", "ring 1", "ring 2", "ring 3"}};

}  // namespace

void core::list_signals(const std::string& prefix, base::signal_list& list) const {
    for (std::size_t t = 0; t < parameters_.threads; ++t) {
        const thread_signals& v = sampled_[t];
        const std::string p = fmt::format("{}.t{}.", prefix, t);
        pipeline_signals_->list_function(t, p, list);
        list.push_back({p + "pc", 64, &v.pc, "instruction pointer"});
        list.push_back(
            {p + "state", 2, &v.state, "run state", base::signal_form::pattern, &states});
        list.push_back({p + "doing", 2, &v.doing, "what it does in this clock",
                        base::signal_form::pattern, &occupancies});
        pipeline_signals_->list_waits(t, p, list);
        list.push_back(
            {p + "cpl", 2, &v.cpl, "privilege level", base::signal_form::pattern, &levels});
        list.push_back({p + "instructions", 64, &v.instructions, "instructions retired",
                        base::signal_form::number});
    }
    pipeline_signals_->list_signals(prefix + ".core.", list);
}

void core::list_cycle_signals(base::signal_list& list) const {
    for (std::size_t t = 0; t < parameters_.threads; ++t)
        pipeline_signals_->list_waits(t, {}, list);
    pipeline_signals_->list_signals({}, list);
}

void core::sample() {
    for (std::size_t t = 0; t < parameters_.threads; ++t) {
        const thread& th = *threads_[t];
        thread_signals& v = sampled_[t];
        v.pc = th.context.s.r[isa::rip];
        v.state = static_cast<std::uint64_t>(th.state);
        v.doing = static_cast<std::uint64_t>(rooms_->accounting.doing(th.index()));
        v.cpl = th.context.s.cpl;
        v.instructions = th.retired;
    }
    pipeline_signals_->sample();
}

void core::sample_caches() {
    rooms_->memory.sample_caches();
}

void core::begin_sample() {
    pipeline_signals_->begin();
    time_.disturb();
}

unsigned core::device_waits() const {
    unsigned waits = 0;
    for (const auto& t : threads_) waits |= unsigned{t->devices.waiting()} << t->index();
    return waits;
}

void core::name_functions(function_numbers_if& f) {
    pipeline_signals_->name_functions(f);
}

base::cycle_t core::next_change() const {
    return rooms_->accounting.next_change();
}

bool core::still() const {
    return std::all_of(threads_.begin(), threads_.end(), [this](const auto& t) {
        return t->state != run_state::running &&
               rooms_->accounting.doing(t->index()) == occupancy::idle;
    });
}

void core::watch_overflows(bool on) {
    rooms_->registers.leave_at_access(on);
}

}  // namespace knc::core
